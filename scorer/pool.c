/* Several cards as one evaluator: a thread for each, and who is next. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "scorer/scoring.h"

/* Longest delay before a card's thread learns that all is to stop. */
#define LOOK_NS 200000000
/* Ends a wait of a card's thread for a lock; its default is to be ignored. */
#define WAKE SIGURG

struct card;

/* What a card's thread is asked to do. */
typedef struct error *card_job(struct evaluator *e, void *arg);

struct card {
	struct evaluator *scorer; /* borrowed */
	struct pool *pool;
	pthread_t thread;
	bool is_started;
	bool is_taken; /* by who waits for its job */
	uint64_t used; /* when it was last taken */
	card_job *job; /* NULL: it has none, or is done */
	void *arg;
	struct error *err; /* of the job */
};

struct pool {
	struct evaluator base; /* first: callbacks cast it back */
	struct card *card;
	size_t n;
	uint64_t used;
	bool is_ending;
	const volatile int *stop_now;
	volatile int *stop_others; /* what all scorers but the first look at */
	pthread_mutex_t lock;	   /* of all above */
	pthread_cond_t changed;
};

static struct pool *pool_of(struct evaluator *e)
{
	return (struct pool *)e;
}

static struct scorer *scorer_of(const struct card *c)
{
	return (struct scorer *)c->scorer;
}

/* ---- the threads --------------------------------------------------------- */

/* A run begins with a scoring on the first card. Meanwhile the others get ready,
 * which takes seconds, for theirs; what fails then fails in a scoring, which
 * says so. */
static void get_ready(const struct card *c)
{
	if (c != c->pool->card)
		error_free(scorer_get_ready(scorer_of(c)));
}

static void *serve(void *arg)
{
	struct card *c = arg;
	struct pool *p = c->pool;

	get_ready(c);
	pthread_mutex_lock(&p->lock);
	while (!p->is_ending) {
		card_job *job = c->job;

		if (!job) {
			pthread_cond_wait(&p->changed, &p->lock);
			continue;
		}
		pthread_mutex_unlock(&p->lock);
		c->err = job(c->scorer, c->arg);
		pthread_mutex_lock(&p->lock);
		c->job = NULL;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* The free card that has rested longest; NULL: none is free. */
static struct card *rested(const struct pool *p)
{
	struct card *found = NULL;

	for (size_t i = 0; i < p->n; i++)
		if (!p->card[i].is_taken &&
		    (!found || p->card[i].used < found->used))
			found = &p->card[i];
	return found;
}

static void look_again_at(struct timespec *out, clockid_t clock)
{
	clock_gettime(clock, out);
	out->tv_nsec += LOOK_NS;
	out->tv_sec += out->tv_nsec / 1000000000;
	out->tv_nsec %= 1000000000;
}

static void wait_a_moment(struct pool *p)
{
	struct timespec until;

	look_again_at(&until, CLOCK_MONOTONIC);
	pthread_cond_timedwait(&p->changed, &p->lock, &until);
}

static bool is_stopped(const struct pool *p)
{
	return p->stop_now && *p->stop_now == 2;
}

/* A signal of the user's comes to another thread. */
static void wait_for_job(struct pool *p, const struct card *c)
{
	while (c->job) {
		wait_a_moment(p);
		*p->stop_others = is_stopped(p) ? 2 : 0;
		if (c->job && is_stopped(p))
			pthread_kill(c->thread, WAKE);
	}
}

/* On whichever card is free first. */
static struct error *run_on_card(struct pool *p, card_job *job, void *arg)
{
	struct error *err;
	struct card *c;

	pthread_mutex_lock(&p->lock);
	while (!(c = rested(p)))
		pthread_cond_wait(&p->changed, &p->lock);
	c->is_taken = true;
	c->used = ++p->used;
	c->arg = arg;
	c->job = job;
	*p->stop_others = is_stopped(p) ? 2 : 0;
	pthread_cond_broadcast(&p->changed);
	wait_for_job(p, c);
	err = steal(&c->err);
	c->is_taken = false;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	return err;
}

/* ---- what runs on a card ------------------------------------------------- */

struct errand {
	struct measurement **out;
	const struct score_request *request;
	const struct candidate *candidate;
	bool *ok;
	char **log;
	struct buf *text;
	const struct profile_wish *profile;
	struct program_run *run;
	const char *source;
	double seconds;
};

static struct error *do_score(struct evaluator *e, void *arg)
{
	const struct errand *w = arg;

	return e->score(e, w->out, w->request);
}

static struct error *score(struct evaluator *e, struct measurement **out,
			   const struct score_request *r)
{
	struct errand w = {.out = out, .request = r};

	return run_on_card(pool_of(e), do_score, &w);
}

static struct error *do_build(struct evaluator *e, void *arg)
{
	const struct errand *w = arg;

	return e->build(e, w->ok, w->log, w->candidate);
}

/* A compiler needs no card; what builds when it is started does. */
static struct error *build(struct evaluator *e, bool *ok, char **log,
			   const struct candidate *c)
{
	struct errand w = {.candidate = c, .ok = ok, .log = log};
	struct pool *p = pool_of(e);

	if (task_compiles_cuda(scorer_of(&p->card[0])->task))
		return do_build(p->card[0].scorer, &w);
	return run_on_card(p, do_build, &w);
}

static struct error *do_profile(struct evaluator *e, void *arg)
{
	const struct errand *w = arg;

	return e->profile(e, w->text, w->candidate, w->profile);
}

static struct error *profile(struct evaluator *e, struct buf *text,
			     const struct candidate *c,
			     const struct profile_wish *wish)
{
	struct errand w = {.candidate = c, .text = text, .profile = wish};

	return run_on_card(pool_of(e), do_profile, &w);
}

static struct error *do_microbenchmark(struct evaluator *e, void *arg)
{
	const struct errand *w = arg;

	return e->microbenchmark(e, w->run, w->source, w->seconds);
}

static struct error *microbenchmark(struct evaluator *e,
				    struct program_run *out, const char *source,
				    double seconds)
{
	struct errand w = {.run = out, .source = source, .seconds = seconds};

	return run_on_card(pool_of(e), do_microbenchmark, &w);
}

/* ---- what the cards have in common --------------------------------------- */

static void identify(struct evaluator *e, struct identity *out,
		     const struct candidate *c)
{
	struct evaluator *first = pool_of(e)->card[0].scorer;

	first->identify(first, out, c);
}

static const char *machine_name(struct evaluator *e)
{
	struct evaluator *first = pool_of(e)->card[0].scorer;

	return first->machine_name(first);
}

static void machine_about(struct evaluator *e, struct buf *out)
{
	struct evaluator *first = pool_of(e)->card[0].scorer;

	first->machine_about(first, out);
}

/* That there is such a function says that builds may go on beside scorings. */
static bool build_ahead(struct evaluator *e UNUSED,
			const struct candidate *c UNUSED, bool is_sure UNUSED)
{
	return false;
}

static size_t choose_ahead(struct evaluator *e UNUSED)
{
	return 1;
}

static struct evaluator functions(const struct evaluator *of, size_t n)
{
	return (struct evaluator){
		.score = score,
		.at_once = n,
		.build = of->build ? build : NULL,
		.build_ahead = of->build_ahead ? build_ahead : NULL,
		.choose_ahead = choose_ahead,
		.identify = identify,
		.machine_name = machine_name,
		.machine_about = of->machine_about ? machine_about : NULL,
		.profile = of->profile ? profile : NULL,
		.microbenchmark = of->microbenchmark ? microbenchmark : NULL,
	};
}

/* ---- making one ---------------------------------------------------------- */

static struct error *check_card(const struct scorer *s)
{
	if (!s->gpus.n)
		return error_new(ERROR_REFUSED,
				 "there is no GPU here that could run it: %s",
				 s->gpus.why);
	if (!gpu_can_be_alone(&s->gpus.gpu[0]))
		return error_new(ERROR_REFUSED,
				 "candidates cannot be kept to one of several "
				 "cards where these are parts of a card (MIG) "
				 "or have no UUID: name one card only");
	return NULL;
}

static struct error *check_pair(const struct scorer *a, const struct scorer *b)
{
	if (str_eq(a->gpus.gpu[0].uuid, b->gpus.gpu[0].uuid))
		return error_new(ERROR_USAGE,
				 "the card %s is named twice: name every card "
				 "once",
				 a->gpus.gpu[0].uuid);
	if (!str_eq(a->machine.kind, b->machine.kind))
		return error_new(ERROR_REFUSED,
				 "%s and %s are of different kinds, and a "
				 "champion of one is not one of the other: "
				 "name cards of one kind, and begin a run for "
				 "each kind (--run NAME)",
				 a->machine.name, b->machine.name);
	return NULL;
}

static struct error *check_cards(const struct pool *p)
{
	for (size_t i = 0; i < p->n; i++) {
		TRY(check_card(scorer_of(&p->card[i])));
		for (size_t k = 0; k < i; k++)
			TRY(check_pair(scorer_of(&p->card[k]),
				       scorer_of(&p->card[i])));
	}
	return NULL;
}

static void do_nothing(int signo UNUSED)
{
}

/* Signals of the user are for the thread of the loop. */
static struct error *start(struct pool *p)
{
	struct sigaction wake = {.sa_handler = do_nothing};
	sigset_t others, before;
	int rc = 0;

	sigemptyset(&wake.sa_mask);
	sigaction(WAKE, &wake, NULL);
	sigfillset(&others);
	sigdelset(&others, WAKE);
	pthread_sigmask(SIG_SETMASK, &others, &before);
	for (size_t i = 0; i < p->n && !rc; i++) {
		struct card *c = &p->card[i];

		rc = pthread_create(&c->thread, NULL, serve, c);
		c->is_started = rc == 0;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = rc;
	return rc ? error_errno("cannot start a thread") : NULL;
}

static void pool_init(struct pool *p, struct evaluator *const *scorers,
		      size_t n, const volatile int *stop_now,
		      volatile int *stop_others)
{
	pthread_condattr_t attributes;

	p->base = functions(scorers[0], n);
	p->stop_now = stop_now;
	p->stop_others = stop_others;
	p->card = xcalloc(n, sizeof *p->card);
	p->n = n;
	for (size_t i = 0; i < n; i++)
		p->card[i] = (struct card){.scorer = scorers[i], .pool = p};
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&p->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

DEFINE_CLEANUP(pool, struct evaluator, scorer_pool_free)

struct error *scorer_pool_new(struct evaluator **out,
			      struct evaluator *const *scorers, size_t n,
			      const volatile int *stop_now,
			      volatile int *stop_others)
{
	CLEANUP(pool)
	struct evaluator *e = xcalloc(1, sizeof(struct pool));

	pool_init(pool_of(e), scorers, n, stop_now, stop_others);
	TRY(check_cards(pool_of(e)));
	TRY(start(pool_of(e)));
	*out = steal(&e);
	return NULL;
}

/* One that gets ready may wait for its card, in what only a signal ends. */
static void join(const struct card *c)
{
	struct timespec until;

	while (c->is_started) {
		pthread_kill(c->thread, WAKE);
		look_again_at(&until, CLOCK_REALTIME);
		if (pthread_timedjoin_np(c->thread, NULL, &until) != ETIMEDOUT)
			return;
	}
}

void scorer_pool_free(struct evaluator *e)
{
	struct pool *p = pool_of(e);

	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->is_ending = true;
	*p->stop_others = 2;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < p->n; i++)
		join(&p->card[i]);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	free(p->card);
	free(p);
}
