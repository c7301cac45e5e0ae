/* What a contest says of a rival, by how steady the machine was meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scorer/scoring.h"

/* A contest of the candidate and one other, as it stands when it is over. */
struct world {
	struct contest contest;
	struct contender contender[2];
	struct scoring scoring;
	struct task task;
	struct score_request request;
	struct rival_request rival;
	struct candidate candidate;
};

static void world_init(struct world *w, double low, double high)
{
	*w = (struct world){.task = {.threads = 1}};
	w->scoring.task = &w->task;
	w->contest.sc = &w->scoring;
	w->contest.contender = w->contender;
	w->contest.n = 2;
	w->contender[1].name = "0123456789012345678901234567890123456789";
	w->contender[1].state = (struct comparison_state){
		.ratio = (low + high) / 2,
		.ratio95 = {low, high},
		.decision = DECISION_SLOWER,
		.done = true,
	};
	w->rival = (struct rival_request){RIVAL_INCUMBENT, &w->candidate};
	w->request = (struct score_request){.rivals = &w->rival, .n_rivals = 1};
	steadiness_begin(&w->contest.steady);
	/* Nothing of the machine that the test itself runs on counts. */
	w->contest.steady.stolen = INFINITY;
	w->contest.steady.throttled = -1;
}

/* Others had the CPU for this share of the time. */
static void disturb(struct world *w, double share)
{
	w->contest.steady.ran = 1 - share;
	w->contest.steady.waited = share;
}

static enum decision told(struct world *w)
{
	cleanup_measurement struct measurement *m = measurement_new();
	const struct contenders f = {.request = &w->request};

	score_comparisons(m, &f, &w->contest);
	assert_true(m->n_comparisons == 1);
	assert_true(m->comparisons[0].ratio95.hi ==
		    w->contender[1].state.ratio95.hi);
	return m->comparisons[0].decision;
}

static void a_loss_that_a_disturbance_explains_is_not_told(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 0.798, 0.904);
	disturb(&w, 0.3);
	assert_int_equal(told(&w), DECISION_NONE);
}

static void a_larger_loss_is(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 0.1, 0.2);
	disturb(&w, 0.3);
	assert_int_equal(told(&w), DECISION_SLOWER);
}

/* As large as where a task may use every CPU: found on any machine. */
static void on_a_steady_machine_it_is_told(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 0.3, 0.4);
	assert_int_equal(told(&w), DECISION_SLOWER);
}

static void the_tasks_own_baselines_are_told_by_one_contest(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, 0.798, 0.904);
	disturb(&w, 0.3);
	w.contender[1].points.trusted = true;
	assert_int_equal(told(&w), DECISION_SLOWER);
}

/* Of few launches on a busy machine. */
static void a_gain_whose_end_is_far_off_can_be_read_again(void **state)
{
	struct world w;
	cleanup_measurement struct measurement *m = measurement_new();
	const struct contenders f = {.request = &w.request};

	(void)state;
	world_init(&w, 1, 1e15);
	w.contender[1].state.ratio = 13;
	w.contender[1].state.decision = DECISION_FASTER;
	score_comparisons(m, &f, &w.contest);
	/* There is no case whose ratio it could be. */
	m->comparisons[0].worst_case = 13;
	m->verdict = VERDICT_PASS;
	measurement_check(m);
	assert_int_equal(m->verdict, VERDICT_PASS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_loss_that_a_disturbance_explains_is_not_told),
		cmocka_unit_test(a_larger_loss_is),
		cmocka_unit_test(on_a_steady_machine_it_is_told),
		cmocka_unit_test(
			the_tasks_own_baselines_are_told_by_one_contest),
		cmocka_unit_test(a_gain_whose_end_is_far_off_can_be_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
