#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/run/outcome.h"

/* The start, the champion, and the attempt that is asked about. */
struct world {
	struct population p;
	struct attempt *a;
	struct measurement *m;
};

static void make_id(struct commit_id *id, int n)
{
	snprintf(id->hex, COMMIT_ID_LEN + 1, "%040x", n);
}

static void add(struct population *p, int64_t number)
{
	struct commit_id id;
	struct attempt *a;

	make_id(&id, (int)number + 1);
	a = population_add(p, id.hex);
	a->number = number;
	a->measurement = measurement_new();
	a->accepted = number < 2;
}

static void begin(struct world *w)
{
	population_init(&w->p);
	for (int64_t i = 0; i < 3; i++)
		add(&w->p, i);
	w->p.champion = 1;
	w->a = &w->p.attempt[2];
	w->m = w->a->measurement;
}

static struct comparison *compare(struct world *w, enum rival rival,
				  enum decision decided, bool confirmed)
{
	struct comparison *c = measurement_add_comparison(
		w->m, rival, w->p.attempt[rival != RIVAL_START].id.hex);

	c->decision = decided;
	c->confirmed = confirmed;
	return c;
}

/* The name, and a part of the line that explains it; ends w. */
static void assert_outcome(struct world *w, enum attempt_outcome outcome,
			   const char *name, const char *line)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	attempt_outcome_explain(&text, &w->p, w->a);
	assert_int_equal(attempt_outcome(&w->p, w->a), outcome);
	assert_string_equal(attempt_outcome_name(&w->p, w->a), name);
	assert_non_null(strstr(text.data, line));
	population_release(&w->p);
}

static void what_has_no_measurement_is_in_flight(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	population_set_measurement(&w.p, w.a, NULL);
	assert_outcome(&w, OUTCOME_IN_FLIGHT, "in flight", "not measured yet");
}

static void a_failure_is_named_by_its_verdict(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.a->accepted = true; /* a damaged journal may say so */
	measurement_fail(w.m, VERDICT_OUT_OF_BOUNDS, "wrote beside c");
	assert_outcome(&w, OUTCOME_FAILED, "out-of-bounds",
		       verdict_line(VERDICT_OUT_OF_BOUNDS));
}

static void a_start_that_fails_is_no_start(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.a = &w.p.attempt[0];
	measurement_fail(w.a->measurement, VERDICT_WRONG, "c differs");
	assert_outcome(&w, OUTCOME_FAILED, "wrong", "an output is wrong");
}

static void the_start_the_champion_and_what_was_kept_are_told_apart(
	void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.a = &w.p.attempt[0];
	assert_outcome(&w, OUTCOME_START, "start", "the run began with");
	begin(&w);
	w.a = &w.p.attempt[1];
	assert_outcome(&w, OUTCOME_CHAMPION, "champion", "best of the run");
	begin(&w);
	w.a->accepted = true;
	assert_outcome(&w, OUTCOME_KEPT, "kept", "go on from it");
}

/* Attempt 0 stands for the champion while there is none. */
static void the_start_is_never_the_champion(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.p.champion = 0;
	w.a = &w.p.attempt[0];
	assert_outcome(&w, OUTCOME_START, "start", "the run began with");
}

static void what_compiles_to_measured_code_is_told_so(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	compare(&w, RIVAL_CHAMPION, DECISION_FASTER, false);
	measurement_set(w.m, "same_code", w.p.attempt[1].id.hex);
	assert_outcome(&w, OUTCOME_SAME_CODE, "same code", "machine code");
}

/* Slower at every point of the interval, and not decided. */
static struct comparison *open_loss(struct world *w, double high,
				    const char *unsteady)
{
	struct comparison *c;

	begin(w);
	c = compare(w, RIVAL_CHAMPION, DECISION_NONE, false);
	c->ratio95 = (struct interval){0.6, high};
	if (unsteady)
		measurement_set(w->m, "unsteady", unsteady);
	return c;
}

static const char *reason(struct buf *out, struct world *w)
{
	buf_clear(out);
	attempt_reason_add(out, &w->p, w->a);
	return out->data;
}

static void a_loss_that_the_machine_may_have_made_says_so(void **state)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	struct comparison *c;
	struct world w;

	(void)state;
	open_loss(&w, 0.78, NULL);
	assert_outcome(&w, OUTCOME_UNDECIDED, "undecided", "is open");
	open_loss(&w, 1.01, "others had the CPU");
	assert_outcome(&w, OUTCOME_UNDECIDED, "undecided", "is open");
	c = open_loss(&w, 0.78, "others had the CPU");
	assert_string_equal(measurement_told(w.m, c), "not faster");
	/* The task's own baselines are decided either way. */
	c->rival = RIVAL_BASELINE;
	assert_string_equal(measurement_told(w.m, c), "undecided");
	c->rival = RIVAL_CHAMPION;
	assert_string_equal(reason(&why, &w),
			    "slower, but the machine was not steady: others "
			    "had the CPU");
	assert_outcome(&w, OUTCOME_NOT_FASTER, "not faster",
		       "slower, but the machine was not steady: others had the "
		       "CPU");
	assert_true(outcome_has_reason(OUTCOME_NOT_FASTER));
	assert_false(outcome_has_reason(OUTCOME_SLOWER));
}

static void sources_that_were_measured_before_are_told_so(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	compare(&w, RIVAL_CHAMPION, DECISION_SLOWER, false);
	measurement_set(w.m, "same_sources", w.p.attempt[1].id.hex);
	assert_outcome(&w, OUTCOME_SLOWER, "slower",
		       "; the same sources as #1, measured then");
}

/* The outcome is the word that the table of comparisons has. */
static void what_is_not_told_faster_is_named_as_its_comparison(void **state)
{
	static const struct {
		enum decision decision;
		double lo, hi;
		enum attempt_outcome outcome;
		const char *line;
	} cases[] = {
		{DECISION_SLOWER, 0.5, 0.6, OUTCOME_SLOWER,
		 "slower than its rival"},
		{DECISION_NONE, 0.98, 1.02, OUTCOME_SAME, "within 5 %"},
		{DECISION_NONE, 0.8, 1.3, OUTCOME_UNDECIDED, "is open"},
		{DECISION_NONE, 1.01, 1.02, OUTCOME_UNDECIDED, "is open"},
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct comparison *c;

		begin(&w);
		c = compare(&w, RIVAL_INCUMBENT, cases[i].decision, false);
		c->ratio95 = (struct interval){cases[i].lo, cases[i].hi};
		measurement_set(w.m, "unsteady", "drift");
		assert_outcome(&w, cases[i].outcome,
			       decision_name(c->decision, c->ratio95),
			       cases[i].line);
	}
}

/* A later measurement on another kind of machine is against the start alone. */
static void a_win_over_the_start_alone_decides_nothing(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	compare(&w, RIVAL_START, DECISION_FASTER, true);
	compare(&w, RIVAL_BASELINE, DECISION_FASTER, true);
	assert_outcome(&w, OUTCOME_NOT_COMPARED, "not compared",
		       "beside no rival");
	begin(&w);
	assert_outcome(&w, OUTCOME_NOT_COMPARED, "not compared", "");
}

static void the_first_rival_of_the_run_decides(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	compare(&w, RIVAL_START, DECISION_FASTER, true);
	compare(&w, RIVAL_CHAMPION, DECISION_FASTER, false);
	compare(&w, RIVAL_INCUMBENT, DECISION_SLOWER, false);
	assert_outcome(&w, OUTCOME_UNCONFIRMED, "unconfirmed", "");
}

static void a_win_that_was_not_told_again_is_unconfirmed(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	compare(&w, RIVAL_INCUMBENT, DECISION_FASTER, false);
	assert_outcome(&w, OUTCOME_UNCONFIRMED, "unconfirmed",
		       "not again in fresh processes");
}

static void a_win_that_the_machine_may_have_made_is_unsteady(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	compare(&w, RIVAL_INCUMBENT, DECISION_FASTER, false);
	measurement_set(w.m, "unsteady", "it was throttled");
	assert_outcome(&w, OUTCOME_UNSTEADY, "unsteady",
		       "not steady: it was throttled");
}

static void a_win_that_no_sanitizer_saw_is_unsanitized(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	compare(&w, RIVAL_CHAMPION, DECISION_FASTER, true);
	measurement_set(w.m, "unsteady", "in one of the tries");
	measurement_set(w.m, "unsanitized", "no compute-sanitizer");
	assert_outcome(&w, OUTCOME_UNSANITIZED, "unsanitized",
		       "not sanitized: no compute-sanitizer");
}

static void a_confirmed_win_without_a_crown_is_told_so(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	compare(&w, RIVAL_CHAMPION, DECISION_FASTER, true)->worst_case = 0.9;
	measurement_set(w.m, "sanitized", "memcheck");
	assert_outcome(&w, OUTCOME_NOT_CROWNED, "not crowned",
		       "but not champion: a case is slower, 0.900x");
	begin(&w);
	compare(&w, RIVAL_CHAMPION, DECISION_FASTER, true)->worst_case = 1.01;
	assert_outcome(&w, OUTCOME_NOT_CROWNED, "not crowned",
		       "not champion: another became champion "
		       "meanwhile");
}

static void a_brief_measurement_has_the_same_outcome(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	compare(&w, RIVAL_INCUMBENT, DECISION_FASTER, false);
	measurement_set(w.m, "unsteady", "it was throttled");
	population_set_measurement(&w.p, w.a, measurement_brief(w.m));
	assert_outcome(&w, OUTCOME_UNSTEADY, "unsteady", "it was throttled");
}

static void measure(struct population *p, const char *candidate,
		    enum rival rival, const char *name, const char *incumbent)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_MEASUREMENT, "r");
	e.candidate = commit_id(candidate);
	e.measurement = measurement_new();
	measurement_add_comparison(e.measurement, rival, name)->ratio = 5;
	measurement_add_comparison(e.measurement, RIVAL_INCUMBENT, incumbent)
		->ratio = 3;
	population_apply(p, &e);
}

/* Another run's start, and a baseline that has the name of a commit, lead not
 * to the start of this one. */
static void a_speedup_is_over_the_start_of_the_run(void **state)
{
	static const char elsewhere[] =
		"ffffffffffffffffffffffffffffffffffffffff";
	const char *start, *parent;
	struct world w;

	(void)state;
	begin(&w);
	start = w.p.attempt[0].id.hex;
	parent = w.p.attempt[1].id.hex;
	w.p.attempt[0].gain = 0;
	w.p.attempt[1].gain = log(2);
	assert_true(isnan(attempt_speedup(w.a)));
	measure(&w.p, w.a->id.hex, RIVAL_START, start, parent);
	assert_true(fabs(attempt_speedup(w.a) - 5) < 1e-9);
	measure(&w.p, w.a->id.hex, RIVAL_START, elsewhere, parent);
	assert_true(fabs(attempt_speedup(w.a) - 6) < 1e-9);
	measure(&w.p, w.a->id.hex, RIVAL_BASELINE, start, elsewhere);
	assert_true(fabs(attempt_speedup(w.a) - 6) < 1e-9);
	population_release(&w.p);
}

static void wins_that_were_not_kept_and_open_losses_have_a_reason(void **state)
{
	(void)state;
	for (size_t o = 0; o < OUTCOME_COUNT; o++)
		assert_int_equal(outcome_has_reason((enum attempt_outcome)o),
				 o >= OUTCOME_UNCONFIRMED ||
					 o == OUTCOME_NOT_FASTER);
}

/* Of an attempt with this gain that was found faster by an unsteady machine. */
static void open_win(struct world *w, double gain)
{
	w->m = w->a->measurement;
	w->a->gain = log(gain);
	compare(w, RIVAL_INCUMBENT, DECISION_FASTER, false);
	measurement_set(w->m, "unsteady", "it was throttled");
}

static void the_nearest_to_a_crown_is_the_fastest_that_was_faster(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.p.champion = 0;
	assert_null(attempt_nearest(&w.p));
	open_win(&w, 1.2);
	assert_ptr_equal(attempt_nearest(&w.p), &w.p.attempt[2]);
	w.a = &w.p.attempt[1];
	open_win(&w, 1.5);
	assert_ptr_equal(attempt_nearest(&w.p), &w.p.attempt[1]);
	w.a->crowned = true;
	assert_ptr_equal(attempt_nearest(&w.p), &w.p.attempt[2]);
	w.p.attempt[2].gain = log(0.9);
	assert_null(attempt_nearest(&w.p));
	population_release(&w.p);
}

static void what_is_kept_may_be_in_doubt(void **state)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	struct world w;

	(void)state;
	begin(&w);
	w.a->accepted = true;
	assert_int_equal(attempt_doubt(w.a), OUTCOME_COUNT);
	open_win(&w, 1.2);
	assert_int_equal(attempt_doubt(w.a), OUTCOME_UNSTEADY);
	attempt_doubt_explain(&why, w.a);
	assert_string_equal(why.data, "faster, but the machine was not steady: "
				      "it was throttled");
	assert_outcome(&w, OUTCOME_KEPT, "kept", "go on from it");
}

static void a_reason_says_why_it_is_not_the_champion(void **state)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	struct comparison *c;
	struct world w;

	(void)state;
	begin(&w);
	open_win(&w, 1.2);
	assert_string_equal(reason(&why, &w),
			    "faster, but the machine was not steady: it was "
			    "throttled");
	w.a->accepted = true;
	assert_non_null(strstr(reason(&why, &w), "it was throttled"));
	w.p.record.from = w.a->id;
	assert_non_null(strstr(reason(&why, &w), "was begun with it"));
	w.a->crowned = true;
	assert_string_equal(reason(&why, &w), "was champion before");
	population_release(&w.p);

	begin(&w);
	c = compare(&w, RIVAL_CHAMPION, DECISION_SLOWER, false);
	compare(&w, RIVAL_INCUMBENT, DECISION_FASTER, true);
	c->ratio95 = (struct interval){0.5, 0.6};
	assert_string_equal(reason(&why, &w), "");
	w.a->accepted = true;
	assert_string_equal(reason(&why, &w), "faster than its lineage was, "
					      "not than the champion");
	w.a = &w.p.attempt[1];
	assert_string_equal(reason(&why, &w), "");
	w.a = &w.p.attempt[0];
	assert_string_equal(reason(&why, &w), "");
	population_release(&w.p);
}

static void what_may_be_faster_than_the_champion_is_named(void **state)
{
	const struct attempt *found[2];
	struct comparison *c;
	struct world w;

	(void)state;
	begin(&w);
	add(&w.p, 3);
	w.a = &w.p.attempt[2];
	for (size_t i = 0; i < 4; i++)
		w.p.attempt[i].gain = log(1 + 0.5 * (double)i);
	assert_int_equal(attempt_maybe_faster(found, 2, &w.p), 0);
	for (size_t i = 2; i < 4; i++) {
		w.m = w.p.attempt[i].measurement;
		c = compare(&w, RIVAL_CHAMPION, DECISION_FASTER, false);
		measurement_set(w.m, "unsteady", "others had the CPU");
	}
	assert_int_equal(attempt_maybe_faster(found, 2, &w.p), 2);
	assert_ptr_equal(found[0], &w.p.attempt[3]);
	assert_ptr_equal(found[1], &w.p.attempt[2]);
	assert_int_equal(attempt_maybe_faster(found, 1, &w.p), 1);
	c->decision =
		DECISION_NONE; /* in the mean of the sessions of a final */
	assert_int_equal(attempt_maybe_faster(found, 2, &w.p), 2);
	c->decision = DECISION_SLOWER;
	assert_int_equal(attempt_maybe_faster(found, 2, &w.p), 1);
	w.p.attempt[2].gain = w.p.attempt[1].gain + 0.01;
	assert_int_equal(attempt_maybe_faster(found, 2, &w.p), 0);
	w.p.attempt[2].gain = log(3);
	w.p.champion = 0;
	assert_int_equal(attempt_maybe_faster(found, 2, &w.p), 0);
	population_release(&w.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_has_no_measurement_is_in_flight),
		cmocka_unit_test(a_failure_is_named_by_its_verdict),
		cmocka_unit_test(a_start_that_fails_is_no_start),
		cmocka_unit_test(
			the_start_the_champion_and_what_was_kept_are_told_apart),
		cmocka_unit_test(the_start_is_never_the_champion),
		cmocka_unit_test(what_compiles_to_measured_code_is_told_so),
		cmocka_unit_test(sources_that_were_measured_before_are_told_so),
		cmocka_unit_test(
			what_is_not_told_faster_is_named_as_its_comparison),
		cmocka_unit_test(a_win_over_the_start_alone_decides_nothing),
		cmocka_unit_test(the_first_rival_of_the_run_decides),
		cmocka_unit_test(a_win_that_was_not_told_again_is_unconfirmed),
		cmocka_unit_test(
			a_win_that_the_machine_may_have_made_is_unsteady),
		cmocka_unit_test(a_loss_that_the_machine_may_have_made_says_so),
		cmocka_unit_test(a_win_that_no_sanitizer_saw_is_unsanitized),
		cmocka_unit_test(a_confirmed_win_without_a_crown_is_told_so),
		cmocka_unit_test(a_brief_measurement_has_the_same_outcome),
		cmocka_unit_test(a_speedup_is_over_the_start_of_the_run),
		cmocka_unit_test(
			wins_that_were_not_kept_and_open_losses_have_a_reason),
		cmocka_unit_test(
			the_nearest_to_a_crown_is_the_fastest_that_was_faster),
		cmocka_unit_test(what_is_kept_may_be_in_doubt),
		cmocka_unit_test(what_may_be_faster_than_the_champion_is_named),
		cmocka_unit_test(a_reason_says_why_it_is_not_the_champion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
