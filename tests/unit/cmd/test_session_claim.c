#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/session/claim.h"

#define RIVAL "1111111111111111111111111111111111111111"

static struct measurement *measured(double score, double ratio, double width,
				    const char *machine)
{
	struct measurement *m = measurement_new();
	struct comparison *c =
		measurement_add_comparison(m, RIVAL_INCUMBENT, RIVAL);

	m->verdict = VERDICT_PASS;
	m->score = score;
	snprintf(m->identity.machine, sizeof m->identity.machine, "%s",
		 machine);
	c->ratio = ratio;
	c->ratio95 = (struct interval){ratio - width, ratio + width};
	c->decision = c->ratio95.lo > 1	  ? DECISION_FASTER
		      : c->ratio95.hi < 1 ? DECISION_SLOWER
					  : DECISION_NONE;
	return m;
}

static bool holds(struct measurement *claim, struct measurement *today)
{
	cleanup_measurement struct measurement *a = claim, *b = today;
	cleanup_strvec struct strvec points = STRVEC_INIT;
	bool all = true, result = claim_holds(&points, a, b, NULL);

	for (size_t i = 0; i < points.n; i++)
		all = all && !starts_with(points.v[i], "fails: ");
	assert_true(points.n > 0);
	assert_int_equal(all, result);
	return result;
}

static void holds_when_the_same_comes_out(void **state)
{
	(void)state;
	assert_true(holds(measured(1e9, 1.1, 0.01, "a"),
			  measured(1e9, 1.095, 0.01, "a")));
}

static void holds_when_more_comes_out(void **state)
{
	(void)state;
	assert_true(holds(measured(1e9, 1.1, 0.01, "a"),
			  measured(2e9, 1.3, 0.01, "a")));
}

static void fails_when_the_rival_is_not_beaten_again(void **state)
{
	(void)state;
	assert_false(holds(measured(1e9, 1.1, 0.01, "a"),
			   measured(1e9, 1.0, 0.05, "a")));
	assert_false(holds(measured(1e9, 1.1, 0.01, "a"),
			   measured(1e9, 0.9, 0.01, "a")));
}

static void is_open_when_too_little_was_seen(void **state)
{
	cleanup_measurement struct measurement *claim =
		measured(1e9, 1.02, 0.01, "a");
	cleanup_measurement struct measurement *today =
		measured(1e9, 1.008, 0.025, "a");
	cleanup_strvec struct strvec points = STRVEC_INIT;

	(void)state;
	assert_true(claim_holds(&points, claim, today, NULL));
	assert_true(starts_with(points.v[points.n - 1], "open: "));
}

static void fails_when_the_win_is_smaller_than_claimed(void **state)
{
	(void)state;
	assert_false(holds(measured(1e9, 1.5, 0.01, "a"),
			   measured(1e9, 1.1, 0.01, "a")));
}

static void another_machine_has_other_figures_but_the_same_winner(void **state)
{
	(void)state;
	assert_true(holds(measured(9e9, 1.5, 0.01, "a"),
			  measured(1e9, 1.1, 0.01, "b")));
	assert_false(holds(measured(9e9, 1.5, 0.01, "a"),
			   measured(1e9, 0.9, 0.01, "b")));
}

static void fails_when_the_score_was_far_higher(void **state)
{
	(void)state;
	assert_true(holds(measured(1.2e9, 1.1, 0.01, "a"),
			  measured(1e9, 1.1, 0.01, "a")));
	assert_false(holds(measured(1.3e9, 1.1, 0.01, "a"),
			   measured(1e9, 1.1, 0.01, "a")));
}

static void what_was_not_told_is_no_claim(void **state)
{
	(void)state;
	assert_true(holds(measured(1e9, 1.0, 0.01, "a"),
			  measured(1e9, 0.9, 0.01, "a")));
}

static void fails_when_a_rival_was_not_measured(void **state)
{
	struct measurement *today = measured(1e9, 1.1, 0.01, "a");

	(void)state;
	free(today->comparisons[0].name);
	today->comparisons[0].name = xstrdup("another");
	assert_false(holds(measured(1e9, 1.1, 0.01, "a"), today));
}

static void the_verdict_must_be_the_same(void **state)
{
	struct measurement *claim = measured(1e9, 1.1, 0.01, "a");
	struct measurement *today = measured(1e9, 1.1, 0.01, "a");

	(void)state;
	measurement_fail(today, VERDICT_WRONG, "y[0] is 1");
	assert_false(holds(claim, today));
	claim = measured(1e9, 1.1, 0.01, "a");
	measurement_fail(claim, VERDICT_CRASHED, "SIGSEGV");
	today = measured(1e9, 1.1, 0.01, "a");
	measurement_fail(today, VERDICT_CRASHED, "SIGSEGV");
	assert_true(holds(claim, today));
}

static bool is_claim(const struct measurement *m, void *arg)
{
	(void)arg;
	return claim_is(m);
}

static void a_check_is_no_claim(void **state)
{
	cleanup_measurement struct measurement *claim =
		measured(1e9, 1.1, 0.01, "a");
	cleanup_measurement struct measurement *check =
		measured(2e9, 1.1, 0.01, "a");
	cleanup_measurement struct measurement *found = NULL;
	cleanup_buf struct buf note = BUF_INIT(1 << 16);

	(void)state;
	/* The check is the newer one. */
	memcpy(claim->id, "20200101T000000Z-00000000", sizeof claim->id);
	memcpy(check->id, "20210101T000000Z-00000000", sizeof check->id);
	measurement_set(check, CLAIM_KEY, claim->id);
	measurement_note_add(&note, check);
	assert_null(measurement_note_find(note.data, is_claim, NULL));
	measurement_note_add(&note, claim);
	found = measurement_note_find(note.data, is_claim, NULL);
	assert_non_null(found);
	assert_string_equal(found->id, claim->id);
	assert_int_equal(found->time_us, INT64_C(1577836800) * 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_when_the_same_comes_out),
		cmocka_unit_test(holds_when_more_comes_out),
		cmocka_unit_test(fails_when_the_rival_is_not_beaten_again),
		cmocka_unit_test(is_open_when_too_little_was_seen),
		cmocka_unit_test(fails_when_the_win_is_smaller_than_claimed),
		cmocka_unit_test(
			another_machine_has_other_figures_but_the_same_winner),
		cmocka_unit_test(fails_when_the_score_was_far_higher),
		cmocka_unit_test(what_was_not_told_is_no_claim),
		cmocka_unit_test(fails_when_a_rival_was_not_measured),
		cmocka_unit_test(the_verdict_must_be_the_same),
		cmocka_unit_test(a_check_is_no_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
