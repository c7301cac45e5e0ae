#include "agent/prompt.h"

#include <inttypes.h>

#include "agent/figures.h"
#include "core/file.h"
#include "core/utf8.h"

/* The first message in all, and its parts. */
#define SECTION_MAX ((size_t)24 << 10)
#define ROWS_MAX    60
#define STORY_MAX   16

/* ---- the texts ----------------------------------------------------------- */

/* Of prompts_image.S: NAME NUL, TEXT NUL, and so on; an empty name ends it. */
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

enum word {
	WORD_TASK,
	WORD_MACHINE,
	WORD_STANDING,
	WORD_STORY,
	WORD_TRIED,
	WORD_DIRECTION,
	WORD_NOTES,
	WORD_TURNS,
	WORD_COUNT
};

static const char *const words[] = {
	[WORD_TASK] = "task",	      [WORD_MACHINE] = "machine",
	[WORD_STANDING] = "standing", [WORD_STORY] = "story",
	[WORD_TRIED] = "tried",	      [WORD_DIRECTION] = "direction",
	[WORD_NOTES] = "notes",	      [WORD_TURNS] = "turns",
};
_Static_assert(ARRAY_SIZE(words) == WORD_COUNT, "a name each");

/* The word of "{{word}}" at s and the length of all of it; WORD_COUNT for one
 * that is none. */
static enum word word_at(const char *s, size_t *len)
{
	const char *end = strstr(s, "}}");

	*len = end ? (size_t)(end - s) + 2 : 2;
	for (size_t i = 0; end && i < WORD_COUNT; i++)
		if (strlen(words[i]) == *len - 4 &&
		    memcmp(words[i], s + 2, *len - 4) == 0)
			return (enum word)i;
	return WORD_COUNT;
}

/* Only the first message has words in it. */
static struct error *check_words(const struct file_entry *f)
{
	bool first = str_eq(f->path, "step.md");
	size_t len;

	for (const char *p = f->data; (p = strstr(p, "{{")); p += len)
		if (word_at(p, &len) == WORD_COUNT || !first)
			return error_new(ERROR_TASK,
					 "the prompt %s: nothing stands for "
					 "'%.*s' there (`avogit evolve "
					 "--print-prompts DIR` writes avogit's "
					 "own)",
					 f->path, (int)MIN(len, (size_t)40), p);
	return NULL;
}

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

/* ---- what stands for them ------------------------------------------------ */

/* On one line, at most `max` bytes. */
static void add_line(struct buf *out, const char *text, size_t max)
{
	size_t begin = out->len;

	for (; *text && out->len - begin < max; text++)
		buf_addc(out, (unsigned char)*text < ' ' ? ' ' : *text);
	if (*text)
		buf_adds(out, "...");
}

static void add_standing(struct buf *out, const struct variation *v)
{
	const struct population *p = v->population;
	const struct attempt *champion = &p->attempt[p->champion];

	buf_adds(out, p->champion ? "The champion: "
				  : "Nothing has beaten the start yet: ");
	figures_add(out, p, champion, v->archive);
	if (champion == v->parent)
		return;
	buf_addf(out, "\nThe parent, which lineage %" PRId64 " goes on from: ",
		 v->lineage);
	figures_add(out, p, v->parent, v->archive);
}

/* From the start to the parent, oldest first; the steps in between of a long
 * way are left out. */
static void add_story(struct buf *out, const struct variation *v)
{
	const struct population *p = v->population;
	const struct attempt *way[STORY_MAX];
	const struct attempt *a = v->parent;
	size_t n = 0, left_out = 0;

	for (size_t i = 0; a && a->number && i < p->n; i++) {
		if (n < STORY_MAX)
			way[n++] = a;
		else
			left_out++;
		a = population_find(p, a->parent);
	}
	if (!n)
		buf_adds(out, "It is the start.\n");
	if (left_out)
		buf_addf(out, "(%zu earlier ones: lineage shows them)\n",
			 left_out);
	while (n-- > 0) {
		char speed[32];

		attempt_speed(speed, sizeof speed, way[n]);
		buf_addf(out, "#%" PRId64 " %s: ", way[n]->number, speed);
		add_line(out, way[n]->subject ? way[n]->subject : "", 120);
		if (way[n]->hypothesis) {
			buf_adds(out, "\n  why: ");
			add_line(out, way[n]->hypothesis, 400);
		}
		buf_addc(out, '\n');
	}
}

static void add_row(struct buf *out, const struct population *p,
		    const struct attempt *a)
{
	const struct attempt *parent = population_find(p, a->parent);
	const struct measurement *m = a->measurement;
	char speed[32];

	attempt_speed(speed, sizeof speed, a);
	buf_addf(out, "#%" PRId64, a->number);
	if (parent)
		buf_addf(out, " on #%" PRId64, parent->number);
	buf_addf(out, ", %s, %s of the start", attempt_outcome(p, a), speed);
	if (m && m->n_comparisons)
		buf_addf(out, ", %.4fx its rival", m->comparisons[0].ratio);
	buf_adds(out, ": ");
	add_line(out, a->subject ? a->subject : "", 120);
	if (m && m->why) {
		buf_adds(out, "; failed: ");
		add_line(out, m->why, 200);
	} else if (!a->accepted && a->hypothesis) {
		buf_adds(out, "; it was thought: ");
		add_line(out, a->hypothesis, 160);
	}
	buf_addc(out, '\n');
}

/* Newest first: those of this lineage before the others'. */
static void add_tried(struct buf *out, const struct variation *v)
{
	const struct population *p = v->population;
	size_t shown = 0;

	for (int other = 0; other < 2; other++)
		for (size_t i = p->n; i-- > 1 && shown < ROWS_MAX;) {
			const struct attempt *a = &p->attempt[i];

			if ((a->lineage != v->lineage) != (other == 1))
				continue;
			add_row(out, p, a);
			shown++;
		}
	if (p->n <= 1)
		buf_adds(out, "Nothing yet.\n");
	else if (shown < p->n - 1)
		buf_addf(out, "(%zu more: lineage shows them)\n",
			 p->n - 1 - shown);
}

static void add_word(struct buf *out, enum word word, const struct toolbox *box,
		     int64_t turns)
{
	const struct variation *v = box->v;
	struct evaluator *e = v->evaluator;

	if (word == WORD_TASK)
		toolbox_brief(out, box);
	else if (word == WORD_MACHINE)
		buf_adds(out, e->machine_name(e));
	else if (word == WORD_STANDING)
		add_standing(out, v);
	else if (word == WORD_STORY)
		add_story(out, v);
	else if (word == WORD_TRIED)
		add_tried(out, v);
	else if (word == WORD_DIRECTION)
		buf_adds(out, v->direction ? v->direction
					   : "None: it is yours to choose.");
	else if (word == WORD_NOTES)
		buf_adds(out, box->notes && box->notes->text.len
				      ? box->notes->text.data
				      : "None yet.");
	else
		buf_addf(out, "%" PRId64, turns);
}

void prompt_first(struct buf *out, const struct fileset *own,
		  const struct toolbox *box, int64_t turns)
{
	const char *p = prompt_text(own, "step.md");
	size_t len;

	for (const char *next; (next = strstr(p, "{{")); p = next + len) {
		cleanup_buf struct buf section = BUF_INIT(SECTION_MAX);
		enum word word = word_at(next, &len);

		buf_add(out, p, (size_t)(next - p));
		if (word == WORD_COUNT)
			continue;
		add_word(&section, word, box, turns);
		buf_trim_end(&section);
		buf_adds(out, section.data);
		if (section.truncated)
			buf_adds(out, "\n(cut here: lineage and show have it)");
	}
	buf_adds(out, p);
}
