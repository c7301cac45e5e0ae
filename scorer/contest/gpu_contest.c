#include "scorer/contest/gpu_contest.h"

#include <math.h>

#include "scorer/contest/gpu_contest_internal.h"
#include "scorer/host/gpu_setup.h"
#include "scorer/host/launchers.h"

#define OVERHEAD_LAUNCHES 5
/* How often a half is repeated while a batch in it is late. */
#define HALF_TRIES 4

struct gpu_contest *gpu_contest_new(struct contest *c)
{
	struct gpu_contest *f = xcalloc(1, sizeof *f);
	size_t n_cases = c->sc->task->n_cases;

	f->contest = c;
	gpu_watch_start(&f->watch, &c->sc->watch, c->sc->gpu->uuid);
	gpu_buffers_init(&f->buffers);
	gpu_addresses_draw(&f->at, &c->sc->layout);
	gpu_addresses_shift(&f->at, &c->sc->layout);
	f->n = c->n + 1;
	f->launcher = xcalloc(f->n, sizeof *f->launcher);
	f->capturer = xcalloc(c->n, sizeof(struct runner *));
	f->plan = xcalloc(c->n, sizeof *f->plan);
	f->side_by_side = xcalloc(c->n, sizeof *f->side_by_side);
	f->gate_steps = xcalloc(c->n, sizeof *f->gate_steps);
	f->images = xcalloc(n_cases, sizeof *f->images);
	f->alone = xcalloc(n_cases, sizeof *f->alone);
	f->together = xcalloc(n_cases, sizeof *f->together);
	for (size_t i = 0; i < c->n; i++) {
		f->gate_steps[i] = GPU_GATE_STEPS;
		f->plan[i] = xcalloc(n_cases, sizeof **f->plan);
		for (size_t k = 0; k < n_cases; k++)
			f->plan[i][k] = -1;
	}
	return f;
}

void gpu_contest_free(struct gpu_contest *f)
{
	if (!f)
		return;
	gpu_contest_plans_free(f);
	gpu_watch_stop(&f->watch);
	free(f->left_out.sample);
	free(f->first.sample);
	free(f->first_over_rival.sample);
	for (size_t k = 0; k < f->contest->sc->task->n_cases; k++) {
		free(f->alone[k].value);
		free(f->together[k].value);
	}
	free(f->alone);
	free(f->together);
	free(f->images);
	gpu_buffers_release(&f->buffers);
	free(f);
}

/* ---- the image of a batch that is not launched --------------------------- */

static void gpu_idle_draw(struct gpu_contest *f)
{
	uint32_t images = f->buffers.addresses.images;

	f->idle = GPU_NO_IMAGE;
	if (!gpu_contest_isolated(f) && images > 1)
		f->idle =
			(uint32_t)secret_below(&f->contest->sc->secret, images);
}

/* The number of launches of a batch. */
static uint32_t gpu_idle_launches(const struct gpu_contest *f)
{
	return f->buffers.addresses.images - (f->idle != GPU_NO_IMAGE);
}

static uint32_t gpu_idle_draw_other(struct gpu_contest *f)
{
	uint32_t i = (uint32_t)secret_below(&f->contest->sc->secret,
					    gpu_idle_launches(f));

	return i + (i >= f->idle);
}

/* ---- a half -------------------------------------------------------------- */

static size_t launcher_of(const struct gpu_contest *f, const struct half *h,
			  size_t slot)
{
	return h->slot[slot] == SLOT_TWIN ? f->contest->n : h->slot[slot];
}

/* Asks a launcher to arm with these outputs; all are asked before the first is
 * waited for. A resident is armed later: it calls its code once and needs the card
 * alone. */
static void ask_slot(struct gpu_contest *f, struct half *h, size_t i,
		     size_t slot)
{
	size_t who = half_contender(h, i);
	struct contest_launcher *p = &f->launcher[launcher_of(f, h, i)];

	if (!gpu_contest_is_resident(f, who))
		gpu_launcher_arm(p->runner, f->contest->sc->task, &f->buffers,
				 (uint32_t)slot, f->plan[who][h->which],
				 p->armed_for == f->buffers_for);
}

/* For code that is not trusted the time of the host is part of the figure. */
static uint32_t gate_of(const struct gpu_contest *f, size_t contender)
{
	return gpu_contest_isolated(f) ? 0 : f->gate_steps[contender];
}

static struct error *take_slot(struct score_outcome *o, struct readiness *how,
			       struct gpu_contest *f, struct half *h,
			       const struct entry_call *c, size_t i)
{
	struct scoring *sc = f->contest->sc;
	cleanup_score_outcome struct score_outcome one = SCORE_OUTCOME_INIT;
	size_t who = half_contender(h, i);
	struct contest_launcher *p = &f->launcher[launcher_of(f, h, i)];

	if (gpu_contest_is_resident(f, who))
		TRY(gpu_resident_arm(&one, how, p->runner, sc->task, c,
				     &f->buffers, p->slot, gate_of(f, who)));
	else
		TRY(gpu_launcher_armed(&one, how, p->runner, sc->task));
	p->armed_for = f->buffers_for;
	TRY(gpu_contest_check_memory(&one, f, &p->runner,
				     &f->buffers.addresses));
	return contest_attribute(o, &one, f->contest, who, NULL);
}

void gpu_contest_deal_slots(size_t slot[GPU_SLOTS], struct gpu_contest *f,
			    const struct half *h)
{
	if (h->half == 0) {
		for (size_t i = 0; i < f->n; i++)
			f->dealt[i] = i;
		secret_shuffle(&f->contest->sc->secret, f->dealt, f->n);
	}
	memcpy(slot, f->dealt, sizeof f->dealt);
	if (h->half == 1 && h->n > 1) {
		slot[0] = f->dealt[1];
		slot[1] = f->dealt[0];
	}
}

/* Deals the outputs: each arm has its own. `turned`: slots whose outputs
 * changed. */
static void turn_slots(bool turned[HALF_MAX_SLOTS], struct gpu_contest *f,
		       struct half *h)
{
	size_t slot[GPU_SLOTS];

	gpu_contest_deal_slots(slot, f, h);
	for (size_t i = 0; i < h->n; i++) {
		struct contest_launcher *p = &f->launcher[launcher_of(f, h, i)];

		turned[i] = p->armed_for != f->buffers_for ||
			    p->slot != slot[i];
		p->slot = (uint32_t)slot[i];
		if (turned[i] && !p->turns)
			ask_slot(f, h, i, slot[i]);
		p->turns = false;
	}
}

/* After the first half of two: the outputs of the second are known, so launchers
 * map them while the judge looks at this half's. Nothing runs there meanwhile. */
static void turn_ahead(struct gpu_contest *f, struct half *h)
{
	const struct half second = {.half = 1, .n = h->n};
	size_t slot[GPU_SLOTS];

	if (gpu_contest_isolated(f) || h->half != 0 || h->untimed)
		return;
	gpu_contest_deal_slots(slot, f, &second);
	for (size_t i = 0; i < h->n; i++) {
		struct contest_launcher *p = &f->launcher[launcher_of(f, h, i)];

		p->turns = p->slot != slot[i] &&
			   !gpu_contest_is_resident(f, half_contender(h, i));
		if (p->turns)
			ask_slot(f, h, i, slot[i]);
	}
}

/* Waits for every process that was asked, even after one failed: an answer that
 * is not taken would be confused with the next. *whose: the contender that *how
 * is about. */
static struct error *take_slots(struct score_outcome *o, struct readiness *how,
				size_t *whose, struct gpu_contest *f,
				struct half *h, const struct entry_call *c,
				const bool *turned)
{
	size_t order[HALF_MAX_SLOTS];

	contest_order(order, f->contest, h->n);
	for (size_t k = 0; k < h->n && o->verdict == VERDICT_PASS; k++) {
		struct readiness one = {0};
		size_t i = order[k];

		if (turned[i])
			TRY(take_slot(o, &one, f, h, c, i));
		if (how->state != GPU_READY || one.state == GPU_READY)
			continue;
		*how = one;
		*whose = half_contender(h, i);
	}
	return NULL;
}

/* The buffers hold one case at a time; each launcher has its own outputs. A
 * resident's host code can keep memory that it once mapped, so in class
 * isolated no process gets memory that another one had. */
static struct error *allocate_buffers(struct gpu_contest *f,
				      const struct half *h,
				      const struct input_set *s)
{
	struct scoring *sc = f->contest->sc;

	if (f->n > GPU_SLOTS)
		return error_new(ERROR_TASK,
				 "%s: over %d rivals and baselines at once",
				 sc->task->path, GPU_SLOTS - 2);
	if (gpu_contest_isolated(f) || f->buffers_for != h->which + 1) {
		TRY(gpu_judge_allocate(&f->buffers, sc->judge, &s->call,
				       (uint32_t)f->n,
				       gpu_contest_isolated(f)));
		f->buffers_for = h->which + 1;
		for (size_t i = 0; i < f->n; i++)
			f->launcher[i].armed_for = 0;
	}
	f->buffers.addresses = f->at;
	gpu_addresses_size(&f->buffers.addresses, &s->call);
	return NULL;
}

/* One process after another, since each has its own deadline. */
static struct error *prepare_all(struct score_outcome *o, struct gpu_contest *f,
				 struct half *h)
{
	struct scoring *sc = f->contest->sc;
	size_t order[HALF_MAX_SLOTS];

	if (!sc->task->prepare)
		return NULL;
	contest_order(order, f->contest, h->n);
	for (size_t k = 0; k < h->n && o->verdict == VERDICT_PASS; k++) {
		cleanup_score_outcome struct score_outcome one =
			SCORE_OUTCOME_INIT;
		size_t i = order[k];
		struct contest_launcher *p = &f->launcher[launcher_of(f, h, i)];

		TRY(gpu_prepare(&one, p->runner, sc->task,
				f->buffers.addresses.images));
		TRY(gpu_contest_check_memory(&one, f, &p->runner,
					     &f->buffers.addresses));
		TRY(contest_attribute(o, &one, f->contest, half_contender(h, i),
				      NULL));
	}
	return NULL;
}

static struct error *enter(struct score_outcome *o, struct gpu_contest *f,
			   struct half *h, const struct input_set *s)
{
	for (;;) {
		bool turned[HALF_MAX_SLOTS] = {false};
		struct readiness how = {0};
		size_t whose = 0;

		TRY(allocate_buffers(f, h, s));
		/* The launchers map the buffers while the judge fills them. */
		turn_slots(turned, f, h);
		TRY(gpu_fill_preview(f->contest->sc, &f->buffers, s));
		TRY(take_slots(o, &how, &whose, f, h, &s->call, turned));
		if (o->verdict != VERDICT_PASS || how.state == GPU_READY)
			return NULL;
		if (how.state == GPU_MOVED && f->moves < GPU_MOVES) {
			gpu_contest_move(f);
			TRY(gpu_contest_capture(o, f));
		} else if (gpu_contest_isolated(f)) {
			return error_new(ERROR_SYSTEM,
					 "the driver gives no address that is "
					 "asked for: try again");
		} else {
			TRY(gpu_contest_isolate(o, f, whose, how.why));
			if (o->verdict == VERDICT_PASS)
				TRY(gpu_contest_start(o, f));
			f->buffers_for = 0;
		}
		if (o->verdict != VERDICT_PASS)
			return NULL;
	}
}

/* *whose: the contender that a failure is of; first that of the slot. */
static struct error *run_one(struct score_outcome *o, size_t *whose,
			     struct gpu_ran *out, struct gpu_contest *f,
			     const struct half *h, size_t slot, uint64_t poison,
			     bool empty)
{
	struct scoring *sc = f->contest->sc;
	size_t at = launcher_of(f, h, slot);
	struct contest_launcher *p = &f->launcher[at];
	uint32_t images = f->buffers.addresses.images;

	*whose = half_contender(h, slot);
	out->left_out = NAN;
	if (!gpu_contest_isolated(f))
		return gpu_run_timed(o, out, p->runner, sc->task, images,
				     f->idle, &sc->layout);
	TRY(gpu_turn_give(o, whose, f, at));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(gpu_run_isolated(o, &out->seconds, p->runner, sc->judge,
			     &f->buffers, p->slot, poison, images, empty,
			     &sc->layout));
	return gpu_turn_over(o, whose, f, at);
}

/* Stops at a batch that is late; in the last try that is a verdict. */
static struct error *run_all(struct score_outcome *o, bool *late,
			     struct gpu_contest *f, struct half *h,
			     const size_t *order, const uint64_t *poison,
			     bool last)
{
	struct contest *c = f->contest;
	double left_out[HALF_MAX_SLOTS], first[HALF_MAX_SLOTS];

	for (size_t i = 0; i < h->n && o->verdict == VERDICT_PASS && !*late;
	     i++) {
		size_t slot = order[i], whose;
		cleanup_score_outcome struct score_outcome one =
			SCORE_OUTCOME_INIT;
		struct gpu_ran ran = {0};

		/* In the middle, so that the card is at work. */
		if (i == h->n / 2)
			gpu_watch_ask(&f->watch);
		TRY(run_one(&one, &whose, &ran, f, h, slot, poison[slot],
			    false));
		f->gate_steps[half_contender(h, slot)] = ran.gate_steps;
		h->seconds[slot] = ran.seconds;
		left_out[slot] = ran.left_out;
		first[slot] = ran.first;
		c->sc->seconds_timed += ran.seconds * gpu_idle_launches(f);
		*late = (ran.late || ran.stuck) && !last;
		if (ran.late && last)
			gpu_tell_disagreement(&one, &ran);
		TRY(contest_attribute(o, &one, c, whose, NULL));
	}
	if (o->verdict != VERDICT_PASS || *late)
		return NULL;
	gpu_left_out_take(f, h, left_out);
	gpu_first_launch_take(f, h, first);
	return NULL;
}

void gpu_contest_finish(struct score_outcome *o, struct gpu_contest *f)
{
	gpu_watch_finish(&f->watch);
	gpu_left_out_verdict(o, f);
	gpu_first_launch_verdict(o, f);
}

void gpu_contest_record(struct measurement *m, const struct gpu_contest *f)
{
	gpu_watch_record(m, &f->watch);
}

static struct error *check_launcher(struct score_outcome *o, double *worst,
				    struct gpu_contest *f,
				    const struct input_set *s, size_t at,
				    uint32_t index, uint64_t poison,
				    const char *case_name)
{
	struct scoring *sc = f->contest->sc;
	struct judge_answer a;

	TRY(gpu_judge_compare(&a, sc->judge, f->launcher[at].slot, index,
			      f->idle, poison));
	check_tell(o, worst, sc->task, s, &a, case_name);
	return NULL;
}

#define CHECK_ROWS 4 /* of a half, besides the most unlike ones */

/* Where the candidate's outputs and another arm's differ most, in any image. */
static struct error *look_for_unlike(struct likeness_reply *out,
				     struct gpu_contest *f,
				     const struct half *h,
				     const struct input_set *s)
{
	uint32_t mine = f->launcher[launcher_of(f, h, 0)].slot;
	int64_t tile = check_tile_rows(&s->call.layout);

	*out = (struct likeness_reply){0};
	for (size_t i = 1; i < h->n; i++) {
		struct likeness_reply one;

		TRY(gpu_judge_unlike(&one, f->contest->sc->judge, mine,
				     f->launcher[launcher_of(f, h, i)].slot,
				     f->idle, tile));
		if (one.most > out->most)
			*out = one;
	}
	return NULL;
}

/* Selects what to compare with the reference: rows of a random image, or of the
 * image with the most unlike rows, and then these rows too. */
static struct error *choose_rows(struct selection *what, struct gpu_contest *f,
				 struct half *h, const struct input_set *s)
{
	struct scoring *sc = f->contest->sc;
	struct likeness_reply unlike;

	TRY(look_for_unlike(&unlike, f, h, s));
	what->index = gpu_idle_draw_other(f);
	if (unlike.most > 0 && unlike.index < s->call.batch &&
	    unlike.index != f->idle && secret_below(&sc->secret, 2))
		what->index = unlike.index;
	check_select(what, sc, &s->call.layout, CHECK_ROWS);
	if (unlike.most > 0 && what->index == unlike.index)
		check_select_also(what, sc, &s->call.layout, &unlike.rows);
	return NULL;
}

static struct error *check_all(struct score_outcome *o, struct gpu_contest *f,
			       struct half *h, const struct input_set *s,
			       const uint64_t *poison)
{
	struct contest *c = f->contest;
	const struct task_case *tc = &c->sc->task->cases[h->which];
	struct selection what = {.index = 0};

	TRY(choose_rows(&what, f, h, s));
	TRY(gpu_judge_reference(c->sc->judge, s, &what));
	for (size_t i = 0; i < h->n && o->verdict == VERDICT_PASS; i++) {
		cleanup_score_outcome struct score_outcome one =
			SCORE_OUTCOME_INIT;
		double worst = 0;

		TRY(check_launcher(&one, &worst, f, s, launcher_of(f, h, i),
				   what.index, poison[i], tc->name));
		if (h->slot[i] == 0)
			c->case_error[h->which] =
				MAX(c->case_error[h->which], worst);
		TRY(contest_attribute(o, &one, f->contest, half_contender(h, i),
				      NULL));
	}
	return NULL;
}

/* An empty launch of each contender, in random order; *seconds of the
 * candidate's. */
static struct error *run_empty(struct score_outcome *o, double *seconds,
			       struct gpu_contest *f, struct half *h)
{
	size_t order[HALF_MAX_SLOTS];

	contest_order(order, f->contest, h->n);
	for (size_t k = 0; k < h->n && o->verdict == VERDICT_PASS; k++) {
		cleanup_score_outcome struct score_outcome one =
			SCORE_OUTCOME_INIT;
		struct gpu_ran ran = {0};
		size_t i = order[k], whose;

		TRY(run_one(&one, &whose, &ran, f, h, i,
			    secret_u64(&f->contest->sc->secret), true));
		if (h->slot[i] == 0)
			*seconds = ran.seconds;
		TRY(contest_attribute(o, &one, f->contest, whose, NULL));
	}
	return NULL;
}

/* Class isolated: measures once for each case what handing memory over and
 * taking it costs. All contenders get the same empty launches, so that none can
 * learn from them which one it is. */
static struct error *measure_overhead(struct score_outcome *o,
				      struct gpu_contest *f, struct half *h)
{
	struct contest *c = f->contest;
	struct error *err;
	double x[OVERHEAD_LAUNCHES] = {0};

	if (!gpu_contest_isolated(f) || c->case_overhead[h->which] > 0)
		return NULL;
	err = launchers_quiet(c->sc);
	for (size_t i = 0;
	     !err && i < OVERHEAD_LAUNCHES && o->verdict == VERDICT_PASS; i++)
		err = run_empty(o, &x[i], f, h);
	launchers_go_on(&c->sc->launchers);
	c->case_overhead[h->which] = stats_median(x, OVERHEAD_LAUNCHES);
	return err;
}

/* Does all that comes before the clock starts, with a preview. */
static struct error *do_untimed(struct score_outcome *o, struct gpu_contest *f,
				struct half *h, const struct input_set *s)
{
	gpu_turns_end(f);
	TRY(enter(o, f, h, s));
	if (o->verdict == VERDICT_PASS)
		TRY(prepare_all(o, f, h));
	if (o->verdict == VERDICT_PASS)
		TRY(measure_overhead(o, f, h));
	if (o->verdict != VERDICT_PASS || !gpu_has_preview(f->contest->sc))
		return NULL;
	return gpu_judge_fill(f->contest->sc->judge, &s->recipe);
}

/* Nothing of ours starts or ends on the card meanwhile. */
static struct error *run_quietly(struct score_outcome *o, bool *late,
				 struct gpu_contest *f, struct half *h,
				 const size_t *order, const uint64_t *poison,
				 bool last)
{
	struct scoring *sc = f->contest->sc;
	struct error *err = launchers_quiet(sc);

	if (!err)
		err = run_all(o, late, f, h, order, poison, last);
	if (!err && o->verdict == VERDICT_PASS && !*late)
		turn_ahead(f, h);
	launchers_go_on(&sc->launchers);
	return err;
}

/* Begins with new inputs, so that data of an earlier try is useless. */
static struct error *try_half(struct score_outcome *o, bool *late,
			      struct gpu_contest *f, struct half *h,
			      const size_t *order, bool last)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	struct scoring *sc = f->contest->sc;
	const struct task_case *tc = &sc->task->cases[h->which];
	uint64_t poison[HALF_MAX_SLOTS] = {0};
	int64_t images = f->images[h->which];

	if (!gpu_contest_isolated(f) || !images)
		TRY(gpu_count_images(&images, sc, tc));
	TRY(gpu_set(&s, sc, tc, timed_fill(&sc->secret), images));
	TRY(do_untimed(o, f, h, &s));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	gpu_idle_draw(f);
	for (size_t i = 0; i < h->n; i++) {
		poison[i] = secret_u64(&sc->secret);
		/* In class isolated the memory does not exist yet. */
		if (!f->buffers.apart)
			TRY(gpu_judge_poison(
				sc->judge,
				f->launcher[launcher_of(f, h, i)].slot,
				poison[i]));
	}
	TRY(run_quietly(o, late, f, h, order, poison, last));
	if (o->verdict == VERDICT_PASS && !*late)
		TRY(check_all(o, f, h, &s, poison));
	/* The query began during the launches and may last longer than the checks:
	 * then it is a later half's. */
	gpu_watch_take(&f->watch);
	return NULL;
}

static struct error *run_half(struct score_outcome *o, struct gpu_contest *f,
			      struct half *h, const size_t *order)
{
	bool late = true;

	for (size_t i = 1; late && o->verdict == VERDICT_PASS; i++) {
		late = false;
		TRY(try_half(o, &late, f, h, order, i == HALF_TRIES));
	}
	return NULL;
}

struct error *gpu_contest_half(struct score_outcome *o, struct gpu_contest *f,
			       struct half *h, const size_t *order)
{
	TRY(gpu_hand_over_count(o, f, h, order, run_half));
	if (o->verdict != VERDICT_PASS)
		return NULL;
	TRY(run_half(o, f, h, order));
	if (o->verdict == VERDICT_PASS)
		gpu_hand_over_take(f, h);
	return NULL;
}

/* ---- other causes of a gain than the candidate --------------------------- */

/* Class isolated: handing memory over is part of the time, and some of it runs
 * in the candidate's own process. A candidate that only removed the wait there
 * was reported as faster; at most half of that time can be gained so. */
#define SHAVED 0.5

static double shaving(char **why, const struct gpu_contest *f)
{
	const struct contest *c = f->contest;
	double worst = 0;

	for (size_t i = 0; gpu_contest_isolated(f) && i < c->sc->task->n_cases;
	     i++) {
		double seconds =
			stats_median(c->seconds[i].value, c->seconds[i].n);

		if (seconds > 0)
			worst = MAX(worst, c->case_overhead[i] / seconds);
	}
	if (worst <= 0)
		return 0;
	*why = xasprintf("%.0f %% of a launch are handing inputs over and "
			 "taking outputs (class isolated)",
			 100 * worst);
	return -log1p(-MIN(SHAVED * worst, 0.9));
}

static double heat(char **why, const struct gpu_contest *f)
{
	return gpu_watch_bias(why, &f->watch);
}

double gpu_contest_bias(char **why, const struct gpu_contest *f)
{
	static double (*const parts[])(char **, const struct gpu_contest *) = {
		heat, gpu_left_out_bias, gpu_first_launch_bias, gpu_alone_bias,
		shaving};
	double bias = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		cleanup_free char *reason = NULL;
		double one = parts[i](&reason, f);

		if (one <= bias)
			continue;
		free(*why);
		*why = steal(&reason);
		bias = one;
	}
	return bias;
}
