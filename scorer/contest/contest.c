#include "scorer/contest/contest.h"

#include <math.h>

#include "core/base/clock.h"
#include "scorer/contest/half.h"
#include "scorer/contest/arms.h"
#include "scorer/contest/gpu_contest.h"
#include "scorer/contest/series.h"
#include "scorer/device/lock.h"

#define ROUNDS_A_PROCESS 48
/* For launches shorter than this on a GPU. */
#define SHORT_SECONDS	       100e-6
#define SHORT_ROUNDS_A_PROCESS 4
#define SHORT_MAX_PROCESSES    24
#define TWIN_EVERY	       4
#define BLANK_EVERY	       2
#define SINGLE_EVERY	       4   /* launches alone, of a series */
#define ALONE_ROUNDS	       12  /* without rivals: enough for a median */
#define ALONE_SHARE	       0.1 /* of the time for a comparison */
#define MAX_ROUNDS	       128

void samples_add(struct samples *s, double v)
{
	GROW(s->value, s->n, s->cap);
	s->value[s->n++] = v;
}

struct contest *contest_new(struct scoring *sc, size_t n_contenders,
			    double *case_error, struct reference_cost *cost)
{
	struct contest *c = xcalloc(1, sizeof *c);
	size_t n_cases = sc->task->n_cases;

	c->sc = sc;
	c->n = n_contenders;
	c->contender = xcalloc(c->n, sizeof *c->contender);
	c->seconds = xcalloc(n_cases, sizeof *c->seconds);
	c->fixed = xcalloc(n_cases, sizeof *c->fixed);
	c->other_fixed = xcalloc(n_cases, sizeof *c->other_fixed);
	c->in_series = xcalloc(n_cases, sizeof *c->in_series);
	c->excess = xcalloc(n_cases, sizeof *c->excess);
	c->case_overhead = xcalloc(n_cases, sizeof *c->case_overhead);
	c->case_error = case_error;
	c->cost = cost;
	c->twin_of = c->n > 1 ? 1 : 0;
	c->twin_every = TWIN_EVERY;
	c->design = (struct comparison_design)COMPARISON_DESIGN_DEFAULT;
	c->design.max_blocks = MAX_ROUNDS;
	c->seed = secret_u64(&sc->secret);
	kept_launches_init(&c->kept, sc->task);
	for (size_t i = 0; i < c->n; i++) {
		c->contender[i].case_log = xcalloc(n_cases, sizeof(double *));
		c->contender[i].active = true;
	}
	return c;
}

void contest_free(struct contest *c)
{
	if (!c)
		return;
	contest_stop_arms(c);
	gpu_contest_free(c->gpu);
	kept_launches_release(&c->kept);
	free(c->versions);
	for (size_t i = 0; i < c->n; i++) {
		for (size_t k = 0; k < c->sc->task->n_cases; k++)
			free(c->contender[i].case_log[k]);
		free(c->contender[i].case_log);
		free(c->contender[i].log_ratio);
		free(c->contender[i].rounds.value);
	}
	for (size_t k = 0; k < c->sc->task->n_cases; k++) {
		free(c->seconds[k].value);
		free(c->fixed[k].value);
		free(c->other_fixed[k].value);
		free(c->excess[k].value);
	}
	free(c->seconds);
	free(c->fixed);
	free(c->other_fixed);
	free(c->in_series);
	free(c->excess);
	free(c->case_overhead);
	free(c->twin_log.value);
	steadiness_release(&c->steady);
	free(c->contender);
	free(c);
}

bool contest_is_other(const struct contest *c, size_t contender)
{
	const struct build *own = c->contender[0].build;
	const struct build *other = c->contender[contender].build;

	return own && other && own->runner != other->runner;
}

void contest_order(size_t *order, const struct contest *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	secret_shuffle(&c->sc->secret, order, n);
}

struct error *contest_attribute(struct score_outcome *o,
				struct score_outcome *one, struct contest *c,
				size_t contender, const char *case_name)
{
	if (one->verdict == VERDICT_PASS)
		return NULL;
	c->failed = contender;
	if (contender > 0 && case_name && one->why) {
		cleanup_free char *why = steal(&one->why);

		one->why = xasprintf("%s (case %s)", why, case_name);
	}
	score_outcome_release(o);
	*o = *one;
	*one = (struct score_outcome)SCORE_OUTCOME_INIT;
	return NULL;
}

static bool twin_runs(const struct contest *c)
{
	return !c->twinless && contest_still_needs(c, c->twin_of) &&
	       (c->round < 3 || c->round % c->twin_every == 0);
}

static bool blank_runs(const struct contest *c)
{
	return c->blank && c->round % BLANK_EVERY == 0;
}

/* Runs both halves of a case; the result is mean logs of seconds by slot. */
static struct error *run_case(struct score_outcome *o, struct half *b,
			      double *log_seconds)
{
	struct contest *c = b->contest;
	size_t order[HALF_MAX_SLOTS], back[HALF_MAX_SLOTS];
	size_t n = half_slots(b);

	contest_order(order, c, n);
	for (size_t i = 0; i < n; i++)
		back[i] = order[n - 1 - i];
	for (size_t i = 0; i < b->n; i++)
		log_seconds[i] = 0;
	for (size_t h = 0; h < 2 && o->verdict == VERDICT_PASS; h++) {
		b->half = h;
		TRY(half_run(o, b, h ? back : order));
		for (size_t i = 0; i < b->n; i++)
			log_seconds[i] +=
				0.5 * series_log(c, half_contender(b, i),
						 b->which, b->seconds[i]);
		samples_add(&c->seconds[b->which], b->seconds[0]);
	}
	return NULL;
}

/* Adds the figures of a case; `sum` collects weighted logs by slot. */
static void take_case(struct contest *c, const struct half *b,
		      const double *log_seconds, double *sum)
{
	double weight = c->sc->task->cases[b->which].weight;

	for (size_t i = 0; i < b->n; i++) {
		struct contender *who;
		double *logs;

		sum[i] += weight * log_seconds[i];
		if (b->slot[i] == SLOT_TWIN || b->slot[i] == 0)
			continue;
		who = &c->contender[b->slot[i]];
		logs = who->case_log[b->which];
		logs = xrealloc(logs, who->rounds.n + 1, sizeof *logs);
		logs[who->rounds.n] = log_seconds[i] - log_seconds[0];
		who->case_log[b->which] = logs;
	}
}

static void observe(struct contender *who, size_t rounds)
{
	GROW(who->log_ratio, who->n, who->cap);
	who->log_ratio[who->n++] = who->gathered / (double)rounds;
	who->gathered = 0;
}

/* The rounds of one process of the twin are not independent, like those of
 * every arm. */
static void observe_twin(struct contest *c)
{
	if (c->twin_rounds)
		samples_add(&c->twin_log,
			    c->twin_gathered / (double)c->twin_rounds);
	c->twin_gathered = 0;
	c->twin_rounds = 0;
}

/* Adds a round's figures; `sum`: mean logs of seconds by slot. */
static void take_round(struct contest *c, const struct half *b,
		       const double *sum)
{
	size_t original = 0;

	for (size_t i = 1; i < b->n; i++) {
		struct contender *who;

		if (b->slot[i] == c->twin_of)
			original = i;
		if (b->slot[i] == SLOT_TWIN) {
			c->twin_gathered += sum[i] - sum[original];
			c->twin_rounds++;
			continue;
		}
		who = &c->contender[b->slot[i]];
		samples_add(&who->rounds, sum[i] - sum[0]);
		who->gathered += sum[i] - sum[0];
		if (!c->by_process)
			observe(who, 1);
	}
	if (!c->by_process)
		observe_twin(c);
}

static bool single_runs(const struct contest *c, size_t which)
{
	return series_is(c, which) && c->n > 1 && c->contender[1].active &&
	       (c->round % SINGLE_EVERY == 0 ||
		c->excess[which].n < SERIES_LEAST_ALONE);
}

/* One launch alone, of the candidate and of its first rival, on the same inputs.
 */
static struct error *run_single(struct score_outcome *o, struct contest *c,
				size_t which)
{
	struct half b = {.contest = c,
			 .which = which,
			 .slot = {0, 1},
			 .n = 2,
			 .single = true};
	size_t order[HALF_MAX_SLOTS];

	contest_order(order, c, b.n);
	TRY(half_run(o, &b, order));
	if (o->verdict == VERDICT_PASS)
		samples_add(&c->excess[which], b.seconds[0] - b.seconds[1]);
	return NULL;
}

static struct error *run_round(struct score_outcome *o, struct contest *c)
{
	const struct task *t = c->sc->task;
	struct half b = {.contest = c};
	double sum[HALF_MAX_SLOTS] = {0}, weights = 0;

	for (size_t i = 0; i < c->n; i++)
		if (contest_still_needs(c, i))
			b.slot[b.n++] = i;
	if (twin_runs(c))
		b.slot[b.n++] = SLOT_TWIN;
	b.blank = blank_runs(c);
	for (size_t i = 0; i < t->n_cases; i++) {
		double log_seconds[HALF_MAX_SLOTS] = {0};

		/* Every second round backwards: the next round begins with the
		 * case whose memory is on the card. */
		b.which = c->round % 2 ? t->n_cases - 1 - i : i;
		TRY(run_case(o, &b, log_seconds));
		if (o->verdict == VERDICT_PASS && single_runs(c, b.which))
			TRY(run_single(o, c, b.which));
		if (o->verdict != VERDICT_PASS)
			return NULL;
		take_case(c, &b, log_seconds, sum);
		weights += t->cases[b.which].weight;
	}
	for (size_t i = 0; i < b.n; i++)
		sum[i] /= weights;
	take_round(c, &b, sum);
	steadiness_round(&c->steady, sum[0]);
	c->round++;
	c->in_process++;
	return NULL;
}

static double shortest_launch(const struct contest *c)
{
	double shortest = HUGE_VAL;

	for (size_t i = 0; i < c->sc->task->n_cases; i++)
		shortest = MIN(shortest, stats_median(c->seconds[i].value,
						      c->seconds[i].n));
	return shortest;
}

/* After the first round: if launches are short, a pair of processes becomes the
 * observation, and there are many pairs. */
static void choose_observation(struct contest *c)
{
	if (!c->gpu || c->sc->isolated[0] || c->n == 1 ||
	    shortest_launch(c) >= SHORT_SECONDS)
		return;
	c->by_process = true;
	c->design.max_blocks = MIN(c->design.max_blocks, SHORT_MAX_PROCESSES);
	c->design.curtailed = c->design.hopeless > -HUGE_VAL;
	for (size_t i = 1; i < c->n; i++) {
		struct contender *who = &c->contender[i];

		who->gathered = who->n ? who->log_ratio[0] : 0;
		who->n = 0;
	}
	if (!c->twin_log.n)
		return;
	c->twin_gathered = c->twin_log.value[0];
	c->twin_rounds = 1;
	c->twin_log.n = 0;
}

static size_t rounds_a_process(const struct contest *c)
{
	return c->by_process ? SHORT_ROUNDS_A_PROCESS : ROUNDS_A_PROCESS;
}

/* Takes the observation of these processes if their rounds are over. */
static void end_process(struct contest *c)
{
	if (!c->by_process || c->in_process < SHORT_ROUNDS_A_PROCESS)
		return;
	for (size_t i = 1; i < c->n; i++)
		if (c->contender[i].active)
			observe(&c->contender[i], c->in_process);
	observe_twin(c);
}

/* May the rounds so far end a comparison before its first look? A process takes long
 * to open the card, so with few of them; and on a GPU rounds are quiet, so that two
 * or three say who is far slower, as most candidates of a search are. Not with the
 * task's own code, whose figure is shown to the user. */
static bool may_glance(const struct contest *c, const struct contender *who)
{
	if (!c->gpu || who->points.trusted || who->n >= c->design.min_blocks)
		return false;
	return c->by_process ? who->n && c->in_process == SHORT_ROUNDS_A_PROCESS
			     : who->n >= 2 && !c->sc->isolated[0];
}

static struct comparison_state ask(const struct contest *c,
				   const struct contender *who)
{
	if (may_glance(c, who))
		return comparison_glance(&c->design, who->rounds.value,
					 who->rounds.n, c->seed);
	return comparison_look(&c->design, who->log_ratio, who->n, c->seed);
}

/* Applies the statistics to every rival; true if none needs more rounds. */
static bool all_decided(struct contest *c)
{
	bool all = true;

	for (size_t i = 1; i < c->n; i++) {
		struct contender *who = &c->contender[i];

		if (!who->active)
			continue;
		who->state = ask(c, who);
		who->active = !who->state.done;
		all = all && who->state.done;
	}
	return all;
}

/* After the time is over: the last decision about rivals that need more rounds.
 */
static void last_look(struct contest *c)
{
	for (size_t i = 1; i < c->n; i++) {
		struct contender *who = &c->contender[i];
		struct comparison_design design = c->design;

		if (!who->active || who->n < design.min_blocks)
			continue;
		design.max_blocks = who->n;
		who->state = comparison_look(&design, who->log_ratio, who->n,
					     c->seed);
	}
}

/* The holder of the lock times a contender. Meanwhile this scoring must have no
 * finished launcher on the card. */
static struct error *lock_card(int *lock, struct contest *c)
{
	const char *uuid = c->sc->gpu->uuid;

	TRY(gpu_lock_try(lock, "/tmp", uuid));
	if (*lock >= 0)
		return NULL;
	launchers_kill_spent(&c->sc->launchers);
	return gpu_lock_take(lock, "/tmp", uuid, c->sc->stop_now);
}

static bool is_enough_alone(const struct contest *c, double spent,
			    double seconds)
{
	if (c->thorough)
		return c->round >= ROUNDS_A_PROCESS || spent > seconds;
	return c->round >= ALONE_ROUNDS ||
	       (c->round >= 3 && spent > ALONE_SHARE * seconds);
}

/* For those who wait: all of it, unless it is decided before. */
static void tell_done(const struct contest *c, double spent, double seconds)
{
	size_t most = c->design.max_blocks;

	if (c->n == 1) {
		most = c->thorough ? ROUNDS_A_PROCESS : ALONE_ROUNDS;
		seconds *= c->thorough ? 1 : ALONE_SHARE;
	} else if (c->by_process) {
		most *= SHORT_ROUNDS_A_PROCESS;
	}
	stage_done(c->sc->stage,
		   MAX((double)c->round / (double)most, spent / seconds));
}

/* Where launches become series the first round is forgotten, and a contest without
 * one has no figures: it then has another, however late it is. */
static bool is_over(struct contest *c, double spent, double seconds)
{
	if (!c->seconds[0].n)
		return false;
	if (c->n == 1)
		return is_enough_alone(c, spent, seconds);
	return all_decided(c) || spent > seconds;
}

struct error *contest_run(struct score_outcome *o, struct contest *c,
			  double seconds)
{
	cleanup_fd int lock = -1;
	bool alone = c->n == 1;
	double start;

	if (c->n + 2 > HALF_MAX_SLOTS)
		return error_new(ERROR_TASK,
				 "%s: over %d rivals and baselines at once",
				 c->sc->task->path, HALF_MAX_SLOTS - 3);
	stage_begin(c->sc->stage, STAGE_QUEUE);
	if (c->sc->task->language == LANGUAGE_CUDA)
		TRY(lock_card(&lock, c));
	stage_begin(c->sc->stage, STAGE_TIME);
	start = clock_seconds();
	steadiness_begin(&c->steady);
	for (;;) {
		double spent;

		if (!c->round || c->in_process >= rounds_a_process(c))
			TRY(contest_fresh_arms(o, c));
		if (o->verdict == VERDICT_PASS)
			TRY(run_round(o, c));
		if (o->verdict != VERDICT_PASS)
			break;
		if (c->round == 1) {
			choose_observation(c);
			TRY(series_choose(c));
		}
		end_process(c);
		spent = clock_seconds() - start;
		tell_done(c, spent, seconds);
		if (is_over(c, spent, seconds))
			break;
	}
	if (o->verdict == VERDICT_PASS && c->gpu)
		gpu_contest_finish(o, c->gpu);
	if (o->verdict == VERDICT_PASS)
		last_look(c);
	if (c->round && !alone)
		c->sc->short_launches = c->by_process;
	contest_stop_arms(c);
	if (o->verdict == VERDICT_PASS)
		TRY(contest_check_kept(o, c));
	return NULL;
}

double contest_noise(const struct contest *c)
{
	struct interval i =
		stats_interval(c->twin_log.value, c->twin_log.n, 0.95, c->seed);

	return isfinite(i.hi) && isfinite(i.lo) ? (i.hi - i.lo) / 2 : 0;
}

double contest_floor(const struct contest *c)
{
	struct interval i =
		stats_interval(c->twin_log.value, c->twin_log.n, 0.95, c->seed);
	double middle = (i.lo + i.hi) / 2;

	if (!isfinite(middle) || (i.lo <= 0 && i.hi >= 0))
		return 0;
	return fabs(middle);
}

double contest_case_ratio(const struct contest *c, size_t contender,
			  size_t which)
{
	const struct contender *who = &c->contender[contender];

	return exp(stats_median(who->case_log[which], who->rounds.n));
}
