#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/base/file.h"
#include "scorer/inspect/profile.h"

/* ---- facts ----------------------------------------------------------------- */

static void read_sample(struct profile *p)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_capture struct profile_capture c = {0};

	assert_null(file_read(&text, "tests/data/ncu/h200.csv"));
	assert_null(capture_parse(&c, text.data, text.len));
	assert_null(profile_read(p, NULL, &c));
}

static void assert_near(double got, double expected)
{
	assert_true(fabs(got - expected) <= 1e-3 * fabs(expected));
}

static void the_longest_kernel_is_told_with_its_share(void **state)
{
	cleanup_profile struct profile p = {0};

	(void)state;
	read_sample(&p);
	assert_true(starts_with(p.kernel, "conflicts(const __nv_bfloat16 *"));
	assert_int_equal(p.n_kernels, 2);
	assert_near(p.share, 657728.0 / (657728 + 176736));
	assert_near(p.fact[FACT_SECONDS], 657.728e-6);
	assert_near(p.fact[FACT_ISSUE], 11);
	assert_near(p.fact[FACT_SHARED_LOAD_CONFLICTS], 65199534);
	assert_near(p.fact[FACT_LATENCY], 136.78);
	/* Two names that this card has, the larger. */
	assert_near(p.fact[FACT_FMA], 2.18);
}

static void stalls_come_longest_first_and_each_once(void **state)
{
	cleanup_profile struct profile p = {0};

	(void)state;
	read_sample(&p);
	assert_int_equal(p.n_stalls, 13);
	assert_string_equal(p.stall[0].name, "short_scoreboard");
	assert_near(p.stall[0].cycles, 34.51);
	assert_string_equal(p.stall[1].name, "long_scoreboard");
	assert_string_equal(p.stall[12].name, "imc_miss");
	assert_near(profile_stall_share(&p, "barrier"), 13.83 / 136.92);
	assert_string_equal(profile_top_stall(&p)->name, "short_scoreboard");
}

static void occupancy_is_limited_by_what_allows_fewest_blocks(void **state)
{
	cleanup_profile struct profile p = {0};

	(void)state;
	read_sample(&p);
	assert_string_equal(profile_limit(&p), "warps of a block");
	p.fact[FACT_LIMIT_WARPS] = NAN;
	assert_string_equal(profile_limit(&p), "shared memory");
	for (size_t f = 0; f < FACT_COUNT; f++)
		p.fact[f] = NAN;
	assert_null(profile_limit(&p));
}

static void every_fact_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (size_t f = 0; f < FACT_COUNT; f++) {
		assert_non_null(fact_name((enum fact)f));
		for (size_t g = 0; g < f; g++)
			assert_string_not_equal(fact_name((enum fact)f),
						fact_name((enum fact)g));
	}
}

/* The recorded capture with one figure of the first kernel replaced. */
static void replace_figure(struct profile_capture *c, const char *metric,
			   double v)
{
	for (size_t i = 0; i < c->n_columns; i++)
		if (str_eq(c->column[i], metric)) {
			c->kernel[0].value[i] = v;
			return;
		}
	fail_msg("the capture has no %s", metric);
}

static void read_capture(struct profile_capture *c)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	assert_null(file_read(&text, "tests/data/ncu/h200.csv"));
	assert_null(capture_parse(c, text.data, text.len));
}

/* What the profiler computes of a kernel with more dynamic shared memory than
 * the default: no block fits, and yet it ran. */
static void a_kernel_that_ran_was_possible(void **state)
{
	static const char *const never[] = {"possible", "limited by", "waves",
					    "occupancy where",
					    "of what the card holds"};
	cleanup_capture struct profile_capture c = {0};
	cleanup_profile struct profile p = {0};
	cleanup_bottlenecks struct bottlenecks b = {0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	read_capture(&c);
	replace_figure(&c, "launch__occupancy_limit_shared_mem", 0);
	replace_figure(&c, "sm__maximum_warps_per_active_cycle_pct", 0);
	replace_figure(&c, "launch__waves_per_multiprocessor", 0);
	replace_figure(&c, "sm__warps_active.avg.pct_of_peak_sustained_active",
		       48);
	assert_null(profile_read(&p, NULL, &c));
	profile_table(&text, &p);
	assert_non_null(strstr(text.data, "occupancy        48.0 %\n"));
	profile_judge(&b, &p);
	profile_print_bottlenecks(&text, &b);
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		if (strstr(text.data, never[i]))
			fail_msg("`%s` in:\n%s", never[i], text.data);
}

static const char *advice_of(const struct bottlenecks *b, const char *rule)
{
	for (size_t i = 0; i < b->n; i++)
		if (str_eq(b->item[i].name, rule))
			return b->item[i].advice;
	fail_msg("no %s among %zu", rule, b->n);
	return NULL;
}

static void only_full_units_are_near_what_the_card_can_do(void **state)
{
	static const char tensor[] =
		"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_"
		"active";
	static const char dram[] =
		"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
	static const struct {
		const char *rule, *metric;
		double percent;
		bool near;
	} cases[] = {
		{"tensor-cores", tensor, 72, false},
		{"tensor-cores", tensor, 94, true},
		{"dram-bandwidth", dram, 72, false},
		{"dram-bandwidth", dram, 93, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_capture struct profile_capture c = {0};
		cleanup_profile struct profile p = {0};
		cleanup_bottlenecks struct bottlenecks b = {0};
		const char *advice;

		read_capture(&c);
		replace_figure(&c, cases[i].metric, cases[i].percent);
		assert_null(profile_read(&p, NULL, &c));
		profile_judge(&b, &p);
		advice = advice_of(&b, cases[i].rule);
		assert_int_equal(starts_with(advice, "near what "),
				 cases[i].near);
		assert_int_equal(starts_with(advice,
					     "the busiest part, and not full"),
				 !cases[i].near);
	}
}

static void a_kernel_is_chosen_by_a_part_of_its_name(void **state)
{
	cleanup_capture struct profile_capture c = {0};
	cleanup_profile struct profile p = {0}, none = {0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	struct error *err;

	(void)state;
	read_capture(&c);
	free(c.kernel[1].name);
	c.kernel[1].name = xstrdup("combine(float *)");
	assert_null(profile_read(&p, "combine", &c));
	assert_string_equal(p.kernel, "combine(float *)");
	assert_near(p.fact[FACT_SECONDS], 176.736e-6);
	profile_every(&text, &p);
	assert_non_null(strstr(text.data, "\n  dram_read_bytes "));
	assert_non_null(strstr(text.data, "\n  wait_"));
	err = profile_read(&none, "split", &c);
	assert_non_null(strstr(error_message(err), "there is conflicts("));
	assert_non_null(strstr(error_message(err), ", combine(float *)"));
	error_free(err);
}

/* ---- the table --------------------------------------------------------------- */

static void the_table_tells_it_in_about_twenty_lines(void **state)
{
	static const char *const parts[] = {
		"duration         657.73 us, 79 % of the launch's 2 kernels",
		"launch           65536 blocks, of 1024 threads, on 132 multi",
		"waves            248.24, 100 % of the card",
		"DRAM             7.9 % of peak, 381 GB/s, read 134 MB, "
		"written",
		"L2               11.1 % of peak, hits 50.4 %",
		"global loads     2.0 sectors a request, 32.0 of 32 bytes",
		"shared loads     67.3 M wavefronts, 96.9 % of them bank",
		"32.09 times what is needed",
		"tensor cores     0.0 % of peak",
		"occupancy        91.0 %, 100.0 % possible, limited by warps",
		"a block takes    16 registers a thread, 4096 B of shared",
		"short_scoreboard 34.51, long_scoreboard 34.32, drain 27.43",
		"divergence       32.0 of 32 threads",
	};
	cleanup_profile struct profile p = {0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	size_t lines = 0;

	(void)state;
	read_sample(&p);
	profile_table(&text, &p);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(text.data, parts[i]))
			fail_msg("no `%s` in:\n%s", parts[i], text.data);
	for (const char *at = text.data; (at = strchr(at, '\n')); at++)
		lines++;
	assert_in_range(lines, 16, 24);
}

static void what_is_not_known_is_left_out_not_zero(void **state)
{
	struct profile p = {
		.kernel = (char *)(uintptr_t) "k", .n_kernels = 1, .share = 1};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_bottlenecks struct bottlenecks b = {0};

	(void)state;
	for (size_t f = 0; f < FACT_COUNT; f++)
		p.fact[f] = NAN;
	p.fact[FACT_SECONDS] = 1e-3;
	profile_table(&text, &p);
	assert_string_equal(text.data,
			    "kernel           k\nduration         1.000 ms\n");
	profile_judge(&b, &p);
	assert_int_equal(b.n, 0);
}

/* ---- rules --------------------------------------------------------------------- */

/* A kernel that has no fault: every rule is tried by spoiling one thing. */
static struct profile honest(void)
{
	struct profile p = {
		.kernel = (char *)(uintptr_t) "k", .n_kernels = 1, .share = 1};
	double *f = p.fact;

	for (size_t i = 0; i < FACT_COUNT; i++)
		f[i] = NAN;
	f[FACT_SECONDS] = 1e-3;
	f[FACT_SM] = f[FACT_MEMORY] = 50;
	f[FACT_DRAM] = f[FACT_L2] = f[FACT_L1] = 40;
	f[FACT_TENSOR] = f[FACT_FMA] = f[FACT_ALU] = 20;
	f[FACT_ISSUE] = 50;
	f[FACT_OCCUPANCY] = f[FACT_OCCUPANCY_MAX] = 75;
	f[FACT_GRID] = 13200;
	f[FACT_PROCESSORS] = 132;
	f[FACT_WAVES] = 25;
	f[FACT_REGISTERS] = 64;
	f[FACT_LOAD_SECTORS] = f[FACT_STORE_SECTORS] = 1e6;
	f[FACT_LOAD_USE] = f[FACT_STORE_USE] = 32;
	f[FACT_SHARED_LOADS] = f[FACT_SHARED_STORES] = 1e6;
	f[FACT_SHARED_LOAD_CONFLICTS] = f[FACT_SHARED_STORE_CONFLICTS] = 0;
	f[FACT_SPILL_LOADS] = f[FACT_SPILL_STORES] = 0;
	f[FACT_LANES] = 32;
	f[FACT_UNIFORM] = 100;
	return p;
}

static void a_kernel_without_fault_has_no_bottleneck(void **state)
{
	struct profile p = honest();
	cleanup_bottlenecks struct bottlenecks b = {0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	profile_judge(&b, &p);
	assert_int_equal(b.n, 0);
	profile_print_bottlenecks(&text, &b);
	assert_non_null(strstr(text.data, "no rule says"));
}

static const struct spoilt {
	const char *rule;
	struct {
		enum fact fact;
		double v;
	} fact[3];
	const char *stall;
	double severity;
	const char *figures;
} spoilt[] = {
	{"dram-bandwidth",
	 {{FACT_DRAM, 88}, {FACT_L2_HITS, 12}},
	 NULL,
	 88,
	 "DRAM is at 88 % of its peak, L2 answers 12 %"},
	{"l2-bandwidth", {{FACT_L2, 81}}, NULL, 81, "L2 is at 81 %"},
	{"l1-bandwidth", {{FACT_L1, 72}}, NULL, 72, "L1/TEX with shared"},
	{"tensor-cores", {{FACT_TENSOR, 91}}, NULL, 91, "are at 91 %"},
	{"math-pipe", {{FACT_ALU, 66}}, NULL, 66, "the ALU (integers"},
	{"math-pipe", {{FACT_XU, 93}}, NULL, 93, "the XU (exp"},
	{"math-pipe", {{FACT_FP64, 99}}, NULL, 99, "the FP64 pipe is at 99 %"},
	{"issue-slots", {{FACT_ISSUE, 85}}, NULL, 85, "85 % of the issue"},
	{"small-grid", {{FACT_GRID, 33}}, NULL, 75, "33 blocks for 132"},
	{"small-grid",
	 {{FACT_WAVES, 0.03}, {FACT_OCCUPANCY, 2.3}},
	 NULL,
	 48.5,
	 "multiprocessors, 3 % of what the card holds at once"},
	{"short-blocks",
	 {{FACT_OCCUPANCY, 37.5}, {FACT_SECONDS, 25e-6}},
	 NULL,
	 25,
	 "possible: a block runs for 1.00 us"},
	{"tail", {{FACT_WAVES, 1.2}}, NULL, 40, "1.20 waves of blocks"},
	{"occupancy",
	 {{FACT_OCCUPANCY_MAX, 25},
	  {FACT_OCCUPANCY, 25},
	  {FACT_LIMIT_SHARED, 2}},
	 NULL,
	 37.5,
	 "25 % of the warps a multiprocessor holds, limited by shared"},
	{"uneven-work",
	 {{FACT_OCCUPANCY, 37.5}},
	 NULL,
	 25,
	 "38 % occupancy where 75 %"},
	{"bank-conflicts",
	 {{FACT_SHARED_LOAD_CONFLICTS, 1e6}},
	 NULL,
	 20,
	 "50 % of shared memory's wavefronts are bank conflicts: 2.0 times"},
	{"uncoalesced",
	 {{FACT_LOAD_USE, 4}, {FACT_STORE_USE, 4}},
	 NULL,
	 43.75,
	 "88 % of the bytes"},
	{"spills", {{FACT_SPILL_LOADS, 64e6}}, NULL, 60, "50 % of the bytes"},
	{"divergence", {{FACT_LANES, 8}}, NULL, 37.5, "8.0 of 32 threads"},
	{"waiting", {{FACT_SM, 50}}, "long_scoreboard", 50, "100 % of the"},
	{"short-kernel", {{FACT_SECONDS, 2.5e-6}}, NULL, 40, "2.50 us"},
};

static void each_rule_holds_for_what_it_is_about_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spoilt); i++) {
		const struct spoilt *t = &spoilt[i];
		struct profile p = honest();
		cleanup_bottlenecks struct bottlenecks b = {0};

		for (size_t k = 0; k < ARRAY_SIZE(t->fact); k++)
			if (t->fact[k].v > 0)
				p.fact[t->fact[k].fact] = t->fact[k].v;
		if (t->stall)
			p.stall[p.n_stalls++] = (struct stall){t->stall, 9};
		profile_judge(&b, &p);
		if (b.n != 1 || !str_eq(b.item[0].name, t->rule))
			fail_msg("%s: %zu found, the first is %s", t->rule, b.n,
				 b.n ? b.item[0].name : "none");
		assert_near(b.item[0].severity, t->severity);
		if (!strstr(b.item[0].figures, t->figures))
			fail_msg("%s: %s", t->rule, b.item[0].figures);
		assert_true(strlen(b.item[0].advice) > 20);
	}
}

static void the_three_severest_are_told_in_order(void **state)
{
	struct profile p = honest();
	cleanup_bottlenecks struct bottlenecks b = {0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	p.fact[FACT_DRAM] = 70;
	p.fact[FACT_ISSUE] = 90;
	p.fact[FACT_WAVES] = 1.2;
	p.fact[FACT_TENSOR] = 70;
	p.fact[FACT_SECONDS] = 4.9e-6;
	profile_judge(&b, &p);
	assert_int_equal(b.n, PROFILE_BOTTLENECKS);
	assert_string_equal(b.item[0].name, "issue-slots");
	assert_string_equal(b.item[1].name, "dram-bandwidth");
	assert_string_equal(b.item[2].name, "tensor-cores");
	profile_print_bottlenecks(&text, &b);
	assert_non_null(strstr(text.data, "\n1. issue-slots (90): 90 % of"));
	assert_non_null(strstr(text.data, "\n3. tensor-cores (70): "));
}

static void nobody_minds_waits_beside_a_busy_part(void **state)
{
	struct profile p = honest();
	cleanup_bottlenecks struct bottlenecks b = {0};

	(void)state;
	p.fact[FACT_TENSOR] = 95;
	p.fact[FACT_OCCUPANCY] = p.fact[FACT_OCCUPANCY_MAX] = 12.5;
	p.stall[p.n_stalls++] = (struct stall){"gmma", 30};
	profile_judge(&b, &p);
	assert_int_equal(b.n, 1);
	assert_string_equal(b.item[0].name, "tensor-cores");
}

static void a_part_less_busy_than_another_holds_nothing_back(void **state)
{
	struct profile p = honest();
	cleanup_bottlenecks struct bottlenecks b = {0};

	(void)state;
	/* A matrix product on an H200. */
	p.fact[FACT_SM] = 93.5;
	p.fact[FACT_MEMORY] = 59.7;
	p.fact[FACT_TENSOR] = 97.9;
	p.fact[FACT_L1] = 62.5;
	profile_judge(&b, &p);
	assert_int_equal(b.n, 1);
	assert_string_equal(b.item[0].name, "tensor-cores");
}

static void what_is_far_below_the_first_is_left_out(void **state)
{
	struct profile p = honest();
	cleanup_bottlenecks struct bottlenecks b = {0};

	(void)state;
	p.fact[FACT_DRAM] = 90;
	p.fact[FACT_WAVES] = 7.1; /* an eighth of eight */
	profile_judge(&b, &p);
	assert_int_equal(b.n, 1);
	bottlenecks_release(&b);
	p.fact[FACT_DRAM] = 40;
	profile_judge(&b, &p);
	assert_int_equal(b.n, 1);
	assert_string_equal(b.item[0].name, "tail");
}

static void each_wait_has_advice_of_its_own(void **state)
{
	static const char *const waits[] = {
		"long_scoreboard",
		"short_scoreboard",
		"math_pipe_throttle",
		"barrier",
		"membar",
		"mio_throttle",
		"lg_throttle",
		"wait",
		"no_instruction",
		"gmma",
		"branch_resolving",
		"imc_miss",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		struct profile p = honest();

		p.stall[p.n_stalls++] = (struct stall){waits[i], 9};
		assert_null(strstr(profile_wait_advice(&p), "--sass"));
	}
}

static void the_json_has_what_is_known_and_nothing_else(void **state)
{
	cleanup_profile struct profile p = {0};
	cleanup_bottlenecks struct bottlenecks b = {0};
	cleanup_json struct json *j = NULL;
	const struct json *facts;
	double v = 0;

	(void)state;
	read_sample(&p);
	profile_judge(&b, &p);
	j = profile_to_json(&p, &b);
	facts = json_get(j, "facts");
	assert_true(json_get_double(facts, "dram_percent", &v));
	assert_near(v, 7.92);
	assert_int_equal(json_len(json_get(j, "bottlenecks")), b.n);
	json_free(j);
	p.fact[FACT_DRAM] = NAN;
	j = profile_to_json(&p, &b);
	assert_false(json_get_double(json_get(j, "facts"), "dram_percent", &v));
}

static void figures_have_no_more_digits_than_counted(void **state)
{
	cleanup_profile struct profile p = {0};
	cleanup_bottlenecks struct bottlenecks b = {0};
	cleanup_json struct json *j = NULL;
	cleanup_free char *text = NULL;

	(void)state;
	read_sample(&p);
	p.fact[FACT_DRAM] = 33.770000000000003;
	p.fact[FACT_L2] = 100.0 / 3;
	profile_judge(&b, &p);
	j = profile_to_json(&p, &b);
	text = json_print(j);
	assert_non_null(strstr(text, "\"dram_percent\":33.77,"));
	assert_non_null(strstr(text, "\"l2_percent\":33.3333,"));
	assert_non_null(strstr(text, "\"dram_read_bytes\":134222592,"));
	assert_non_null(strstr(text, "\"severity\":83.8,"));
	assert_null(strstr(text, "00000000"));
	assert_null(strstr(text, "99999999"));
}

/* The second kernel: two bytes a thread, a block lives for 0.7 us. */
static void what_an_h200_counted_is_judged_right(void **state)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_capture struct profile_capture c = {0};
	cleanup_profile struct profile p = {0};
	cleanup_bottlenecks struct bottlenecks b = {0};

	(void)state;
	read_sample(&p);
	profile_judge(&b, &p);
	assert_int_equal(b.n, 2);
	assert_string_equal(b.item[0].name, "l1-bandwidth");
	assert_string_equal(b.item[1].name, "bank-conflicts");
	assert_near(b.item[1].severity, 81.1825);
	bottlenecks_release(&b);
	profile_release(&p);
	assert_null(file_read(&text, "tests/data/ncu/h200.csv"));
	assert_null(capture_parse(&c, text.data, text.len));
	for (size_t i = 0; i < c.n_columns; i++)
		if (str_eq(c.column[i], "gpu__time_duration.sum"))
			c.kernel[0].value[i] = NAN;
	assert_null(profile_read(&p, NULL, &c));
	assert_true(starts_with(p.kernel, "honest("));
	profile_judge(&b, &p);
	assert_int_equal(b.n, 2);
	assert_string_equal(b.item[0].name, "waiting");
	assert_non_null(strstr(b.item[0].figures, "long_scoreboard"));
	assert_string_equal(b.item[1].name, "short-blocks");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_kernel_is_told_with_its_share),
		cmocka_unit_test(stalls_come_longest_first_and_each_once),
		cmocka_unit_test(
			occupancy_is_limited_by_what_allows_fewest_blocks),
		cmocka_unit_test(a_kernel_that_ran_was_possible),
		cmocka_unit_test(only_full_units_are_near_what_the_card_can_do),
		cmocka_unit_test(a_kernel_is_chosen_by_a_part_of_its_name),
		cmocka_unit_test(every_fact_has_a_name_of_its_own),
		cmocka_unit_test(the_table_tells_it_in_about_twenty_lines),
		cmocka_unit_test(what_is_not_known_is_left_out_not_zero),
		cmocka_unit_test(a_kernel_without_fault_has_no_bottleneck),
		cmocka_unit_test(each_rule_holds_for_what_it_is_about_alone),
		cmocka_unit_test(the_three_severest_are_told_in_order),
		cmocka_unit_test(nobody_minds_waits_beside_a_busy_part),
		cmocka_unit_test(
			a_part_less_busy_than_another_holds_nothing_back),
		cmocka_unit_test(what_is_far_below_the_first_is_left_out),
		cmocka_unit_test(each_wait_has_advice_of_its_own),
		cmocka_unit_test(figures_have_no_more_digits_than_counted),
		cmocka_unit_test(what_an_h200_counted_is_judged_right),
		cmocka_unit_test(the_json_has_what_is_known_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
