#include "agent/tuner/values.h"

#include <errno.h>

#define BLANKS "\x20\t\r"

static char *next_word(const char **p)
{
	const char *start = *p + strspn(*p, BLANKS);
	size_t len = strcspn(start, BLANKS);

	*p = start + len;
	return len ? xstrndup(start, len) : NULL;
}

static const char *add(struct strvec *out, const char *word, size_t most)
{
	if (strvec_has(out, word))
		return "a value is listed twice";
	if (out->n >= most)
		return "it has too many values";
	strvec_push(out, word);
	return NULL;
}

/* ---- ranges ---------------------------------------------------------------- */

static bool whole_number(int64_t *out, const char *text, const char *end)
{
	char *stop;

	errno = 0;
	*out = strtoll(text, &stop, 10);
	return !errno && stop == end && stop > text;
}

static const char *add_number(struct strvec *out, int64_t n, size_t most)
{
	char word[24];

	snprintf(word, sizeof word, "%lld", (long long)n);
	return add(out, word, most);
}

/* "2^4..2^10" */
static bool read_powers(int64_t exponent[2], const char *word, const char *dots)
{
	return starts_with(word, "2^") && starts_with(dots + 2, "2^") &&
	       whole_number(&exponent[0], word + 2, dots) &&
	       whole_number(&exponent[1], dots + 4,
			    dots + 4 + strlen(dots + 4));
}

static const char *add_powers(struct strvec *out, const int64_t exponent[2],
			      size_t most)
{
	const char *why = NULL;

	if (exponent[0] < 0 || exponent[1] > 62 || exponent[0] > exponent[1])
		return "powers go up from 2^0, to 2^62 at most";
	for (int64_t i = exponent[0]; i <= exponent[1] && !why; i++)
		why = add_number(out, (int64_t)1 << i, most);
	return why;
}

/* " step 16" after a range; 1 if there is none. */
static const char *read_step(int64_t *step, const char **text)
{
	const char *after = *text;
	cleanup_free char *word = next_word(&after), *number = NULL;

	*step = 1;
	if (!word || !str_eq(word, "step"))
		return NULL;
	number = next_word(&after);
	if (!number || !whole_number(step, number, number + strlen(number)) ||
	    *step < 1)
		return "a step is a whole number from 1";
	*text = after;
	return NULL;
}

static const char *add_range(struct strvec *out, const int64_t bound[2],
			     int64_t step, size_t most)
{
	const char *why = NULL;

	if (bound[0] > bound[1])
		return "a range goes up";
	for (int64_t i = bound[0]; i <= bound[1] && !why;) {
		why = add_number(out, i, most);
		if (__builtin_add_overflow(i, step, &i))
			break;
	}
	return why;
}

/* A word that is not a range is one value, whatever it holds. */
static const char *add_word(struct strvec *out, const char *word,
			    const char **text, size_t most)
{
	const char *dots = strstr(word, ".."), *why;
	int64_t bound[2], step;

	if (dots && read_powers(bound, word, dots))
		return add_powers(out, bound, most);
	if (!dots || !whole_number(&bound[0], word, dots) ||
	    !whole_number(&bound[1], dots + 2, word + strlen(word)))
		return add(out, word, most);
	why = read_step(&step, text);
	return why ? why : add_range(out, bound, step, most);
}

/* ---- choices and permutations ---------------------------------------------- */

/* Words of "NAME(a b c)"; false: the text is something else. */
static bool take_list(struct strvec *out, const char *text, const char *name)
{
	const char *end = text + strlen(text);
	cleanup_free char *inside = NULL;
	const char *p;
	char *word;

	text += strspn(text, BLANKS);
	while (end > text && strchr(BLANKS, end[-1]))
		end--;
	if (!starts_with(text, name) || text[strlen(name)] != '(' ||
	    end[-1] != ')')
		return false;
	text += strlen(name) + 1;
	if (end - 1 < text)
		return false;
	inside = xstrndup(text, (size_t)(end - 1 - text));
	p = inside;
	while ((word = next_word(&p))) {
		strvec_push(out, word);
		free(word);
	}
	return true;
}

/* Adds the orders of the elements that are not used yet behind `begin`. */
static const char *add_orders(struct strvec *out, const struct strvec *element,
			      const char *begin, unsigned used, char join,
			      size_t most)
{
	const char *why = NULL;

	if (used == (1U << element->n) - 1)
		return add(out, begin, most);
	for (size_t i = 0; i < element->n && !why; i++) {
		cleanup_free char *longer = NULL;

		if (used & 1U << i)
			continue;
		longer = xasprintf("%s%.*s%s", begin, *begin != '\0', &join,
				   element->v[i]);
		why = add_orders(out, element, longer, used | 1U << i, join,
				 most);
	}
	return why;
}

static const char *add_permutation(struct strvec *out,
				   const struct strvec *element, char join,
				   size_t most)
{
	if (element->n < 2 || element->n > VALUES_ELEMENTS)
		return "a permutation has 2 to 5 elements";
	for (size_t i = 0; i < element->n; i++) {
		if (strchr(element->v[i], join))
			return "an element of a permutation holds what joins "
			       "them";
		for (size_t j = 0; j < i; j++)
			if (str_eq(element->v[i], element->v[j]))
				return "a value is listed twice";
	}
	return add_orders(out, element, "", 0, join, most);
}

const char *values_expand(struct strvec *out, enum values_kind *kind,
			  const char *text, char join, size_t most)
{
	cleanup_strvec struct strvec list = STRVEC_INIT;
	const char *why = NULL;

	*kind = VALUES_WORDS;
	if (take_list(&list, text, "perm")) {
		*kind = VALUES_ORDERS;
		return add_permutation(out, &list, join, most);
	}
	if (take_list(&list, text, "choice")) {
		*kind = VALUES_CHOICE;
		for (size_t i = 0; i < list.n && !why; i++)
			why = add(out, list.v[i], most);
		return why;
	}
	while (!why) {
		cleanup_free char *word = next_word(&text);

		if (!word)
			break;
		why = add_word(out, word, &text, most);
	}
	return why;
}

/* ---- distance ---------------------------------------------------------------- */

/* Where the element of this number of `a` stands in `b`. */
static size_t place_of(const char *element, size_t len, const char *b,
		       char join)
{
	for (size_t at = 0;; at++) {
		size_t n = strcspn(b, (char[]){join, '\0'});

		if ((n == len && memcmp(b, element, n) == 0) || !b[n])
			return at;
		b += n + 1;
	}
}

uint8_t values_steps(const char *a, const char *b, char join)
{
	size_t place[VALUES_ELEMENTS], n = 0;
	uint8_t steps = 0;

	while (n < VALUES_ELEMENTS) {
		size_t len = strcspn(a, (char[]){join, '\0'});

		place[n++] = place_of(a, len, b, join);
		if (!a[len])
			break;
		a += len + 1;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (place[j] > place[i])
				steps++;
	return steps;
}
