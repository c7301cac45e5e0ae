#include "core/run/words.h"

#include <ctype.h>

#define SHORTEST 3
#define LONGEST	 32
/* Of one text. */
#define MAX_WORDS 32

struct mention {
	char word[LONGEST + 1];
	size_t text;
};

static bool says_nothing(const char *word)
{
	static const char nothing[] =
		" the and for with from into onto use uses using used try "
		"tries "
		"trying more less fewer than one two that this these those not "
		"but instead each per now then when where which while change "
		"changes changed make makes made add adds added set sets all "
		"its was are were has have had let lets get gets put puts new "
		"old other same only also over out off via can may should "
		"would will does did just still what how why because again "
		"before after between both some any every kernel kernels code "
		"faster slower better best ahead far attempt attempts against "
		"average chosen expected improvement neighbour point points "
		"little known like tried ";
	char padded[LONGEST + 3];

	snprintf(padded, sizeof padded, " %s ", word);
	return strstr(nothing, padded);
}

/* Of two letters, as tunables and parts of a machine are called: MR, L2. */
static bool is_name(const char *s, size_t len)
{
	return len == 2 && isupper((unsigned char)s[0]) &&
	       (isupper((unsigned char)s[1]) || isdigit((unsigned char)s[1]));
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static void add_word(struct words *w, size_t text, const char *s, size_t len)
{
	struct mention m = {.text = text};
	bool letter = false;

	if ((len < SHORTEST && !is_name(s, len)) || len > LONGEST)
		return;
	for (size_t i = 0; i < len; i++) {
		m.word[i] = (char)tolower((unsigned char)s[i]);
		letter |= !isdigit((unsigned char)s[i]);
	}
	if (!letter || says_nothing(m.word))
		return;
	GROW(w->mention, w->n, w->cap);
	w->mention[w->n++] = m;
}

void words_add(struct words *w, size_t text, const char *s)
{
	size_t before = w->n;

	while (s && *s && w->n - before < MAX_WORDS) {
		const char *begin = s;

		while (in_word(*s))
			s++;
		add_word(w, text, begin, (size_t)(s - begin));
		if (*s)
			s++;
	}
}

static int by_word(const void *a, const void *b)
{
	const struct mention *x = a, *y = b;
	int order = strcmp(x->word, y->word);

	return order ? order : (x->text > y->text) - (x->text < y->text);
}

/* The end of the run of mentions of one word that begins at i; *texts is how
 * many texts without a group have it. */
static size_t count_run(size_t *texts, const struct words *w, size_t i,
			const size_t *group)
{
	size_t begin = i, last = SIZE_MAX;

	for (*texts = 0; i < w->n; i++) {
		const struct mention *m = &w->mention[i];

		if (!str_eq(m->word, w->mention[begin].word))
			break;
		*texts += m->text != last && group[m->text] == WORDS_NO_GROUP;
		last = m->text;
	}
	return i;
}

/* Where the run of the commonest word begins; w->n where none has two. */
static size_t find_commonest(const struct words *w, const size_t *group)
{
	size_t best = w->n, most = 1;

	for (size_t i = 0, next; i < w->n; i = next) {
		size_t texts;

		next = count_run(&texts, w, i, group);
		if (texts > most) {
			most = texts;
			best = i;
		}
	}
	return best;
}

size_t words_group(const struct words *w, size_t *group, size_t first,
		   const char **name, size_t max)
{
	size_t n = 0;

	if (w->n)
		qsort(w->mention, w->n, sizeof *w->mention, by_word);
	for (; n < max; n++) {
		size_t i = find_commonest(w, group);

		if (i == w->n)
			break;
		name[n] = w->mention[i].word;
		for (; i < w->n && str_eq(w->mention[i].word, name[n]); i++)
			if (group[w->mention[i].text] == WORDS_NO_GROUP)
				group[w->mention[i].text] = first + n;
	}
	return n;
}

void words_release(struct words *w)
{
	free(w->mention);
	*w = (struct words){0};
}
