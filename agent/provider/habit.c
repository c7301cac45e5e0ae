#include "agent/provider/habit.h"

#include <ctype.h>

#define LEAST_TOKENS 1024 /* a shorter reply is of no use: clear instead */

static bool is_refusal(const struct draft_failure *f)
{
	return (f->status == 400 || f->status == 422) && f->message;
}

/* ---- numbers in a sentence ----------------------------------------------- */

static bool is_name_char(char c)
{
	return is_word_char(c) || c == '-' || c == '.';
}

/* Reads the number at s, which may have commas: "32,768". */
static int64_t number_at(const char *s)
{
	int64_t v = 0;

	for (; isdigit((unsigned char)*s) ||
	       (*s == ',' && isdigit((unsigned char)s[1]));
	     s++)
		if (*s != ',' && v < INT64_MAX / 20)
			v = v * 10 + (*s - '0');
	return v;
}

/* The next number at or after s that is not a part of a name ("gpt-4-0613");
 * *next: after it. NULL: there is none. */
static const char *find_number(const char *s, const char *begin,
			       const char **next)
{
	for (; *s; s++) {
		size_t len;

		if (!isdigit((unsigned char)*s) ||
		    (s > begin && is_name_char(s[-1])))
			continue;
		len = strspn(s, "0123456789,");
		*next = s + len;
		if (!isalpha((unsigned char)**next) && **next != '_' &&
		    **next != '-')
			return s;
		s += len - 1;
	}
	return NULL;
}

static bool number_after(int64_t *out, const char *text, const char *words)
{
	const char *at = strcasestr(text, words), *next, *found;

	found = at ? find_number(at + strlen(words), text, &next) : NULL;
	if (!found || found > at + strlen(words) + 8)
		return false;
	*out = number_at(found);
	return true;
}

static bool number_before(int64_t *out, const char *text, const char *words)
{
	const char *at = strcasestr(text, words), *begin = at;

	while (begin && begin > text &&
	       (isdigit((unsigned char)begin[-1]) || begin[-1] == ','))
		begin--;
	if (!begin || begin == at)
		return false;
	*out = number_at(begin);
	return true;
}

/* "190000 + 32000 > 200000": the conversation, the reply, the context. */
static bool read_sum(int64_t *input, int64_t *context, const char *text)
{
	const char *plus = strstr(text, " + ");
	const char *above = plus ? strstr(plus, " > ") : NULL;

	return above && number_before(input, text, " + ") &&
	       number_after(context, above, " > ");
}

static bool read_context(int64_t *input, int64_t *context, const char *text)
{
	static const char *const contexts[] = {"maximum context length is",
					       "maximum context length of",
					       "context length is only",
					       "context window of"};
	static const char *const inputs[] = {" in the messages",
					     " input tokens",
					     " tokens from the input",
					     " of text input"};
	bool has_context = false, has_input = false;

	if (read_sum(input, context, text))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(contexts) && !has_context; i++)
		has_context = number_after(context, text, contexts[i]);
	for (size_t i = 0; i < ARRAY_SIZE(inputs) && !has_input; i++)
		has_input = number_before(input, text, inputs[i]);
	return has_context && has_input;
}

/* ---- the length of a reply ----------------------------------------------- */

static bool is_about_length(const char *text)
{
	static const char *const words[] = {
		"max_tokens",	     "max_completion_tokens",
		"max_output_tokens", "max_new_tokens",
		"maxOutputTokens",   "completion tokens",
		"output tokens",     "maximum tokens",
		"in the completion", "for the completion"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcasestr(text, words[i]))
			return true;
	return false;
}

static bool says_too_large(const char *text)
{
	static const char *const words[] = {
		"too large", "too high",  "at most",   "maximum",
		"exceed",    "range",	  "above",     "less than",
		"<=",	     "must be <", "lower than"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcasestr(text, words[i]))
			return true;
	return false;
}

/* The largest number in the sentence below what was asked for: the server's
 * limit. None is named: half, which ends at LEAST_TOKENS. */
static int64_t limit_in(const char *text, int64_t asked)
{
	const char *at = text, *next;
	int64_t most = 0;

	while ((at = find_number(at, text, &next))) {
		int64_t v = number_at(at);

		if (v > most && v < asked)
			most = v;
		at = next;
	}
	return most >= 256 ? most : asked / 2;
}

static char *learn_room(struct habit *h, int64_t input, int64_t context,
			int64_t asked, size_t bytes)
{
	int64_t room = context - input;
	bool told = h->room > 0;

	if (room < LEAST_TOKENS || room >= asked)
		return NULL;
	/* Servers count a few tokens of their own. */
	h->room = room - 16;
	h->room_bytes = bytes;
	return told ? xstrdup("")
		    : xasprintf("its context of %lld tokens leaves %lld for a "
				"reply: shorter ones are asked for where it is "
				"full",
				(long long)context, (long long)room);
}

char *habit_learn_tokens(struct habit *h, const struct draft_failure *f,
			 int64_t asked, size_t bytes)
{
	int64_t input, context, limit;

	if (!is_refusal(f) || !is_about_length(f->message))
		return NULL;
	if (read_context(&input, &context, f->message))
		return learn_room(h, input, context, asked, bytes);
	/* Of two spellings the server wants the other. */
	if (!says_too_large(f->message) ||
	    strcasestr(f->message, "instead of 'max_tokens'") ||
	    strcasestr(f->message, "context length"))
		return NULL;
	limit = limit_in(f->message, asked);
	if (limit >= asked || (limit < LEAST_TOKENS && limit == asked / 2))
		return NULL;
	h->most_tokens = limit;
	return xasprintf("replies are of at most %lld tokens from now on, not "
			 "%lld",
			 (long long)limit, (long long)asked);
}

int64_t habit_tokens(const struct habit *h, int64_t max_tokens, size_t bytes)
{
	int64_t n = max_tokens, room = h->room;

	if (h->most_tokens)
		n = MIN(n, h->most_tokens);
	if (!room)
		return n;
	/* A token is at least two bytes of what came since, and at most six of
	 * what was cleared: a guess too low is only short. */
	if (bytes > h->room_bytes)
		room -= (int64_t)((bytes - h->room_bytes) / 2);
	else
		room += (int64_t)((h->room_bytes - bytes) / 6);
	return MIN(n, MAX(room, LEAST_TOKENS));
}

/* ---- other parameters ---------------------------------------------------- */

static bool is_word_at(const char *text, const char *found, size_t len)
{
	return (found == text ||
		!(isalnum((unsigned char)found[-1]) || found[-1] == '_')) &&
	       !(isalnum((unsigned char)found[len]) || found[len] == '_');
}

/* Where the text has the word; NULL: nowhere. */
static const char *find_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strcasestr(at, word)); at++)
		if (is_word_at(text, at, len))
			return at;
	return NULL;
}

/* Where the text first has one of the parameter's spellings. */
static const char *find_spelling(const char *text,
				 const struct wire_parameter *p)
{
	const char *first = find_word(text, p->name);

	for (size_t i = 0; i < ARRAY_SIZE(p->also) && p->also[i]; i++) {
		const char *at = find_word(text, p->also[i]);

		if (at && (!first || at < first))
			first = at;
	}
	return first;
}

static bool is_spelling(const char *word, const struct wire_parameter *p)
{
	if (str_eq(word, p->name))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(p->also) && p->also[i]; i++)
		if (str_eq(word, p->also[i]))
			return true;
	return false;
}

/* The index of the parameter that the server blames or names first, among
 * those still sent; -1: none. */
static int blamed(const struct habit *h, const struct draft_failure *f,
		  const struct wire *wire)
{
	const char *first = NULL;
	int found = -1;

	for (int i = 0; f->parameter && wire->parameters[i].name; i++)
		if (is_spelling(f->parameter, &wire->parameters[i]) &&
		    !(h->left_out & 1u << i))
			return i;
	for (int i = 0; wire->parameters[i].name; i++) {
		const char *at =
			find_spelling(f->message, &wire->parameters[i]);

		if (at && (!first || at < first) && !(h->left_out & 1u << i)) {
			first = at;
			found = i;
		}
	}
	return found;
}

/* The highest effort below the one sent that the server's words offer, each in
 * quotes; NULL: none. */
static const char *offered_effort(const char *text, const char *sent)
{
	static const char *const levels[] = {"max",    "xhigh", "high",
					     "medium", "low",	"minimal"};
	bool below = false;

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		const char *at = below ? find_word(text, levels[i]) : NULL;

		if (at && at > text && strchr("'\"`", at[-1]))
			return levels[i];
		below = below || str_eq(sent, levels[i]);
	}
	return NULL;
}

char *habit_learn_parameter(struct habit *h, const struct draft_failure *f,
			    const struct wire *wire, const char *effort)
{
	const char *lower = NULL;
	int i;

	if (!is_refusal(f))
		return NULL;
	i = blamed(h, f, wire);
	if (i < 0)
		return NULL;
	if (wire->parameters[i].is_effort && effort)
		lower = offered_effort(f->message, effort);
	if (lower) {
		h->effort = lower;
		return xasprintf("its effort is %s from now on, not %s", lower,
				 effort);
	}
	h->left_out |= 1u << i;
	return xasprintf(
		"it is asked without `%s` from now on%s",
		wire->parameters[i].name,
		wire->parameters[i].instead ? wire->parameters[i].instead : "");
}

bool habit_leaves_out(const struct habit *h, const struct wire *wire,
		      const char *name)
{
	for (unsigned i = 0; wire->parameters[i].name; i++)
		if (str_eq(wire->parameters[i].name, name))
			return h->left_out & 1u << i;
	return false;
}
