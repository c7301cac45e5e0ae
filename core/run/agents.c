#include "core/run/agents.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "core/run/bench.h"
#include "core/run/selection.h"

/* Longest delay before agents learn that the run stops. */
#define LOOK_NS 200000000

/* What an agent asks the thread of the loop to do. */
typedef struct error *agent_job(struct loop *l, struct agent *a, void *arg);

struct agent {
	struct evaluator evaluator; /* first: callbacks cast it back */
	struct agents *all;
	size_t number; /* 0, 1, ... */
	pthread_t thread;
	bool is_started;
	bool is_over; /* it begins no other step */

	struct bench bench;
	bool has_step; /* the bench is open */
	size_t tip;    /* where the step began: an attempt's index */
	enum varied varied;

	/* What it asks for; NULL: nothing. */
	agent_job *job;
	void *arg;
	bool in_turn; /* it changes the run */
	uint64_t asked;
	struct error *err; /* the answer */
};

/* `lock` is that of the run: who holds it may use the loop and all below. */
struct agents {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct loop *l;
	const struct evolve_agents *how;
	struct agent *agent;
	size_t n;
	size_t turn;	/* in order: whose it is */
	uint64_t asked; /* how often they asked */
	size_t building, measuring;
	bool builds_beside;
	bool is_reviewing;
	/* Scorings at a time, by agents themselves; 1: by the loop. */
	size_t at_once, at_work;
	uint64_t tickets, served; /* who waits longest is next */
	/* The run stops, for whatever reason: allowance.stop_requested. */
	volatile int is_stopping;
	struct error *err; /* the first one */
};

/* ---- turns ---------------------------------------------------------------
 *
 * In order, an agent changes the run only in its turn, and the turn goes round.
 * The next `in_order` agents of the round may think. So what the run becomes
 * depends on what the agents do and not on how long they take, and not on how
 * many think at a time.
 */

static size_t after(const struct agents *s, size_t i)
{
	do
		i = (i + 1) % s->n;
	while (s->agent[i].is_over && i != s->turn);
	return i;
}

static size_t whose_turn(struct agents *s)
{
	if (s->agent[s->turn].is_over)
		s->turn = after(s, s->turn);
	return s->turn;
}

static bool may_think(struct agents *s, const struct agent *a)
{
	size_t i = whose_turn(s);

	if (!s->how->in_order || a->is_over)
		return true;
	for (size_t n = 0; n < s->how->in_order; n++) {
		if (i == a->number)
			return true;
		i = after(s, i);
	}
	return false;
}

static bool is_before(const struct agent *a, const struct agent *b)
{
	return !b || a->asked < b->asked;
}

/* The agent whose question is next; NULL: none is at the moment. */
static struct agent *next_to_ask(struct agents *s)
{
	struct agent *next = NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct agent *a = &s->agent[i];
		bool waits = s->how->in_order && a->in_turn &&
			     i != whose_turn(s);

		if (a->job && !waits && is_before(a, next))
			next = a;
	}
	return next;
}

/* ---- asking ---------------------------------------------------------------- */

/* The caller holds the lock of the run, and has it again afterwards. */
static struct error *ask(struct agent *a, agent_job *job, void *arg,
			 bool in_turn)
{
	struct agents *s = a->all;

	a->job = job;
	a->arg = arg;
	a->in_turn = in_turn;
	a->asked = ++s->asked;
	pthread_cond_broadcast(&s->changed);
	while (a->job || !may_think(s, a))
		pthread_cond_wait(&s->changed, &s->lock);
	return steal(&a->err);
}

/* The agent does it itself, as soon as there is room for another one. */
static struct error *do_itself(struct agent *a, agent_job *job, void *arg)
{
	struct agents *s = a->all;
	uint64_t ticket = s->tickets++;
	struct error *err;

	while (ticket != s->served || s->at_work == s->at_once ||
	       s->is_reviewing)
		pthread_cond_wait(&s->changed, &s->lock);
	s->served++;
	s->at_work++;
	pthread_cond_broadcast(&s->changed);
	err = job(s->l, a, arg);
	s->at_work--;
	pthread_cond_broadcast(&s->changed);
	return err;
}

/* For what the evaluator may do several of at a time. In order, one is measured
 * after another. */
static struct error *measure(struct agent *a, agent_job *job, void *arg,
			     bool in_turn)
{
	const struct agents *s = a->all;

	return s->at_once > 1 && !s->how->in_order ? do_itself(a, job, arg)
						   : ask(a, job, arg, in_turn);
}

static bool has_work(const struct agents *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->agent[i].is_over || s->agent[i].job)
			return true;
	return false;
}

static void answer(struct agents *s, struct agent *a)
{
	a->err = a->job(s->l, a, a->arg);
	a->job = NULL;
	if (a->in_turn && a->number == s->turn)
		s->turn = after(s, s->turn);
	pthread_cond_broadcast(&s->changed);
}

/* A signal and the end of the time wake no thread. */
static void wait_a_moment(struct agents *s)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&s->changed, &s->lock, &until);
}

static void serve(struct agents *s)
{
	while (has_work(s)) {
		struct agent *a = s->is_reviewing ? NULL : next_to_ask(s);

		s->is_stopping = loop_why_stop(s->l) != NULL;
		if (a)
			answer(s, a);
		else
			wait_a_moment(s);
	}
}

static void away(struct allowance *allowance, bool begins)
{
	struct agents *s = ((struct loop *)allowance)->agents;

	if (begins)
		pthread_mutex_unlock(&s->lock);
	else
		pthread_mutex_lock(&s->lock);
}

/* ---- the evaluator of an agent ------------------------------------------- */

void agents_measure(struct agents *s, bool begins)
{
	if (!s)
		return;
	s->measuring += begins ? 1 : (size_t)-1;
	pthread_cond_broadcast(&s->changed);
	while (begins && !s->builds_beside && s->building)
		pthread_cond_wait(&s->changed, &s->lock);
	if (!begins)
		agents_await_review(s);
}

void agents_await_review(struct agents *s)
{
	while (s && s->is_reviewing)
		pthread_cond_wait(&s->changed, &s->lock);
}

void agents_review(struct agents *s, bool begins)
{
	if (!s)
		return;
	if (begins)
		agents_await_review(s);
	s->is_reviewing = begins;
	pthread_cond_broadcast(&s->changed);
}

/* Of these nothing but the compiler is at work. */
static bool is_compiled(const struct task *t)
{
	return t->language != LANGUAGE_RUNNER && !t->python;
}

static struct evaluator *real(const struct agent *a)
{
	return a->all->l->e->evaluator;
}

/* Called without the lock of the run. */
static struct error *build(struct evaluator *self, bool *ok, char **log,
			   const struct candidate *c)
{
	struct agent *a = (struct agent *)self;
	struct agents *s = a->all;
	struct error *err;

	pthread_mutex_lock(&s->lock);
	while (s->building >= s->how->builds ||
	       (s->measuring && !s->builds_beside))
		pthread_cond_wait(&s->changed, &s->lock);
	s->building++;
	pthread_mutex_unlock(&s->lock);
	err = real(a)->build(real(a), ok, log, c);
	pthread_mutex_lock(&s->lock);
	s->building--;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return err;
}

struct wish {
	const struct candidate *candidate;
	bool *ok;
	char **log;
	struct buf *text;
	const struct profile_wish *profile;
	struct program_run *run;
	const char *source;
	double seconds;
};

static struct error *do_build(struct loop *l, struct agent *a UNUSED, void *arg)
{
	const struct wish *w = arg;
	struct error *err;

	loop_at_rest(l, true);
	err = l->e->evaluator->build(l->e->evaluator, w->ok, w->log,
				     w->candidate);
	loop_at_rest(l, false);
	return err;
}

static struct error *do_profile(struct loop *l, struct agent *a UNUSED,
				void *arg)
{
	const struct wish *w = arg;
	struct error *err;

	agents_measure(l->agents, true);
	loop_at_rest(l, true);
	err = l->e->evaluator->profile(l->e->evaluator, w->text, w->candidate,
				       w->profile);
	loop_at_rest(l, false);
	agents_measure(l->agents, false);
	return err;
}

static struct error *do_microbenchmark(struct loop *l, struct agent *a UNUSED,
				       void *arg)
{
	const struct wish *w = arg;
	struct error *err;

	agents_measure(l->agents, true);
	loop_at_rest(l, true);
	err = l->e->evaluator->microbenchmark(l->e->evaluator, w->run,
					      w->source, w->seconds);
	loop_at_rest(l, false);
	agents_measure(l->agents, false);
	return err;
}

static struct error *do_about(struct loop *l, struct agent *a UNUSED, void *arg)
{
	l->e->evaluator->machine_about(l->e->evaluator, arg);
	return NULL;
}

/* For a caller without the lock of the run. */
static struct error *ask_at_rest(struct evaluator *self, agent_job *job,
				 struct wish *w)
{
	struct agent *a = (struct agent *)self;
	struct error *err;

	pthread_mutex_lock(&a->all->lock);
	err = measure(a, job, w, false);
	pthread_mutex_unlock(&a->all->lock);
	return err;
}

static struct error *build_by_loop(struct evaluator *self, bool *ok, char **log,
				   const struct candidate *c)
{
	struct wish w = {.candidate = c, .ok = ok, .log = log};

	return ask_at_rest(self, do_build, &w);
}

static struct error *profile(struct evaluator *self, struct buf *text,
			     const struct candidate *c,
			     const struct profile_wish *wish)
{
	struct wish w = {.candidate = c, .text = text, .profile = wish};

	return ask_at_rest(self, do_profile, &w);
}

static struct error *microbenchmark(struct evaluator *self,
				    struct program_run *out, const char *source,
				    double seconds)
{
	struct wish w = {.run = out, .source = source, .seconds = seconds};

	return ask_at_rest(self, do_microbenchmark, &w);
}

static void identify(struct evaluator *self, struct identity *out,
		     const struct candidate *c)
{
	struct agent *a = (struct agent *)self;

	real(a)->identify(real(a), out, c);
}

static const char *machine_name(struct evaluator *self)
{
	struct agent *a = (struct agent *)self;

	return real(a)->machine_name(real(a));
}

/* The caller holds the lock of the run. */
static void machine_about(struct evaluator *self, struct buf *out)
{
	error_free(ask((struct agent *)self, do_about, out, false));
}

/* An agent scores through its variation. */
static struct evaluator evaluator_for(const struct evolve *e)
{
	const struct evaluator *of = e->evaluator;

	return (struct evaluator){
		.elsewhere = of->elsewhere,
		.build = !of->build		? NULL
			 : is_compiled(e->task) ? build
						: build_by_loop,
		.identify = identify,
		.machine_name = machine_name,
		.machine_about = of->machine_about ? machine_about : NULL,
		.profile = of->profile ? profile : NULL,
		.microbenchmark = of->microbenchmark ? microbenchmark : NULL,
	};
}

/* ---- scoring --------------------------------------------------------------- */

struct score_call {
	const char *subject, *hypothesis, *operator_state;
	const char *again;   /* id of an attempt */
	struct commit_id of; /* of the attempt; "": there is none */
};

static struct error *do_score(struct loop *l UNUSED, struct agent *a, void *arg)
{
	struct variation *v = &a->bench.v;
	struct score_call *c = arg;
	const struct attempt *out = NULL;

	TRY(c->again ? bench_measure_again(v, &out, c->again)
		     : bench_score(v, &out, c->subject, c->hypothesis,
				   c->operator_state));
	if (out)
		c->of = out->id;
	return NULL;
}

static struct error *ask_for_score(struct agent *a, const struct attempt **out,
				   struct score_call *c)
{
	struct loop *l = a->all->l;

	*out = NULL;
	if (loop_why_stop(l))
		return NULL;
	TRY(measure(a, do_score, c, true));
	*out = *c->of.hex ? population_find(l->p, c->of.hex) : NULL;
	return NULL;
}

/* While others are measured: the scoring then finds it in the cache. What
 * fails here fails there, too, and is reported. */
static void build_first(struct bench *b)
{
	struct evaluator *e = b->v.evaluator;
	cleanup_candidate struct candidate c = {0};
	cleanup_error struct error *err = NULL;
	cleanup_free char *log = NULL;
	bool ok;

	if (!e->build || e->elsewhere || !is_compiled(b->l->e->task))
		return;
	err = bench_candidate(&c, b);
	if (err)
		return;
	allowance_away(&b->l->allowance, true);
	err = e->build(e, &ok, &log, &c);
	allowance_away(&b->l->allowance, false);
}

static struct error *score(struct variation *v, const struct attempt **out,
			   const char *subject, const char *hypothesis,
			   const char *operator_state)
{
	struct bench *b = (struct bench *)v;
	struct score_call c = {.subject = subject,
			       .hypothesis = hypothesis,
			       .operator_state = operator_state};

	build_first(b);
	return ask_for_score(b->agent, out, &c);
}

static struct error *measure_again(struct variation *v,
				   const struct attempt **out, const char *id)
{
	struct score_call c = {.again = id};

	return ask_for_score(((struct bench *)v)->agent, out, &c);
}

/* ---- steps ----------------------------------------------------------------- */

static size_t others_at_work(const struct agent *a)
{
	const struct agents *s = a->all;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += &s->agent[i] != a && !s->agent[i].is_over;
	return n;
}

/* An agent that has nothing left to try leaves; the last one ends the run. */
static void leave_if_ended(struct loop *l, struct agent *a)
{
	if (!l->ended)
		return;
	a->is_over = true;
	if (others_at_work(a) && !a->all->err) {
		loop_end(l, NULL);
		l->ended_badly = false;
	}
}

static void end_step(struct loop *l, struct agent *a)
{
	if (!a->has_step)
		return;
	a->has_step = false;
	bench_close(&a->bench);
	loop_step_ended(l, a->varied, a->tip, a->bench.v.because);
	leave_if_ended(l, a);
}

static struct island island_of(const struct agent *a)
{
	size_t n = a->all->how->islands.count;

	return n > 1 ? (struct island){a->number % n + 1, n}
		     : (struct island){0};
}

/* An agent's step does not build ahead and is not saved. */
static void make_its_own(struct bench *b, struct agent *a)
{
	const struct evolve_agents *how = a->all->how;

	b->agent = a;
	b->island = island_of(a);
	b->newest = islands_newest(b->l->p, b->island);
	b->operator_ = how->operator_[a->number];
	b->v.agent = (unsigned)a->number + 1;
	b->v.evaluator = &a->evaluator;
	b->v.tuner = how->tuner ? how->tuner[a->number] : NULL;
	b->v.score = score;
	b->v.measure_again = measure_again;
	b->v.foresee = NULL;
	b->v.ahead = 0;
	b->v.save = NULL;
}

/* Ends the agent's step, and begins its next one. */
static struct error *next_step(struct loop *l, struct agent *a,
			       void *arg UNUSED)
{
	size_t live = l->e->supervisor.rules.max_lineages, lineage;

	end_step(l, a);
	if (!a->is_over && !loop_why_stop(l))
		TRY(loop_supervise(l, island_of(a)));
	if (!a->is_over && !loop_why_stop(l))
		TRY(loop_migrate(l));
	if (a->is_over || loop_why_stop(l)) {
		a->is_over = true;
		return NULL;
	}
	TRY(selection_choose(&lineage, l->p, live, &l->dead_ends, &l->random,
			     island_of(a)));
	if (lineage == SELECTION_NONE) {
		loop_nothing_left(l);
		leave_if_ended(l, a);
		return NULL;
	}
	TRY(bench_open(&a->bench, l, &l->p->lineage[lineage],
		       random_u64(&l->random)));
	make_its_own(&a->bench, a);
	a->has_step = true;
	a->tip = a->bench.v.parent;
	a->varied = VARIED_NOTHING;
	return NULL;
}

/* Takes the error. The others end as soon as they can. */
static void fail(struct agents *s, struct error *err)
{
	struct loop *l = s->l;

	if (s->err) {
		error_free(err);
		return;
	}
	s->err = err;
	if (!l->ended)
		loop_end(l, xstrdup("an agent failed"));
	if (!error_is(err, ERROR_INTERRUPTED) && l->e->cancel)
		l->e->cancel(true);
}

static struct error *work(struct agent *a)
{
	struct variation_operator *op = a->all->how->operator_[a->number];

	for (;;) {
		TRY(ask(a, next_step, NULL, true));
		if (a->is_over)
			return NULL;
		TRY(op->vary(op, &a->varied, &a->bench.v));
	}
}

static void *begin(void *arg)
{
	struct agent *a = arg;
	struct agents *s = a->all;
	struct error *err;

	pthread_mutex_lock(&s->lock);
	err = work(a);
	a->is_over = true;
	if (err)
		fail(s, err);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* ---- all of them ----------------------------------------------------------- */

static void agents_init(struct agents *s, struct loop *l)
{
	const struct evolve_agents *how = &l->e->agents;
	pthread_condattr_t attributes;

	*s = (struct agents){
		.l = l,
		.how = how,
		.n = how->n,
		.agent = xcalloc(how->n, sizeof *s->agent),
		.builds_beside = l->e->evaluator->build_ahead != NULL ||
				 l->e->evaluator->elsewhere,
		.at_once = MAX(l->e->evaluator->at_once, 1),
	};
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	for (size_t i = 0; i < s->n; i++) {
		s->agent[i].all = s;
		s->agent[i].number = i;
		s->agent[i].evaluator = evaluator_for(l->e);
	}
}

static void agents_release(struct agents *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct agent *a = &s->agent[i];

		if (a->is_started)
			pthread_join(a->thread, NULL);
		if (a->has_step) {
			bench_close(&a->bench);
			free(a->bench.v.because);
		}
	}
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s->agent);
}

/* Signals are for the thread of the loop. */
static void start(struct agents *s)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (size_t i = 0; i < s->n; i++) {
		struct agent *a = &s->agent[i];
		int rc = pthread_create(&a->thread, NULL, begin, a);

		a->is_started = rc == 0;
		a->is_over = rc != 0;
		errno = rc;
		if (rc)
			fail(s, error_errno("cannot start a thread"));
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct error *agents_search(struct loop *l, const char **reason)
{
	struct agents s;
	struct error *err;

	TRY(loop_migrate(l));
	agents_init(&s, l);
	l->agents = &s;
	l->allowance.away = away;
	/* It would cancel the scoring of another agent. */
	l->allowance.cancel = NULL;
	/* What an agent waits for after that is of no use. */
	l->allowance.stop_requested = &s.is_stopping;
	pthread_mutex_lock(&s.lock);
	start(&s);
	serve(&s);
	pthread_mutex_unlock(&s.lock);
	err = s.err;
	agents_release(&s);
	l->allowance.away = NULL;
	l->allowance.cancel = l->e->cancel;
	l->allowance.stop_requested = l->e->stop_requested;
	l->agents = NULL;
	if (err && !error_is(err, ERROR_INTERRUPTED) && l->e->cancel)
		l->e->cancel(false);
	*reason = loop_why_stop(l);
	return err;
}
