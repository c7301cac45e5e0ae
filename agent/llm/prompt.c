#include "agent/llm/prompt_internal.h"

#include "core/base/file.h"
#include "core/base/utf8.h"

/* Largest section in a message, in bytes. */
#define SECTION_MAX ((size_t)24 << 10)

/* ---- the texts ----------------------------------------------------------- */

/* Data of prompts_image.S: NAME NUL, TEXT NUL, and so on up to an empty
 * name. */
extern const char prompts_image[];

static const char *carried(const char *name)
{
	for (const char *p = prompts_image; *p;) {
		const char *text = p + strlen(p) + 1;

		if (str_eq(p, name))
			return text;
		p = text + strlen(text) + 1;
	}
	return NULL;
}

const char *prompt_text(const struct fileset *own, const char *name)
{
	const struct file_entry *f = fileset_get(own, name);

	return f ? f->data : carried(name);
}

struct error *prompts_write(const char *dir)
{
	TRY(dir_make(dir));
	for (const char *p = prompts_image; *p;) {
		const char *text = p + strlen(p) + 1;
		cleanup_free char *path = xasprintf("%s/%s", dir, p);

		TRY(file_write(path, text, strlen(text), false));
		p = text + strlen(text) + 1;
	}
	return NULL;
}

/* ---- words --------------------------------------------------------------- */

/* In which messages a word can be. */
enum { IN_STEP = 1, IN_REVIEW = 2, IN_ROLE = 4 };

static const struct {
	const char *name;
	unsigned in;
} words[] = {
	[WORD_TASK] = {"task", IN_STEP | IN_REVIEW | IN_ROLE},
	[WORD_MACHINE] = {"machine", IN_STEP | IN_REVIEW | IN_ROLE},
	[WORD_STANDING] = {"standing", IN_STEP | IN_REVIEW | IN_ROLE},
	[WORD_STORY] = {"story", IN_STEP | IN_ROLE},
	[WORD_TRIED] = {"tried", IN_STEP | IN_REVIEW | IN_ROLE},
	[WORD_DIRECTION] = {"direction", IN_STEP | IN_ROLE},
	[WORD_NOTES] = {"notes", IN_STEP | IN_ROLE},
	[WORD_TURNS] = {"turns", IN_STEP | IN_ROLE},
	[WORD_LEFT] = {"left", IN_STEP | IN_ROLE},
	[WORD_EVIDENCE] = {"evidence", IN_ROLE},
	[WORD_TROUBLE] = {"trouble", IN_REVIEW},
	[WORD_REVIEW] = {"review", IN_REVIEW},
	[WORD_CANDIDATES] = {"candidates", IN_REVIEW},
};
_Static_assert(ARRAY_SIZE(words) == WORD_COUNT, "a name each");

/* Finds the word of "{{word}}" at s, WORD_COUNT if unknown, and the length of
 * the whole. */
static enum prompt_word word_at(const char *s, size_t *len)
{
	const char *end = strstr(s, "}}");

	*len = end ? (size_t)(end - s) + 2 : 2;
	for (size_t i = 0; end && i < WORD_COUNT; i++)
		if (strlen(words[i].name) == *len - 4 &&
		    memcmp(words[i].name, s + 2, *len - 4) == 0)
			return (enum prompt_word)i;
	return WORD_COUNT;
}

/* Only first messages can have words: the role texts must be the same in every
 * conversation so that providers cache them. */
static const struct {
	const char *name;
	unsigned is;
} firsts[] = {
	{"step.md", IN_STEP},	     {"review.md", IN_REVIEW},
	{"plan.md", IN_ROLE},	     {"debug.md", IN_ROLE},
	{"diff-review.md", IN_ROLE}, {"sweep.md", IN_ROLE},
};

static bool has_word(const char *name, enum prompt_word word)
{
	for (size_t i = 0; word != WORD_COUNT && i < ARRAY_SIZE(firsts); i++)
		if (str_eq(name, firsts[i].name))
			return words[word].in & firsts[i].is;
	return false;
}

static struct error *check_words(const struct file_entry *f)
{
	size_t len;

	for (const char *p = f->data; (p = strstr(p, "{{")); p += len)
		if (!has_word(f->path, word_at(p, &len)))
			return error_new(ERROR_TASK,
					 "the prompt %s: nothing stands for "
					 "'%.*s' there (`avogit evolve "
					 "--print-prompts DIR` writes avogit's "
					 "own)",
					 f->path, (int)MIN(len, (size_t)40), p);
	return NULL;
}

void prompt_expand(struct buf *out, const char *text, prompt_section *section,
		   const void *of)
{
	size_t len;

	for (const char *next; (next = strstr(text, "{{")); text = next + len) {
		cleanup_buf struct buf words_of = BUF_INIT(SECTION_MAX);
		enum prompt_word word = word_at(next, &len);

		buf_add(out, text, (size_t)(next - text));
		if (word == WORD_COUNT)
			continue;
		section(&words_of, word, of);
		buf_trim_end(&words_of);
		buf_adds(out, words_of.data);
		if (words_of.truncated)
			buf_adds(out, "\n(cut here)");
	}
	buf_adds(out, text);
}

/* ---- checking ------------------------------------------------------------- */

static struct error *check_text(const struct file_entry *f)
{
	cleanup_buf struct buf clean = BUF_INIT(PROMPT_MAX * 4);

	if (f->len > PROMPT_MAX)
		return error_new(ERROR_TASK,
				 "the prompt %s is longer than %zu KiB",
				 f->path, PROMPT_MAX >> 10);
	utf8_add_clean(&clean, f->data, f->len);
	if (clean.len != f->len || memcmp(clean.data, f->data, f->len) != 0)
		return error_new(ERROR_TASK, "the prompt %s is no UTF-8 text",
				 f->path);
	return check_words(f);
}

struct error *prompts_check(const struct fileset *own)
{
	for (size_t i = 0; i < own->n; i++) {
		const struct file_entry *f = &own->file[i];

		if (!carried(f->path))
			return error_new(ERROR_TASK,
					 "there is no prompt called %s "
					 "(`avogit evolve --print-prompts DIR` "
					 "writes those there are)",
					 f->path);
		TRY(check_text(f));
	}
	return NULL;
}
