#include "scorer/block.h"

#include "core/clock.h"
#include "scorer/gpu_field.h"

#define CHECK_FLOOR	  0.0005 /* seconds a check may cost at least */
#define CHECK_SHARE	  0.3	 /* of the time of the launches, for judging */
#define OVERHEAD_LAUNCHES 5

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

static int64_t batch_of(const struct task *t)
{
	return t->metric == METRIC_THROUGHPUT ? MAX(t->batch, 1) : 1;
}

static struct error *settle(struct outcome *o, struct outcome *one,
			    const struct block *b, size_t slot)
{
	return contest_settle(o, one, b->contest, block_contender(b, slot),
			      b->contest->sc->task->cases[b->which].name);
}

/* Untimed: what the arms may make of the static inputs. */
static struct error *settle_all(struct outcome *o, struct block *b,
				const struct input_set *s)
{
	struct outcome one[BLOCK_MAX_SLOTS];
	struct arm *arm[BLOCK_MAX_SLOTS];
	struct error *err;

	for (size_t i = 0; i < b->n; i++) {
		one[i] = (struct outcome)OUTCOME_INIT;
		arm[i] = arm_of(b, i);
	}
	err = scoring_settle(one, b->contest->sc, s, arm, b->n);
	for (size_t i = 0; i < b->n; i++) {
		if (!err && o->verdict == VERDICT_PASS)
			err = settle(o, &one[i], b, i);
		outcome_release(&one[i]);
	}
	return err;
}

static struct error *open_all(struct block *b, const struct input_set *s,
			      struct buffers *buffers)
{
	struct scoring *sc = b->contest->sc;

	for (size_t i = 0; i < b->n; i++) {
		TRY(buffers_open(&buffers[i], &s->call, &sc->secret,
				 &sc->layout));
		TRY(judge_poison(sc->judge, s, &buffers[i]));
		TRY(buffers_map(&buffers[i]));
	}
	return NULL;
}

static struct error *launch_all(struct outcome *o, struct block *b,
				const struct input_set *s,
				struct buffers *buffers, const size_t *order)
{
	struct contest *c = b->contest;

	for (size_t i = 0; i < b->n && o->verdict == VERDICT_PASS; i++) {
		size_t slot = order[i];
		cleanup_outcome struct outcome one = OUTCOME_INIT;
		double seconds = 0;

		TRY(judge_hand_out(c->sc->judge, s, &buffers[slot]));
		TRY(arm_launch(&seconds, &one, arm_of(b, slot), &buffers[slot],
			       false));
		c->timed += seconds;
		c->sc->seconds_timed += seconds;
		b->seconds[slot] = seconds / s->call.batch;
		buffers_unmap(&buffers[slot]);
		TRY(settle(o, &one, b, slot));
	}
	return NULL;
}

/* Judging may take a share of what the launches took, over the contest. The first
 * visits to a case are checked whatever they cost. */
static struct error *check_all(struct outcome *o, struct block *b,
			       const struct input_set *s,
			       struct buffers *buffers)
{
	struct contest *c = b->contest;
	const struct task_case *tc = &c->sc->task->cases[b->which];
	double budget = MAX(CHECK_SHARE * c->timed - c->checking, CHECK_FLOOR);
	uint32_t index = (uint32_t)secret_below(&c->sc->secret, s->call.batch);
	bool values;

	TRY(check_reference(&values, c->sc, s, &c->cost[b->which], index,
			    budget, c->round == 0));
	for (size_t i = 0; i < b->n && o->verdict == VERDICT_PASS; i++) {
		cleanup_outcome struct outcome one = OUTCOME_INIT;
		double worst = 0;

		TRY(check_outputs(&one, &worst, c->sc, s, &buffers[i], index,
				  values, tc->name));
		if (b->slot[i] == 0)
			c->case_error[b->which] =
				MAX(c->case_error[b->which], worst);
		TRY(settle(o, &one, b, i));
	}
	return NULL;
}

static struct error *half(struct outcome *o, struct block *b,
			  struct buffers *buffers, const size_t *order)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct contest *c = b->contest;
	struct scoring *sc = c->sc;
	double before = sc->judge->seconds;

	TRY(set_init(&s, sc->task, &sc->task->cases[b->which],
		     timed_fill(&sc->secret), batch_of(sc->task), &sc->secret,
		     &sc->layout));
	TRY(judge_fill(sc->judge, &s));
	TRY(settle_all(o, b, &s));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(open_all(b, &s, buffers));
	TRY(launch_all(o, b, &s, buffers, order));
	c->checking += sc->judge->seconds - before;
	before = sc->judge->seconds;
	if (o->verdict == VERDICT_PASS)
		TRY(check_all(o, b, &s, buffers));
	c->checking += sc->judge->seconds - before;
	return NULL;
}

struct error *block_half(struct outcome *o, struct block *b,
			 const size_t *order)
{
	/* Too big for a stack, which is never given back. */
	cleanup_free struct buffers *buffers = NULL;
	struct error *err;

	if (b->contest->gpu)
		return gpu_field_half(o, b->contest->gpu, b, order);
	buffers = xcalloc(b->n, sizeof *buffers);
	for (size_t i = 0; i < b->n; i++)
		buffers[i] = (struct buffers){
			.inputs = -1, .outputs = -1, .capture = -1};
	err = half(o, b, buffers, order);
	for (size_t i = 0; i < b->n; i++)
		buffers_release(&buffers[i]);
	return err;
}

static struct error *empty_launch(double *seconds, struct outcome *o,
				  struct contest *c, struct arm *arm,
				  const struct input_set *s)
{
	cleanup_buffers struct buffers b = {
		.inputs = -1, .outputs = -1, .capture = -1};
	struct scoring *sc = c->sc;

	TRY(buffers_open(&b, &s->call, &sc->secret, &sc->layout));
	TRY(judge_poison(sc->judge, s, &b));
	TRY(buffers_map(&b));
	TRY(judge_hand_out(sc->judge, s, &b));
	TRY(arm_launch(seconds, o, arm, &b, true));
	*seconds /= s->call.batch;
	return NULL;
}

/* Once each, in random order. */
static struct error *empty_launches(double *candidate, struct outcome *o,
				    struct block *b)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct contest *c = b->contest;
	struct scoring *sc = c->sc;
	size_t order[BLOCK_MAX_SLOTS];

	TRY(set_init(&s, sc->task, &sc->task->cases[0], FILL_NORMAL,
		     batch_of(sc->task), &sc->secret, &sc->layout));
	TRY(judge_fill(sc->judge, &s));
	contest_order(order, c, b->n);
	for (size_t i = 0; i < b->n && o->verdict == VERDICT_PASS; i++) {
		cleanup_outcome struct outcome one = OUTCOME_INIT;
		double seconds = 0;

		TRY(empty_launch(&seconds, &one, c, arm_of(b, order[i]), &s));
		if (b->slot[order[i]] == 0)
			*candidate = seconds;
		TRY(settle(o, &one, b, order[i]));
	}
	return NULL;
}

struct error *block_overhead(double *seconds, struct outcome *o,
			     struct block *b)
{
	double x[OVERHEAD_LAUNCHES] = {0};

	for (size_t i = 0; i < OVERHEAD_LAUNCHES && o->verdict == VERDICT_PASS;
	     i++)
		TRY(empty_launches(&x[i], o, b));
	*seconds = stats_median(x, OVERHEAD_LAUNCHES);
	return NULL;
}
