#include "cmd/ui/checked.h"

#include <inttypes.h>

#define WHOLE	     12 /* so many are not shortened */
#define SHOWN	     6	/* of others, those with their contents */
#define SHOWN_KIND   3	/* and of each further kind */
#define MOST_SYMBOLS 64

struct shortening {
	struct buf *out;
	bool whole; /* nothing is left out */
	size_t symbols;
	int64_t low[MOST_SYMBOLS], high[MOST_SYMBOLS];
	size_t n;	  /* all sizes so far */
	size_t kept, cut; /* of this kind */
};

static size_t count_symbols(const char *text, const char *end)
{
	size_t n = 1;

	for (; text < end; text++)
		n += *text == ',';
	return n;
}

/* "300,17", a number for each symbol: *end is behind it. */
static bool read_sizes(int64_t *size, const char *at, size_t n,
		       const char **end)
{
	for (size_t i = 0; i < n; i++) {
		char *next;

		size[i] = strtoll(at, &next, 10);
		if (next == at || (i + 1 < n && *next != ','))
			return false;
		at = next + (i + 1 < n);
	}
	*end = at;
	return !*at || *at == ' ' || *at == ';';
}

static void note_sizes(struct shortening *s, const int64_t *size)
{
	for (size_t i = 0; i < s->symbols; i++) {
		s->low[i] = s->n ? MIN(s->low[i], size[i]) : size[i];
		s->high[i] = s->n ? MAX(s->high[i], size[i]) : size[i];
	}
	s->n++;
}

static void separate(struct buf *out)
{
	if (out->len && out->data[out->len - 1] != ' ')
		buf_adds(out, "; ");
}

static void end_kind(struct shortening *s, const char *before)
{
	if (s->cut)
		buf_addf(s->out, "%sand %zu more", before, s->cut);
	s->kept = s->cut = 0;
}

/* Sizes one after another behind what they are: "one or two at a time 5,9 33,9". */
static void add_kind(struct shortening *s, const char *at, const char *end)
{
	int64_t size[MOST_SYMBOLS];
	const char *next;

	separate(s->out);
	for (; at < end; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ;");

		if (!read_sizes(size, at, s->symbols, &next)) {
			buf_addf(s->out, "%.*s ", (int)n, at);
		} else if (note_sizes(s, size),
			   s->kept < SHOWN_KIND || s->whole) {
			s->kept++;
			buf_addf(s->out, "%.*s ", (int)n, at);
		} else {
			s->cut++;
		}
		at += n;
	}
	end_kind(s, "");
	buf_trim_end(s->out);
}

/* One, with its contents: "300,17 large". */
static void add_one(struct shortening *s, const char *at, const char *end)
{
	if (s->kept >= SHOWN && !s->whole) {
		s->cut++;
		return;
	}
	separate(s->out);
	s->kept++;
	buf_add(s->out, at, (size_t)(end - at));
}

static void add_parts(struct shortening *s, const char *at)
{
	while (*at) {
		const char *end = at + strcspn(at, ";"), *behind;
		int64_t size[MOST_SYMBOLS];

		if (read_sizes(size, at, s->symbols, &behind)) {
			note_sizes(s, size);
			add_one(s, at, end);
		} else {
			end_kind(s, "; ");
			add_kind(s, at, end);
		}
		at = end + strspn(end, "; ");
	}
	end_kind(s, "; ");
}

static void add_tuple(struct buf *out, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%" PRId64, i ? "," : "", v[i]);
}

/* How many sizes the text has. */
static size_t count_sizes(const char *text, size_t symbols)
{
	cleanup_buf struct buf none = BUF_INIT(BUF_LIMIT_TEXT);
	struct shortening s = {.out = &none, .symbols = symbols};

	add_parts(&s, text);
	return s.n;
}

void checked_shorten(struct buf *out, const char *text)
{
	const char *colon = strstr(text, ": ");
	struct shortening s = {.out = out};

	s.symbols = colon ? count_symbols(text, colon) : 0;
	if (!colon || s.symbols > MOST_SYMBOLS ||
	    count_sizes(colon + 2, s.symbols) <= WHOLE) {
		buf_adds(out, text);
		return;
	}
	buf_add(out, text, (size_t)(colon + 2 - text));
	add_parts(&s, colon + 2);
	buf_adds(out, "; all from ");
	add_tuple(out, s.low, s.symbols);
	buf_adds(out, " to ");
	add_tuple(out, s.high, s.symbols);
	buf_adds(out, " (`avogit show --json` has each)");
}
