#include "agent/knowledge/query.h"

#include <ctype.h>

#include "core/base/strvec.h"

#define MAX_WORDS  24
#define MAX_WORD   100
#define MIN_PREFIX 3

static const char *const common[] = {
	"a",	  "an",	   "and",   "are", "as",   "at",  "be",	  "by",
	"can",	  "do",	   "does",  "for", "from", "how", "i",	  "if",
	"in",	  "is",	   "it",    "me",  "my",   "of",  "on",	  "or",
	"should", "so",	   "that",  "the", "this", "to",  "use",  "what",
	"when",	  "where", "which", "why", "with", "you", "your",
};

/* Letters and digits, in UTF-8 whatever is not ASCII. */
static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || (c & 0x80);
}

static bool is_part_of_word(char c)
{
	return is_letter(c) || (c && strchr("_.:/+-%#", c));
}

static bool is_common(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		if (strcasecmp(word, common[i]) == 0)
			return true;
	return false;
}

static void split(struct strvec *out, const char *text, bool (*belongs)(char),
		  bool with_common)
{
	for (const char *s = text; *s && out->n < MAX_WORDS;) {
		size_t len = 0, skip = 0;

		while (*s && !belongs(*s))
			s++;
		while (s[len] && belongs(s[len]))
			len++;
		while (skip < len && !is_letter(s[skip]))
			skip++;
		if (skip < len) {
			cleanup_free char *word = NULL;
			size_t end = len;

			while (!is_letter(s[end - 1]))
				end--;
			word = xstrndup(s + skip, MIN(end - skip, MAX_WORD));
			if (with_common || !is_common(word))
				strvec_push(out, word);
		}
		s += len;
	}
}

/* No word holds a quote, so nothing ends this one early. */
static void add_term(struct buf *out, const char *between, const char *word,
		     bool prefix)
{
	buf_addf(out, "%s\"%s\"%s", out->len ? between : "", word,
		 prefix && strlen(word) >= MIN_PREFIX ? " *" : "");
}

void knowledge_query_init(struct knowledge_query *q, const char *text)
{
	cleanup_strvec struct strvec words = STRVEC_INIT;

	buf_init(&q->all, BUF_LIMIT_TEXT);
	buf_init(&q->any, BUF_LIMIT_TEXT);
	split(&words, text, is_part_of_word, false);
	if (!words.n)
		split(&words, text, is_part_of_word, true);
	for (size_t i = 0; i < words.n; i++) {
		cleanup_strvec struct strvec parts = STRVEC_INIT;
		bool last = i + 1 == words.n;

		add_term(&q->all, " AND ", words.v[i], last);
		add_term(&q->any, " OR ", words.v[i], last);
		split(&parts, words.v[i], is_letter, false);
		for (size_t j = 0; parts.n > 1 && j < parts.n; j++)
			add_term(&q->any, " OR ", parts.v[j], false);
	}
}

void knowledge_query_release(struct knowledge_query *q)
{
	buf_release(&q->all);
	buf_release(&q->any);
}
