/* The text for each word of the prompts: a run in words and figures. */
#include <inttypes.h>
#include <math.h>

#include "agent/tools/figures.h"
#include "agent/llm/prompt_internal.h"
#include "core/run/branching.h"
#include "core/run/outcome.h"
#include "core/base/text.h"

#define ROWS_MAX       60
#define STORY_MAX      16
#define CANDIDATES_MAX 200

/* Adds the text on one line, at most `max` bytes. */
static void add_line(struct buf *out, const char *text, size_t max)
{
	size_t len = text_cut(text, max);

	text_add_line(out, text, len);
	if (text[len])
		buf_adds(out, "...");
}

static void add_champion(struct buf *out, const struct population *p,
			 struct archive *archive)
{
	buf_adds(out, p->champion ? "The champion: "
				  : "Nothing has beaten the start yet: ");
	figures_add(out, p, &p->attempt[p->champion], archive);
}

static void add_standing(struct buf *out, const struct variation *v)
{
	const struct population *p = v->population;

	add_champion(out, p, v->archive);
	if (&p->attempt[p->champion] == variation_parent(v))
		return;
	buf_addf(out, "\nThe parent, which lineage %" PRId64 " goes on from: ",
		 v->lineage);
	figures_add(out, p, variation_parent(v), v->archive);
}

/* The path from the start to the parent, oldest first; of a long path only the
 * newest STORY_MAX steps. */
static void add_story(struct buf *out, const struct variation *v)
{
	const struct population *p = v->population;
	const struct attempt *way[STORY_MAX];
	const struct attempt *a = variation_parent(v);
	size_t n = 0, left_out = 0;

	for (size_t i = 0; a && a->number && i < p->n; i++) {
		if (n < STORY_MAX)
			way[n++] = a;
		else
			left_out++;
		a = population_find(p, a->parent.hex);
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
	const struct attempt *parent = population_find(p, a->parent.hex);
	const struct measurement *m = a->measurement;
	const struct comparison *rival = m ? measurement_decisive(m) : NULL;
	char speed[32];

	attempt_speed(speed, sizeof speed, a);
	buf_addf(out, "#%" PRId64, a->number);
	if (parent)
		buf_addf(out, " on #%" PRId64, parent->number);
	buf_addf(out, ", %s", attempt_outcome_name(p, a));
	if (isfinite(a->gain))
		buf_addf(out, ", %s", speed);
	if (rival)
		buf_addf(out, ", %.4fx its rival", rival->ratio);
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

/* Newest first; attempts of this lineage come before the others. */
static void add_tried(struct buf *out, const struct population *p,
		      int64_t lineage)
{
	size_t shown = 0;

	for (int other = 0; other < 2; other++)
		for (size_t i = p->n; i-- > 1 && shown < ROWS_MAX;) {
			const struct attempt *a = &p->attempt[i];

			if ((a->lineage != lineage) != (other == 1))
				continue;
			add_row(out, p, a);
			shown++;
		}
	if (p->n <= 1)
		buf_adds(out, "Nothing yet.\n");
	else if (shown < p->n - 1)
		buf_addf(out, "(%zu earlier ones)\n", p->n - 1 - shown);
}

/* ---- a step -------------------------------------------------------------- */

struct step_view {
	const struct toolbox *box;
	int64_t turns;
	const char *evidence;
};

static void step_section(struct buf *out, enum prompt_word word, const void *of)
{
	const struct step_view *s = of;
	const struct variation *v = s->box->v;
	const struct notes *notes = s->box->notes;

	if (word == WORD_TASK)
		buf_addf(out, "workspace: %s\n", s->box->shown);
	if (word == WORD_TASK)
		task_brief(out, v->task);
	else if (word == WORD_MACHINE)
		toolbox_machine(out, v);
	else if (word == WORD_LEFT)
		toolbox_left(out, v);
	else if (word == WORD_EVIDENCE)
		buf_adds(out, s->evidence ? s->evidence : "");
	else if (word == WORD_STANDING)
		add_standing(out, v);
	else if (word == WORD_STORY)
		add_story(out, v);
	else if (word == WORD_TRIED)
		add_tried(out, v->population, v->lineage);
	else if (word == WORD_DIRECTION)
		buf_adds(out, v->direction ? v->direction
					   : "None: it is yours to choose.");
	else if (word == WORD_NOTES)
		buf_adds(out, notes && notes->text.len ? notes->text.data
						       : "None yet.");
	else
		buf_addf(out, "%" PRId64, s->turns);
}

void prompt_first(struct buf *out, const struct fileset *own, const char *name,
		  const struct toolbox *box, int64_t turns,
		  const char *evidence)
{
	const struct step_view view = {box, turns, evidence};

	prompt_expand(out, prompt_text(own, name), step_section, &view);
}

/* ---- a review ------------------------------------------------------------ */

static void add_candidate(struct buf *out, const struct population *p,
			  const struct attempt *a)
{
	const struct attempt *parent = population_find(p, a->parent.hex);
	char speed[32];

	attempt_speed(speed, sizeof speed, a);
	buf_addf(out, "#%" PRId64, a->number);
	if (parent)
		buf_addf(out, " on #%" PRId64 ", lineage %" PRId64,
			 parent->number, a->lineage);
	buf_addf(out, ", %s, %s of the start: ", attempt_outcome_name(p, a),
		 speed);
	add_line(out, a->subject ? a->subject : "the kernel as it was", 120);
	if (a->hypothesis) {
		buf_adds(out, "; why: ");
		add_line(out, a->hypothesis, 240);
	}
	buf_addc(out, '\n');
}

/* The attempts where a lineage can begin, newest first, then the start. */
static void add_candidates(struct buf *out, const struct population *p)
{
	size_t shown = 0;

	for (size_t i = p->n; i-- > 1 && shown < CANDIDATES_MAX;)
		if (branching_allowed(p, i)) {
			add_candidate(out, p, &p->attempt[i]);
			shown++;
		}
	add_candidate(out, p, &p->attempt[0]);
}

static void review_section(struct buf *out, enum prompt_word word,
			   const void *of)
{
	const struct question *q = of;
	const struct population *p = q->now->population;

	if (word == WORD_TASK)
		task_brief(out, q->now->task);
	else if (word == WORD_MACHINE)
		buf_adds(out, p->record.machine_name);
	else if (word == WORD_STANDING)
		add_champion(out, p, q->now->archive);
	else if (word == WORD_TRIED)
		add_tried(out, p, p->attempt[p->n - 1].lineage);
	else if (word == WORD_TROUBLE)
		buf_adds(out, q->trouble);
	else if (word == WORD_REVIEW)
		buf_adds(out, q->review);
	else
		add_candidates(out, p);
}

void prompt_review(struct buf *out, const struct fileset *own,
		   const struct question *q)
{
	prompt_expand(out, prompt_text(own, "review.md"), review_section, q);
}
