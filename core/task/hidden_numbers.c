/* Numbers of a candidate's sources that may be the size of a tile. */
#include "core/task/hidden_parts.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>

#define MOST_NUMBERS 1024
#define MOST_RESTS   64
#define MOST_SIZE    INT64_C(1000000000000)
#define MOST_SHIFT   20
#define MOST_BEFORE  400 /* characters of a line that are looked at */
#define MOST_WORDS   ((size_t)1 << 17) /* numbers of a file */

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* What is before a word: its line, less the blanks at both ends. */
struct before {
	const char *begin, *end;
};

static struct before before_word(const char *word, const char *file)
{
	struct before b = {word, word};

	while (b.begin > file && b.begin[-1] != '\n' &&
	       word - b.begin < MOST_BEFORE)
		b.begin--;
	while (b.end > b.begin && strchr(" \t(", b.end[-1]))
		b.end--;
	while (b.begin < b.end && isblank((unsigned char)*b.begin))
		b.begin++;
	return b;
}

static bool stops_at(const struct before *b, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(b->end - b->begin) >= n &&
	       memcmp(b->end - n, what, n) == 0;
}

static bool contains(const struct before *b, const char *what)
{
	return memmem(b->begin, (size_t)(b->end - b->begin), what,
		      strlen(what)) != NULL;
}

static const char *skip(const struct before *b, const char *at, bool words)
{
	while (at < b->end &&
	       (words ? in_word(*at) : isblank((unsigned char)*at)))
		at++;
	return at;
}

/* "#define NAME", and nothing else. */
static bool is_define(const struct before *b)
{
	const char *at = b->begin;

	if (at == b->end || *at != '#')
		return false;
	at = skip(b, at + 1, false);
	if (b->end - at < 6 || memcmp(at, "define", 6) != 0)
		return false;
	at = skip(b, at + 6, false);
	return at < b->end && skip(b, at, true) == b->end;
}

/* "static const int NAME =", "constexpr ..."; in Python "NAME =". */
static bool is_constant(const struct before *b)
{
	struct before name = {b->begin, b->end};

	if (!stops_at(b, "="))
		return false;
	if (contains(b, "const") || contains(b, "enum"))
		return true;
	name.end--;
	while (name.end > name.begin && isblank((unsigned char)name.end[-1]))
		name.end--;
	return isupper((unsigned char)*b->begin) &&
	       skip(&name, name.begin, true) == name.end;
}

/* "+= 64", "% 64", "n / 64", "n >= 64", "n == 64", "i & 63". */
static bool is_step(const struct before *b)
{
	return b->end > b->begin &&
	       (strchr("%/&<>", b->end[-1]) || stops_at(b, "+=") ||
		stops_at(b, "-=") || stops_at(b, ">=") || stops_at(b, "<=") ||
		stops_at(b, "==") || stops_at(b, "!="));
}

/* "n > 64", "n <= 64", "n == 64", but no "n >> 6". */
static bool is_compared(const struct before *b)
{
	if (stops_at(b, ">>") || stops_at(b, "<<") || stops_at(b, "->"))
		return false;
	return b->end > b->begin &&
	       (strchr("<>", b->end[-1]) || stops_at(b, ">=") ||
		stops_at(b, "<=") || stops_at(b, "==") || stops_at(b, "!="));
}

static bool is_power(int64_t v)
{
	return v >= 4 && (v & (v - 1)) == 0;
}

/* "p[2] << 16", "h >> 16" put numbers together and take them apart; "1 << 16" is a
 * size, and "n >> 8" may be blocks of one. */
static bool is_of_bytes(int64_t v, const struct before *b)
{
	const char *at = b->end - 2;

	if (v % CHAR_BIT != 0)
		return false;
	if (stops_at(b, ">>"))
		return v > CHAR_BIT;
	while (at > b->begin && strchr(" \t(uUlL", at[-1]))
		at--;
	return !(at > b->begin && at[-1] == '1' &&
		 (at - 1 == b->begin || !in_word(at[-2])));
}

/* The same number counts once, as what it is at its best place. */
static void add(struct hidden_numbers *out, int64_t v, enum hidden_rank rank,
		bool compared)
{
	for (size_t i = 0; i < out->n; i++)
		if (out->v[i].size == v) {
			out->v[i].rank = MIN(out->v[i].rank, rank);
			out->v[i].is_compared |= compared;
			return;
		}
	if (out->n == MOST_NUMBERS)
		return;
	GROW(out->v, out->n, out->cap);
	out->v[out->n++] = (struct hidden_number){v, rank, compared};
}

/* "(n << 5) - n" is n * 31, "(n << 5) + n" and "n + (n << 5)" are n * 33: -1, 1 or
 * 0. `after` is behind the 5. */
static int beside_shift(const struct before *b, const char *after)
{
	const char *at = b->end - 2;

	after += strspn(after, " \t");
	if (*after == ')') {
		after += strspn(after, " \t)");
		if ((*after == '-' || *after == '+') &&
		    !strchr("-+=>", after[1] ? after[1] : '='))
			return *after == '-' ? -1 : 1;
	}
	while (at > b->begin && isblank((unsigned char)at[-1]))
		at--;
	while (at > b->begin && in_word(at[-1]))
		at--;
	if (at == b->begin || at[-1] != '(')
		return 0;
	for (at--; at > b->begin && isblank((unsigned char)at[-1]); at--)
		;
	return at > b->begin + 1 && at[-1] == '+' && at[-2] != '+';
}

static void drop_blanks(struct before *b, const char *more)
{
	while (b->end > b->begin &&
	       (isblank((unsigned char)b->end[-1]) || strchr(more, b->end[-1])))
		b->end--;
}

/* By which number the rest is taken of which "==" is asked: of "n % 32 ==" 32, of
 * "(n & 31) ==" 32, too; 0: of none. */
static int64_t modulus_before(struct before b)
{
	char *end;
	long long v;

	if (!stops_at(&b, "==") && !stops_at(&b, "!="))
		return 0;
	b.end -= 2;
	drop_blanks(&b, ")");
	while (b.end > b.begin && in_word(b.end[-1]))
		b.end--;
	errno = 0;
	v = strtoll(b.end, &end, 0);
	if (errno || end == b.end || v <= 0 || v > MOST_SIZE)
		return 0;
	drop_blanks(&b, "");
	if (stops_at(&b, "%"))
		return v;
	return stops_at(&b, "&") && is_power(v + 1) ? v + 1 : 0;
}

/* v, or v - 1 where that is what is behind it. */
static void take_rest(struct hidden_numbers *out, int64_t v,
		      const struct before *b, const char *after)
{
	struct hidden_rest r = {modulus_before(*b), v};

	after += strspn(after, " \t");
	if (*after == '-')
		r.rest -= after[1 + strspn(after + 1, " \t")] == '1';
	if (r.rest <= 0 || r.rest >= r.modulus || out->n_rests == MOST_RESTS)
		return;
	for (size_t i = 0; i < out->n_rests; i++)
		if (out->rest[i].modulus == r.modulus &&
		    out->rest[i].rest == r.rest)
			return;
	GROW(out->rest, out->n_rests, out->cap_rests);
	out->rest[out->n_rests++] = r;
}

static void take(struct hidden_numbers *out, int64_t v, const struct before *b,
		 const char *after)
{
	bool is_shift = stops_at(b, ">>") || stops_at(b, "<<");
	bool is_mask = stops_at(b, "&") && is_power(v + 1);

	if (is_shift && is_of_bytes(v, b))
		return;
	if (is_shift && v <= MOST_SHIFT)
		add(out, INT64_C(1) << v, HIDDEN_STEP, false);
	if (stops_at(b, "<<") && v > 1 && v <= MOST_SHIFT &&
	    beside_shift(b, after))
		add(out, (INT64_C(1) << v) + beside_shift(b, after),
		    HIDDEN_OTHER, false);
	if (is_mask)
		add(out, v + 1, HIDDEN_STEP, false);
	if (v > 1 && (is_define(b) || is_constant(b)))
		add(out, v, HIDDEN_TUNABLE, false);
	else if (!is_shift && !is_mask && !contains(b, "avogit:") &&
		 (is_step(b) || is_power(v)))
		add(out, v, HIDDEN_STEP, is_compared(b));
	else
		add(out, v, HIDDEN_OTHER, false);
}

/* "0x40", "64", "64UL", but no part of a name or of a fraction. The data of a file
 * end with a NUL, but one within them ends no source. */
void hidden_numbers_add(struct hidden_numbers *out, const char *text,
			size_t len)
{
	const char *at = text;
	size_t words = 0;

	while (at < text + len && out->n < MOST_NUMBERS && words < MOST_WORDS) {
		const char *word = at;
		struct before b;
		char *end;
		long long v;

		if (!in_word(*at)) {
			at++;
			continue;
		}
		while (in_word(*at))
			at++;
		if (!isdigit((unsigned char)*word))
			continue;
		errno = 0;
		v = strtoll(word, &end, 0);
		end += strspn(end, "uUlL");
		if (errno || end != at || v <= 0 || v > MOST_SIZE)
			continue;
		words++;
		b = before_word(word, text);
		take(out, v, &b, at);
		take_rest(out, v, &b, at);
	}
}

void hidden_numbers_read(struct hidden_numbers *out, const struct task *t,
			 const struct fileset *files)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	task_source_patterns(&patterns, t);
	for (size_t i = 0; i < files->n; i++)
		if (path_matches(files->file[i].path, &patterns))
			hidden_numbers_add(out, files->file[i].data,
					   files->file[i].len);
}

void hidden_numbers_release(struct hidden_numbers *numbers)
{
	free(numbers->v);
	free(numbers->rest);
	*numbers = (struct hidden_numbers){0};
}
