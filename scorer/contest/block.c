#include "scorer/contest/block.h"

#include <math.h>

#include "core/base/clock.h"
#include "scorer/contest/gpu_contest.h"
#include "scorer/contest/kept_launches.h"
#include "scorer/contest/series.h"
#include "scorer/host/launch.h"

#define CHECK_FLOOR    0.0005 /* seconds that it may cost at least */
#define CHECK_SHARE    0.1    /* reference: share of the launches' time */
#define FIXED_LAUNCHES 5      /* of a case, before it is timed */

static struct arm *arm_of(const struct block *b, size_t slot)
{
	const struct contest *c = b->contest;

	return b->slot[slot] == SLOT_TWIN ? c->twin
					  : c->contender[b->slot[slot]].arm;
}

size_t block_contender(const struct block *b, size_t slot)
{
	return b->slot[slot] == SLOT_TWIN ? b->contest->twin_of : b->slot[slot];
}

size_t block_slots(const struct block *b)
{
	return b->n + b->blank;
}

static struct error *attribute(struct score_outcome *o,
			       struct score_outcome *one, const struct block *b,
			       size_t slot)
{
	return contest_attribute(o, one, b->contest, block_contender(b, slot),
				 b->contest->sc->task->cases[b->which].name);
}

/* Lets the arms prepare from the static inputs, untimed. */
static struct error *prepare_all(struct score_outcome *o, struct block *b,
				 const struct input_set *s)
{
	struct score_outcome one[BLOCK_MAX_SLOTS];
	struct arm *arm[BLOCK_MAX_SLOTS];
	struct error *err;

	for (size_t i = 0; i < b->n; i++) {
		one[i] = (struct score_outcome)SCORE_OUTCOME_INIT;
		arm[i] = arm_of(b, i);
	}
	err = scoring_prepare(one, b->contest->sc, s, arm, b->n);
	for (size_t i = 0; i < b->n; i++) {
		if (!err && o->verdict == VERDICT_PASS)
			err = attribute(o, &one[i], b, i);
		score_outcome_release(&one[i]);
	}
	return err;
}

static struct error *open_all(struct block *b, const struct input_set *s,
			      struct buffers *buffers)
{
	struct scoring *sc = b->contest->sc;

	for (size_t i = 0; i < block_slots(b); i++)
		TRY(buffers_open(&buffers[i], s, &sc->secret, &sc->layout));
	return NULL;
}

/* A launch that calls nothing: what it takes is fixed. */
static struct error *launch_blank(struct contest *c, size_t which,
				  const struct input_set *s, struct buffers *b)
{
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	double seconds = 0;

	TRY(launch_timed(&seconds, &o, c->blank, c->sc->judge, s, b));
	if (o.verdict != VERDICT_PASS)
		return error_new(ERROR_SYSTEM,
				 "a launch that calls nothing failed: %s",
				 o.why);
	samples_add(&c->fixed[which],
		    seconds / series_launches(&s->series, s->call.batch));
	return NULL;
}

static struct error *launch_slot(struct score_outcome *o, struct block *b,
				 const struct input_set *s,
				 struct buffers *buffers, size_t slot)
{
	struct contest *c = b->contest;
	cleanup_score_outcome struct score_outcome one = SCORE_OUTCOME_INIT;
	double seconds = 0;

	TRY(launch_timed(&seconds, &one, arm_of(b, slot), c->sc->judge, s,
			 buffers));
	c->sc->seconds_timed += seconds;
	b->seconds[slot] = seconds / series_launches(&s->series, s->call.batch);
	return attribute(o, &one, b, slot);
}

static struct error *launch_all(struct score_outcome *o, struct block *b,
				const struct input_set *s,
				struct buffers *buffers, const size_t *order)
{
	for (size_t i = 0; i < block_slots(b) && o->verdict == VERDICT_PASS;
	     i++) {
		size_t slot = order[i];

		if (slot == b->n)
			TRY(launch_blank(b->contest, b->which, s,
					 &buffers[slot]));
		else
			TRY(launch_slot(o, b, s, &buffers[slot], slot));
		buffers_unmap(&buffers[slot]);
	}
	return NULL;
}

/* Finds the arm whose outputs are the most unlike the candidate's. */
static struct error *look_for_unlike(struct unlike *out, struct block *b,
				     const struct input_set *s,
				     const struct buffers *buffers,
				     uint32_t index)
{
	struct scoring *sc = b->contest->sc;
	int64_t tile = check_tile_rows(&s->call.layout);

	*out = (struct unlike){0};
	for (size_t i = 1; i < b->n; i++) {
		struct likeness_reply l;

		TRY(judge_unlike(&l, sc->judge, s, buffers[0].capture,
				 buffers[i].capture, index, tile));
		if (l.most > out->most)
			*out = (struct unlike){l.most, l.rows, i};
	}
	return NULL;
}

/* The candidate's log seconds, less its rival's on the same inputs, since some
 * inputs are less work than others. */
static double pace(const struct block *b)
{
	bool rival = b->n > 1 && b->slot[1] != SLOT_TWIN;

	return log(b->seconds[0]) - (rival ? log(b->seconds[1]) : 0);
}

/* Puts the launch into the entries that want it: the candidate's outputs, and
 * those of the contender they are compared with, since a champion can be wrong
 * too. */
static struct error *keep(struct block *b, const struct input_set *s,
			  const struct buffers *buffers, uint32_t index,
			  const struct unlike *unlike)
{
	struct contest *c = b->contest;
	cleanup_free size_t *entry = xcalloc(c->kept.entries, sizeof *entry);
	size_t n = kept_launches_choose(entry, &c->kept, b->which, pace(b),
					unlike->most, &c->sc->secret);

	for (size_t i = 0; i < n; i++) {
		size_t other = entry[i] == KEPT_UNLIKE ? unlike->slot : 1;
		struct kept_launch *l = kept_launches_put(
			&c->kept, b->which, entry[i], s, index, unlike);

		TRY(buffers_keep(&l->capture, &buffers[0]));
		if (other >= b->n)
			continue;
		l->who = block_contender(b, other);
		TRY(buffers_keep(&l->other, &buffers[other]));
	}
	return NULL;
}

static double seconds_of_all(const struct block *b, const struct input_set *s)
{
	double sum = 0;

	for (size_t i = 0; i < b->n; i++)
		sum += b->seconds[i] *
		       series_launches(&s->series, s->call.batch);
	return sum;
}

/* One of the images that were launched. */
static uint32_t draw_image(const struct block *b, const struct input_set *s)
{
	uint32_t n = series_launches(&s->series, s->call.batch);
	uint32_t k = (uint32_t)secret_below(&b->contest->sc->secret, n);

	return s->series.n ? s->series.image[k] : k;
}

/* Checks guards and unwritten elements of every launch; values only if
 * check_draw says so, of rows that cost a share of the launches' time. */
static struct error *check_all(struct score_outcome *o, struct block *b,
			       const struct input_set *s,
			       struct buffers *buffers)
{
	struct contest *c = b->contest;
	struct scoring *sc = c->sc;
	const struct task_case *tc = &sc->task->cases[b->which];
	struct reference_cost *cost = &c->cost[b->which];
	double budget = MAX(CHECK_SHARE * seconds_of_all(b, s), CHECK_FLOOR);
	uint32_t index = draw_image(b, s);
	bool values = check_draw(sc, &s->call.layout, cost, budget);
	struct unlike unlike;

	TRY(look_for_unlike(&unlike, b, s, buffers, index));
	if (values)
		TRY(check_reference(sc, s, cost, index, budget, &unlike.rows));
	for (size_t i = 0; i < b->n && o->verdict == VERDICT_PASS; i++) {
		cleanup_score_outcome struct score_outcome one =
			SCORE_OUTCOME_INIT;
		double worst = 0;

		TRY(check_outputs(&one, &worst, sc, s, &buffers[i], index,
				  values, tc->name));
		if (b->slot[i] == 0)
			c->case_error[b->which] =
				MAX(c->case_error[b->which], worst);
		TRY(attribute(o, &one, b, i));
	}
	if (o->verdict != VERDICT_PASS || b->untimed || b->single)
		return NULL;
	return keep(b, s, buffers, index, &unlike);
}

static struct error *half(struct score_outcome *o, struct block *b,
			  struct buffers *buffers, const size_t *order)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct scoring *sc = b->contest->sc;

	TRY(series_set(&s, b->contest, b->which, timed_fill(&sc->secret),
		       b->single));
	TRY(judge_fill(sc->judge, &s));
	TRY(prepare_all(o, b, &s));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(open_all(b, &s, buffers));
	TRY(launch_all(o, b, &s, buffers, order));
	return o->verdict == VERDICT_PASS ? check_all(o, b, &s, buffers) : NULL;
}

struct error *block_half(struct score_outcome *o, struct block *b,
			 const size_t *order)
{
	/* Too big for the stack, whose memory is never given back. */
	cleanup_free struct buffers *buffers = NULL;
	struct error *err;

	if (b->contest->gpu)
		return gpu_contest_half(o, b->contest->gpu, b, order);
	buffers = xcalloc(block_slots(b), sizeof *buffers);
	for (size_t i = 0; i < block_slots(b); i++)
		buffers[i] = (struct buffers){
			.inputs = -1, .outputs = -1, .capture = -1};
	err = half(o, b, buffers, order);
	for (size_t i = 0; i < block_slots(b); i++)
		buffers_release(&buffers[i]);
	return err;
}

/* Compares the copy of one contender's outputs with the last reference. */
static struct error *check_copy(struct score_outcome *o, struct contest *c,
				size_t which, const struct kept_launch *l,
				size_t contender, int capture)
{
	const struct task *t = c->sc->task;
	const char *name = t->cases[which].name;
	cleanup_score_outcome struct score_outcome one = SCORE_OUTCOME_INIT;
	double worst = 0;
	struct judge_answer a;

	if (capture < 0 || o->verdict != VERDICT_PASS)
		return NULL;
	TRY(judge_compare_kept(&a, c->sc->judge, &l->set, capture, l->index));
	check_tell(&one, &worst, t, &l->set, &a, name);
	if (contender == 0)
		c->case_error[which] = MAX(c->case_error[which], worst);
	return contest_attribute(o, &one, c, contender, name);
}

static struct error *check_launch(struct score_outcome *o, struct contest *c,
				  size_t which, size_t entry)
{
	struct kept_launch *l = &c->kept.of[which].launch[entry];
	const struct layout *layout = &l->set.call.layout;
	struct selection what = {.index = l->index};

	if (!l->number || kept_launches_was_checked(&c->kept, which, entry))
		return NULL;
	if (!l->whole && entry == KEPT_UNLIKE)
		check_select_only(&what, c->sc->task, layout, &l->unlike.rows);
	else if (!l->whole)
		check_select(&what, c->sc, layout,
			     PROTOCOL_SEGMENTS * check_tile_rows(layout));
	TRY(judge_fill(c->sc->judge, &l->set));
	TRY(judge_reference(c->sc->judge, &l->set, &what));
	TRY(check_copy(o, c, which, l, 0, l->capture));
	TRY(check_copy(o, c, which, l, l->who, l->other));
	set_release(&l->set);
	l->checked = true;
	return NULL;
}

static struct error *check_entries(struct score_outcome *o, struct contest *c,
				   bool whole)
{
	const struct kept_launches *k = &c->kept;

	for (size_t which = 0; which < k->n_cases; which++)
		for (size_t entry = 0; entry < k->entries; entry++) {
			if (o->verdict != VERDICT_PASS)
				return NULL;
			if (k->of[which].launch[entry].whole == whole)
				TRY(check_launch(o, c, which, entry));
		}
	return NULL;
}

/* Checks whole launches first: the same launch may be in two entries. */
struct error *block_check_kept(struct score_outcome *o, struct contest *c)
{
	struct kept_launches *k = &c->kept;

	if (c->gpu)
		return NULL;
	kept_launches_draw_whole(k, c->sc->task->check,
				 !c->sc->task->reference_rows, &c->sc->secret);
	TRY(check_entries(o, c, true));
	return check_entries(o, c, false);
}

/* One launch of the arm that calls nothing. */
static struct error *blank_launch(struct contest *c, size_t which)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	cleanup_buffers struct buffers b = {
		.inputs = -1, .outputs = -1, .capture = -1};
	struct scoring *sc = c->sc;

	TRY(series_set(&s, c, which, FILL_NORMAL, false));
	TRY(judge_fill(sc->judge, &s));
	TRY(buffers_open(&b, &s, &sc->secret, &sc->layout));
	return launch_blank(c, which, &s, &b);
}

struct error *block_fixed(struct contest *c, size_t which)
{
	for (size_t i = 0; i < FIXED_LAUNCHES; i++)
		TRY(blank_launch(c, which));
	return NULL;
}
