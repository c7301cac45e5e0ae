#include "scorer/contest/half.h"

#include <math.h>

#include "core/base/clock.h"
#include "scorer/contest/alone.h"
#include "scorer/contest/gpu_contest.h"
#include "scorer/contest/kept_launches.h"
#include "scorer/contest/series.h"
#include "scorer/host/launch.h"

#define CHECK_FLOOR    0.0005 /* seconds that it may cost at least */
#define CHECK_SHARE    0.1    /* reference: share of the launches' time */
#define FIXED_LAUNCHES 5      /* of a case, before it is timed */

static struct arm *arm_of(const struct half *h, size_t slot)
{
	const struct contest *c = h->contest;

	return h->slot[slot] == SLOT_TWIN ? c->twin
					  : c->contender[h->slot[slot]].arm;
}

size_t half_contender(const struct half *h, size_t slot)
{
	return h->slot[slot] == SLOT_TWIN ? h->contest->twin_of : h->slot[slot];
}

size_t half_slots(const struct half *h)
{
	return h->n + h->blank;
}

static struct error *attribute(struct score_outcome *o,
			       struct score_outcome *one, const struct half *h,
			       size_t slot)
{
	return contest_attribute(o, one, h->contest, half_contender(h, slot),
				 h->contest->sc->task->cases[h->which].name);
}

/* Lets the arms prepare from the static inputs, untimed. */
static struct error *prepare_all(struct score_outcome *o, struct half *h,
				 const struct input_set *s)
{
	struct score_outcome one[HALF_MAX_SLOTS];
	struct arm *arm[HALF_MAX_SLOTS];
	struct error *err;

	for (size_t i = 0; i < h->n; i++) {
		one[i] = (struct score_outcome)SCORE_OUTCOME_INIT;
		arm[i] = arm_of(h, i);
	}
	err = scoring_prepare(one, h->contest->sc, s, arm, h->n);
	for (size_t i = 0; i < h->n; i++) {
		if (!err && o->verdict == VERDICT_PASS)
			err = attribute(o, &one[i], h, i);
		score_outcome_release(&one[i]);
	}
	return err;
}

static struct error *open_all(struct half *h, const struct input_set *s,
			      struct buffers *buffers)
{
	struct scoring *sc = h->contest->sc;

	for (size_t i = 0; i < half_slots(h); i++)
		TRY(buffers_open(&buffers[i], s, &sc->secret, &sc->layout));
	return NULL;
}

/* A launch that calls nothing: what it takes is fixed. */
static struct error *launch_blank(struct contest *c, struct arm *blank,
				  struct samples *fixed,
				  const struct input_set *s, struct buffers *h)
{
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	double seconds = 0;

	TRY(launch_timed(&seconds, &o, blank, c->sc->judge, s, h));
	if (o.verdict != VERDICT_PASS)
		return error_new(ERROR_SYSTEM,
				 "a launch that calls nothing failed: %s",
				 o.why);
	samples_add(fixed,
		    seconds / series_launches(&s->series, s->call.batch));
	return NULL;
}

static struct error *launch_slot(struct score_outcome *o, struct half *h,
				 const struct input_set *s,
				 struct buffers *buffers, size_t slot)
{
	struct contest *c = h->contest;
	cleanup_score_outcome struct score_outcome one = SCORE_OUTCOME_INIT;
	double seconds = 0;

	TRY(launch_timed(&seconds, &one, arm_of(h, slot), c->sc->judge, s,
			 buffers));
	c->sc->seconds_timed += seconds;
	h->seconds[slot] = seconds / series_launches(&s->series, s->call.batch);
	return attribute(o, &one, h, slot);
}

static struct error *launch_all(struct score_outcome *o, struct half *h,
				const struct input_set *s,
				struct buffers *buffers, const size_t *order)
{
	struct contest *c = h->contest;

	for (size_t i = 0; i < half_slots(h) && o->verdict == VERDICT_PASS;
	     i++) {
		size_t slot = order[i];

		if (slot == h->n)
			TRY(launch_blank(c, c->blank, &c->fixed[h->which], s,
					 &buffers[slot]));
		else
			TRY(launch_slot(o, h, s, &buffers[slot], slot));
		buffers_unmap(&buffers[slot]);
	}
	return NULL;
}

/* Finds the arm whose outputs are the most unlike the candidate's. */
static struct error *look_for_unlike(struct unlike *out, struct half *h,
				     const struct input_set *s,
				     const struct buffers *buffers,
				     uint32_t index)
{
	struct scoring *sc = h->contest->sc;
	int64_t tile = check_tile_rows(&s->call.layout);

	*out = (struct unlike){0};
	for (size_t i = 1; i < h->n; i++) {
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
static double pace(const struct half *h)
{
	bool rival = h->n > 1 && h->slot[1] != SLOT_TWIN;

	return log(h->seconds[0]) - (rival ? log(h->seconds[1]) : 0);
}

/* Puts the launch into the entries that want it: the candidate's outputs, and
 * those of the contender they are compared with, since a champion can be wrong
 * too. */
static struct error *keep(struct half *h, const struct input_set *s,
			  const struct buffers *buffers, uint32_t index,
			  const struct unlike *unlike)
{
	struct contest *c = h->contest;
	cleanup_free size_t *entry = xcalloc(c->kept.entries, sizeof *entry);
	size_t n = kept_launches_choose(entry, &c->kept, h->which, pace(h),
					unlike->most, &c->sc->secret);

	for (size_t i = 0; i < n; i++) {
		size_t other = entry[i] == KEPT_UNLIKE ? unlike->slot : 1;
		struct kept_launch *l = kept_launches_put(
			&c->kept, h->which, entry[i], s, index, unlike);

		TRY(buffers_keep(&l->capture, &buffers[0]));
		if (other >= h->n)
			continue;
		l->who = half_contender(h, other);
		TRY(buffers_keep(&l->other, &buffers[other]));
	}
	return NULL;
}

static double seconds_of_all(const struct half *h, const struct input_set *s)
{
	double sum = 0;

	for (size_t i = 0; i < h->n; i++)
		sum += h->seconds[i] *
		       series_launches(&s->series, s->call.batch);
	return sum;
}

/* One of the images that were launched. */
static uint32_t draw_image(const struct half *h, const struct input_set *s)
{
	uint32_t n = series_launches(&s->series, s->call.batch);
	uint32_t k = (uint32_t)secret_below(&h->contest->sc->secret, n);

	return s->series.n ? s->series.image[k] : k;
}

/* Checks guards and unwritten elements of every launch; values only if
 * check_draw says so, of rows that cost a share of the launches' time. */
static struct error *check_all(struct score_outcome *o, struct half *h,
			       const struct input_set *s,
			       struct buffers *buffers)
{
	struct contest *c = h->contest;
	struct scoring *sc = c->sc;
	const struct task_case *tc = &sc->task->cases[h->which];
	struct reference_cost *cost = &c->cost[h->which];
	double budget = MAX(CHECK_SHARE * seconds_of_all(h, s), CHECK_FLOOR);
	uint32_t index = draw_image(h, s);
	bool values = check_draw(sc, &s->call.layout, cost, budget);
	struct unlike unlike;

	TRY(look_for_unlike(&unlike, h, s, buffers, index));
	if (values)
		TRY(check_reference(sc, s, cost, index, budget, &unlike.rows));
	for (size_t i = 0; i < h->n && o->verdict == VERDICT_PASS; i++) {
		cleanup_score_outcome struct score_outcome one =
			SCORE_OUTCOME_INIT;
		double worst = 0;

		TRY(check_outputs(&one, &worst, sc, s, &buffers[i], index,
				  values, tc->name));
		if (h->slot[i] == 0)
			c->case_error[h->which] =
				MAX(c->case_error[h->which], worst);
		TRY(attribute(o, &one, h, i));
	}
	if (o->verdict != VERDICT_PASS || h->untimed || h->single)
		return NULL;
	return keep(h, s, buffers, index, &unlike);
}

static struct error *half(struct score_outcome *o, struct half *h,
			  struct buffers *buffers, const size_t *order)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct scoring *sc = h->contest->sc;

	TRY(series_set(&s, h->contest, h->which, timed_fill(&sc->secret),
		       h->single));
	TRY(judge_fill(sc->judge, &s));
	TRY(prepare_all(o, h, &s));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(open_all(h, &s, buffers));
	TRY(launch_all(o, h, &s, buffers, order));
	return o->verdict == VERDICT_PASS ? check_all(o, h, &s, buffers) : NULL;
}

struct error *half_run(struct score_outcome *o, struct half *h,
		       const size_t *order)
{
	/* Too big for the stack, whose memory is never given back. */
	cleanup_free struct buffers *buffers = NULL;
	struct error *err;

	if (h->contest->gpu)
		return gpu_contest_half(o, h->contest->gpu, h, order);
	buffers = xcalloc(half_slots(h), sizeof *buffers);
	for (size_t i = 0; i < half_slots(h); i++)
		buffers[i] = (struct buffers){
			.inputs = -1, .outputs = -1, .capture = -1};
	err = half(o, h, buffers, order);
	for (size_t i = 0; i < half_slots(h); i++)
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
	TRY(check_tell_failure(judge_compare_kept(&a, c->sc->judge, &l->set,
						  capture, l->index),
			       &l->set, t));
	TRY(alone_before_blame(c->sc, &l->set, &a));
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
	TRY(check_tell_failure(judge_reference(c->sc->judge, &l->set, &what),
			       &l->set, c->sc->task));
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
struct error *contest_check_kept(struct score_outcome *o, struct contest *c)
{
	struct kept_launches *k = &c->kept;

	if (c->gpu)
		return NULL;
	kept_launches_draw_whole(k, c->sc->task->check,
				 !c->sc->task->reference_rows, &c->sc->secret);
	TRY(check_entries(o, c, true));
	return check_entries(o, c, false);
}

/* One launch of an arm that calls nothing. */
static struct error *blank_launch(struct contest *c, size_t which,
				  struct arm *blank, struct samples *fixed)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	cleanup_buffers struct buffers h = {
		.inputs = -1, .outputs = -1, .capture = -1};
	struct scoring *sc = c->sc;

	TRY(series_set(&s, c, which, FILL_NORMAL, false));
	TRY(judge_fill(sc->judge, &s));
	TRY(buffers_open(&h, &s, &sc->secret, &sc->layout));
	return launch_blank(c, blank, fixed, &s, &h);
}

struct error *contest_sample_fixed(struct contest *c, size_t which)
{
	c->fixed[which].n = c->other_fixed[which].n = 0;
	for (size_t i = 0; i < FIXED_LAUNCHES; i++) {
		TRY(blank_launch(c, which, c->blank, &c->fixed[which]));
		if (c->other_blank)
			TRY(blank_launch(c, which, c->other_blank,
					 &c->other_fixed[which]));
	}
	return NULL;
}
