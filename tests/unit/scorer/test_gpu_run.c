#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "scorer/host/gpu_process.h"

#define LAUNCHES 60

/* A batch of a launcher's: its events, its clock, what that is of nothing. */
static struct gpu_ran ran_of(double events, double span, double latency,
			     double waited, enum verdict wanted)
{
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	struct gpu_ran ran = {.wall = span + 1e-3, .waited = waited};
	struct gpu_ran_reply reply = {.span = span, .latency = latency};

	for (size_t i = 0; i < LAUNCHES; i++)
		reply.milliseconds[i] = (float)(1e3 * events / LAUNCHES);
	gpu_ran_take(&o, &ran, &reply, LAUNCHES, true);
	assert_int_equal(o.verdict, wanted);
	return ran;
}

static void what_a_batch_of_nothing_takes_is_left_out_by_nobody(void **state)
{
	struct gpu_ran one = ran_of(6e-3, 6.1e-3, 0.1e-3, 0, VERDICT_PASS),
		       nine = ran_of(6e-3, 6.9e-3, 0.9e-3, 0, VERDICT_PASS);

	(void)state;
	assert_false(one.late);
	assert_false(nine.late);
	assert_true(fabs(one.left_out) < 1e-8);
	assert_true(fabs(nine.left_out) < 1e-8);
}

static void what_events_leave_out_is_late_and_known(void **state)
{
	struct gpu_ran ran = ran_of(6e-3, 12.1e-3, 0.1e-3, 0, VERDICT_PASS);

	(void)state;
	assert_true(ran.late);
	assert_true(fabs(ran.left_out - 100e-6) < 1e-7);
}

/* Another program had its CPU when the card was done. */
static void a_host_that_stood_in_line_is_not_late(void **state)
{
	struct gpu_ran ran = ran_of(6e-3, 9e-3, 0.1e-3, 4e-3, VERDICT_PASS);

	(void)state;
	assert_false(ran.late);
	assert_true(isnan(ran.left_out));
}

/* Ten seconds by a card whose second is a thousandth shorter. */
static void two_quartzes_are_no_lie(void **state)
{
	struct gpu_ran ran = ran_of(10.01, 10.0002, 0.1e-3, 0, VERDICT_PASS);

	(void)state;
	assert_false(ran.late);
	ran_of(10.1, 10.0002, 0.1e-3, 0, VERDICT_FORBIDDEN);
}

/* A batch of a resident's, 6 ms by its events; `span`: it waited for a gate. */
static struct gpu_ran ran_by_resident(double wall, double span, uint32_t stuck,
				      enum verdict wanted)
{
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	struct gpu_ran ran = {.wall = wall};
	struct gpu_ran_reply reply = {
		.span = span, .stuck = stuck, .gate_steps = 7};

	for (size_t i = 0; i < LAUNCHES; i++)
		reply.milliseconds[i] = 0.1F;
	gpu_ran_take(&o, &ran, &reply, LAUNCHES, false);
	assert_int_equal(o.verdict, wanted);
	assert_true(isnan(ran.left_out));
	assert_int_equal(ran.gate_steps, 7);
	return ran;
}

static void what_a_host_took_before_a_gate_opened_is_not_late(void **state)
{
	struct gpu_ran hidden = ran_by_resident(0.2, 6.1e-3, 0, VERDICT_PASS),
		       seen = ran_by_resident(0.2, 0, 0, VERDICT_PASS);

	(void)state;
	assert_false(hidden.late);
	assert_true(seen.late);
}

static void a_gate_that_opened_by_itself_is_told_and_not_late(void **state)
{
	struct gpu_ran ran = ran_by_resident(0.3, 0.1, 2, VERDICT_PASS);

	(void)state;
	assert_true(ran.stuck);
	assert_false(ran.late);
}

static void events_of_a_resident_say_no_more_than_there_was(void **state)
{
	(void)state;
	ran_by_resident(5e-3, 7e-3, 0, VERDICT_FORBIDDEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_a_batch_of_nothing_takes_is_left_out_by_nobody),
		cmocka_unit_test(what_events_leave_out_is_late_and_known),
		cmocka_unit_test(a_host_that_stood_in_line_is_not_late),
		cmocka_unit_test(two_quartzes_are_no_lie),
		cmocka_unit_test(
			what_a_host_took_before_a_gate_opened_is_not_late),
		cmocka_unit_test(
			a_gate_that_opened_by_itself_is_told_and_not_late),
		cmocka_unit_test(
			events_of_a_resident_say_no_more_than_there_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
