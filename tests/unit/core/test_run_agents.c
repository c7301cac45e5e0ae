/* Several agents in one loop, with stand-ins that watch who does what when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <stdatomic.h>

#include "core/run/evolve.h"
#include "tests/unit/core/nothing_kept.h"

#define AGENTS 4
#define BUILDS 2
/* So many before each score of an agent. */
#define BUILDS_EACH 20

struct world;

struct worker {
	struct variation_operator operator_; /* first: cast back */
	struct world *w;
	size_t attempts; /* that it makes; 0: as many as it may */
	bool fails, builds;
};

struct world {
	struct archive archive;
	struct evaluator evaluator;
	struct task task;
	struct worker worker[AGENTS];
	struct variation_operator *operators[AGENTS];
	atomic_size_t candidates, open_workspaces;
	atomic_int building, scoring;
	atomic_int most_building, both, two_scores; /* at a time */
	atomic_int most_scoring;
	bool wins;  /* every candidate is faster than its rivals */
	bool waits; /* the first scoring and the first builds, for each other */
};

#define WORLD(member, p) \
	((struct world *)((char *)(p)-offsetof(struct world, member)))

/* ---- the archive ----------------------------------------------------------- */

static struct error *open_workspace(struct archive *a, struct workspace *out,
				    const char *parent UNUSED)
{
	WORLD(archive, a)->open_workspaces++;
	out->dir = xstrdup("nowhere");
	return NULL;
}

static void close_workspace(struct archive *a, struct workspace *ws)
{
	WORLD(archive, a)->open_workspaces--;
	free(ws->dir);
}

static void make_id(struct commit_id *id, size_t n)
{
	snprintf(id->hex, COMMIT_ID_LEN + 1, "%040zx", n + 1);
}

static struct error *seal(struct archive *a, struct commit_id *id, bool *same,
			  const struct workspace *ws UNUSED,
			  const char *parent UNUSED,
			  const struct proposal *p UNUSED)
{
	*same = false;
	make_id(id, ++WORLD(archive, a)->candidates);
	return NULL;
}

/* ---- the evaluator --------------------------------------------------------- */

static const char *machine_name(struct evaluator *e UNUSED)
{
	return "a stand-in";
}

static void pause_a_little(void)
{
	for (int i = 0; i < 50; i++)
		sched_yield();
}

static void win(struct measurement *m, const struct rival_request *over)
{
	struct comparison *c = measurement_add_comparison(
		m, over->rival, over->candidate->id.hex);

	c->ratio = 1.5;
	c->ratio95 = (struct interval){1.4, 1.6};
	c->decision = DECISION_FASTER;
	c->confirmed = true;
}

static struct error *score(struct evaluator *e, struct measurement **out,
			   const struct score_request *request)
{
	struct world *w = WORLD(evaluator, e);

	int now = ++w->scoring;

	if (now > 1)
		w->two_scores = 1;
	if (now > w->most_scoring)
		w->most_scoring = now;
	/* The first two meet. */
	while (e->at_once > 1 && w->candidates && w->most_scoring < 2)
		sched_yield();
	while (w->waits && w->candidates && !w->both)
		w->both |= w->building > 0;
	for (int i = 0; i < 20; i++) {
		w->both |= w->building > 0;
		sched_yield();
	}
	*out = measurement_new();
	identify_by_id(e, &(*out)->identity, request->candidate);
	(*out)->score = 1;
	for (size_t i = 0; w->wins && i < request->n_rivals; i++)
		win(*out, &request->rivals[i]);
	w->scoring--;
	return NULL;
}

static struct error *build(struct evaluator *e, bool *ok, char **log,
			   const struct candidate *c UNUSED)
{
	struct world *w = WORLD(evaluator, e);
	int now = ++w->building;

	if (now > w->most_building)
		w->most_building = now;
	w->both |= w->scoring > 0;
	/* The first ones meet. */
	while (w->waits && (!w->both || w->most_building < BUILDS))
		sched_yield();
	pause_a_little();
	w->building--;
	*ok = true;
	*log = NULL;
	return NULL;
}

static bool build_ahead(struct evaluator *e UNUSED,
			const struct candidate *c UNUSED, bool is_sure UNUSED)
{
	return false;
}

static size_t choose_ahead(struct evaluator *e UNUSED)
{
	return 1;
}

/* ---- an agent -------------------------------------------------------------- */

static struct error *build_some(struct variation *v)
{
	struct evaluator *e = v->evaluator;
	const struct candidate c = {.files = FILESET_INIT};
	struct error *err = NULL;
	char *log = NULL;
	bool ok;

	for (int i = 0; i < BUILDS_EACH && !err; i++) {
		variation_at_rest(v, true);
		err = e->build(e, &ok, &log, &c);
		variation_at_rest(v, false);
		free(steal(&log));
	}
	return err;
}

/* Until another agent builds, which then waits for a scoring. */
static void wait_for_a_build(struct variation *v, struct world *w)
{
	variation_at_rest(v, true);
	while (!w->both && !w->building)
		sched_yield();
	variation_at_rest(v, false);
}

static struct error *vary(struct variation_operator *o, enum varied *out,
			  struct variation *v)
{
	struct worker *worker = (struct worker *)o;
	const struct attempt *a = NULL;
	size_t n = 0;

	if (worker->fails)
		return error_new(ERROR_REFUSED, "its key is refused");
	do {
		if (worker->builds)
			TRY(build_some(v));
		else
			wait_for_a_build(v, worker->w);
		TRY(v->score(v, &a, "a change", "because", NULL));
		n += a != NULL;
	} while (v->may_go_on(v) && n != worker->attempts);
	*out = worker->attempts ? VARIED_EXHAUSTED : VARIED;
	return NULL;
}

static void world_init(struct world *w)
{
	*w = (struct world){
		.archive = {open_workspace, close_workspace, seal, load_by_id,
			    append_nothing, read_nothing, find_nothing, NULL},
		.evaluator = {.score = score,
			      .build = build,
			      .identify = identify_by_id,
			      .machine_name = machine_name},
		.task = {.path = (char *)"avogit.yaml"},
	};
	for (size_t i = 0; i < AGENTS; i++) {
		w->worker[i] =
			(struct worker){.operator_ = {"stand-in", vary, NULL},
					.w = w,
					.builds = true};
		w->operators[i] = &w->worker[i].operator_;
	}
}

/* Every champion beat the one before it. */
struct crowns {
	struct evolve_listener listener; /* first: cast back */
	char champion[COMMIT_ID_LEN + 1];
	size_t n;
};

static void on_event(struct evolve_listener *self, enum evolve_event event,
		     const struct population *p, const struct attempt *a,
		     const char *text UNUSED)
{
	struct crowns *crowns = (struct crowns *)self;

	if (event == EVOLVE_STARTED)
		snprintf(crowns->champion, sizeof crowns->champion, "%s",
			 p->attempt[0].id.hex);
	if (event != EVOLVE_CROWNED)
		return;
	assert_string_equal(a->measurement->comparisons[0].name,
			    crowns->champion);
	snprintf(crowns->champion, sizeof crowns->champion, "%s", a->id.hex);
	crowns->n++;
}

static struct error *evolve_heard(struct world *w, struct population *p,
				  int64_t attempts,
				  struct evolve_listener *listener)
{
	struct evolve settings = {
		.task = &w->task,
		.archive = &w->archive,
		.evaluator = &w->evaluator,
		.operator_ = w->operators[0],
		.agents = {.n = AGENTS,
			   .operator_ = w->operators,
			   .builds = BUILDS},
		.listener = listener,
		.run = "r",
		.seed = 7,
		.budget = {.attempts = attempts},
		.supervisor = {.rules = {.max_lineages = 4}},
	};
	enum ending ending;

	make_id(&settings.base, 0);
	population_init(p);
	return evolve_run(&ending, p, &settings);
}

static struct error *evolve(struct world *w, struct population *p,
			    int64_t attempts)
{
	return evolve_heard(w, p, attempts, NULL);
}

/* ---- the tests ------------------------------------------------------------- */

static void test_nothing_is_built_while_a_cpu_is_timed(void **state UNUSED)
{
	cleanup_population struct population p;
	struct world w;

	world_init(&w);
	assert_null(evolve(&w, &p, 12));
	assert_int_equal(p.n, 13);
	for (size_t i = 0; i < p.n; i++) {
		assert_true(attempt_is_measured(&p.attempt[i]));
		assert_int_equal(p.attempt[i].number, i);
	}
	assert_string_equal(p.stop_reason, "attempts");
	assert_false(w.both);
	assert_false(w.two_scores);
	assert_int_equal(w.most_building, BUILDS);
	assert_int_equal(w.open_workspaces, 0);
}

static void test_builds_go_on_beside_a_gpu(void **state UNUSED)
{
	cleanup_population struct population p;
	struct world w;

	world_init(&w);
	w.evaluator.build_ahead = build_ahead;
	w.evaluator.choose_ahead = choose_ahead;
	w.waits = true;
	w.worker[0].builds = false;
	assert_null(evolve(&w, &p, 12));
	assert_true(w.both);
	assert_false(w.two_scores);
	assert_int_equal(w.most_building, BUILDS);
}

static void test_so_many_are_scored_as_can_be(void **state UNUSED)
{
	cleanup_population struct population p;
	struct world w;

	world_init(&w);
	w.evaluator.at_once = 2;
	w.evaluator.build_ahead = build_ahead;
	w.evaluator.choose_ahead = choose_ahead;
	assert_null(evolve(&w, &p, 12));
	assert_int_equal(w.most_scoring, 2);
	assert_int_equal(p.n, 13);
	for (size_t i = 0; i < p.n; i++) {
		assert_true(attempt_is_measured(&p.attempt[i]));
		assert_int_equal(p.attempt[i].number, i);
	}
	assert_string_equal(p.stop_reason, "attempts");
	assert_int_equal(w.open_workspaces, 0);
}

/* Of two that are measured at a time the second one meets the first, too. */
static void test_a_win_over_a_former_champion_is_no_crown(void **state UNUSED)
{
	cleanup_population struct population p;
	struct crowns crowns = {.listener = {on_event}};
	struct world w;

	world_init(&w);
	w.evaluator.at_once = 2;
	w.evaluator.build_ahead = build_ahead;
	w.evaluator.choose_ahead = choose_ahead;
	w.wins = true;
	assert_null(evolve_heard(&w, &p, 12, &crowns.listener));
	assert_int_equal(w.most_scoring, 2);
	assert_int_equal(crowns.n, 12);
	for (size_t i = 1; i < p.n; i++)
		assert_true(p.attempt[i].accepted);
}

static void test_who_has_nothing_left_leaves(void **state UNUSED)
{
	cleanup_population struct population p;
	struct world w;

	world_init(&w);
	for (size_t i = 0; i < AGENTS; i++)
		w.worker[i].attempts = i + 1;
	assert_null(evolve(&w, &p, 0));
	assert_int_equal(p.n, 1 + 1 + 2 + 3 + 4);
	assert_string_equal(p.stop_reason, "exhausted");
}

static void test_an_error_of_one_ends_all(void **state UNUSED)
{
	cleanup_population struct population p;
	cleanup_error struct error *err = NULL;
	struct world w;

	world_init(&w);
	w.worker[2].fails = true;
	err = evolve(&w, &p, 1000000);
	assert_non_null(err);
	assert_string_equal(error_message(err), "its key is refused");
	assert_int_equal(w.open_workspaces, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_built_while_a_cpu_is_timed),
		cmocka_unit_test(test_builds_go_on_beside_a_gpu),
		cmocka_unit_test(test_so_many_are_scored_as_can_be),
		cmocka_unit_test(test_a_win_over_a_former_champion_is_no_crown),
		cmocka_unit_test(test_who_has_nothing_left_leaves),
		cmocka_unit_test(test_an_error_of_one_ends_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
