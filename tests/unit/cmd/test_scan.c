/* What profilers print, and the ranks made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "cmd/scan/hot.h"

static void parse(struct hot_list *h, const char *text)
{
	enum profile_form form;

	assert_null(profile_parse(h, &form, text));
}

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) < 1e-6);
}

static void amdahl_says_what_a_share_is_worth(void **state UNUSED)
{
	cleanup_hot struct hot_list h = {0};

	hot_add(&h, "a", NULL, 60, NAN);
	hot_add(&h, "b", NULL, 40, NAN);
	hot_rank(&h);
	assert_string_equal(h.f[0].name, "a");
	assert_near(hot_share(&h, &h.f[0]), 0.6);
	assert_near(hot_whole(&h, &h.f[0], 2), 1 / 0.7);
	assert_near(hot_whole(&h, &h.f[0], INFINITY), 2.5);
}

static void what_is_near_its_ceiling_ranks_behind(void **state UNUSED)
{
	cleanup_hot struct hot_list h = {0};

	hot_add(&h, "near", NULL, 60, 0.95);
	hot_add(&h, "far", NULL, 30, 0.2);
	hot_add(&h, "far", NULL, 10, 0.6);
	hot_rank(&h);
	assert_int_equal(h.n, 2);
	assert_string_equal(h.f[0].name, "far");
	assert_near(h.f[0].reached, 0.3);
	hot_add(&h, "far", NULL, 10, NAN);
	hot_rank(&h);
	assert_true(isnan(h.f[0].reached));
}

static void a_share_of_a_ceiling_is_one_or_not_known(void **state UNUSED)
{
	cleanup_hot struct hot_list h = {0};

	hot_add(&h, "over", NULL, 1, 1.5);
	hot_add(&h, "under", NULL, 2, -0.5);
	hot_rank(&h);
	assert_int_equal(h.n, 2);
	assert_string_equal(h.f[0].name, "under");
	assert_true(isnan(h.f[0].reached));
	assert_near(h.f[1].reached, 1);
}

static void samples_of_perf_are_summed_up(void **state UNUSED)
{
	static const char text[] =
		"    250000      55e99e56a16b scale (/tmp/a b/x)\n"
		"    250000      55e99e56a16c scale (/tmp/a b/x)\n"
		"    500000      7f00 ns::f(int, (anonymous)::g) const "
		"(/usr/lib/libm.so.6)\n"
		"    250000  ffffffff8172122b [unknown] ([kernel.kallsyms])\n"
		"    250000      55 gone (/tmp/x (deleted))\n"
		"a line that is none\n 5\n 5 6\n 5 zz (/x)\n -5 6 s (/x)\n"
		"    nan 6 s (/x)\n    1e999 6 s (/x)\n";
	cleanup_hot struct hot_list h = {0};

	parse(&h, text);
	assert_int_equal(h.n, 4);
	assert_near(h.total, 1500000);
	assert_true(h.is_time);
	assert_string_equal(h.f[0].name, "ns::f(int, (anonymous)::g) const");
	assert_string_equal(h.f[0].object, "/usr/lib/libm.so.6");
	assert_string_equal(h.f[1].name, "scale");
	assert_string_equal(h.f[1].object, "/tmp/a b/x");
	assert_string_equal(h.f[3].object, "/tmp/x (deleted)");
}

static const char callgrind[] =
	"# callgrind format\nversion: 1\npositions: line\nevents: Ir\n"
	"summary: 1000\n\n\n"
	"ob=(1) /tmp/x\nfl=(1) /tmp/x.c\nfn=(1) main\n10 5\n"
	"cfn=(2) scale\ncalls=1 3\n+1 600\n"
	"fn=(2)\n5 100\n+2 300\nfi=(2) /tmp/h.h\n7 200\nfe=(1)\n-1 50\n* 50\n"
	"fn=(1)\n12 5\n\ntotals: 710\n";

static void callgrind_counts_what_is_of_a_function_itself(void **state UNUSED)
{
	cleanup_hot struct hot_list h = {0};

	parse(&h, callgrind);
	assert_int_equal(h.n, 2);
	assert_false(h.is_time);
	assert_near(h.total, 710);
	assert_string_equal(h.f[0].name, "scale");
	assert_near(h.f[0].cost, 700);
	assert_string_equal(h.f[0].source, "/tmp/x.c");
	assert_int_equal(h.f[0].line, 5);
	assert_near(h.f[1].cost, 10);
}

static const char ncu[] =
	"==PROF== Connected to process 818\n"
	"\"ID\",\"Kernel Name\",\"gpu__compute_memory_throughput.avg.pct_of_"
	"peak_sustained_elapsed\",\"gpu__time_duration.sum\",\"sm__throughput."
	"avg.pct_of_peak_sustained_elapsed\"\n"
	"\"\",\"\",\"%\",\"us\",\"%\"\n"
	"\"0\",\"copy(float *, \"\"x\"\")\",\"90\",\"1,000.5\",\"10\"\n"
	"==PROF== between\n"
	"\"1\",\"dot\",\"10\",\"500\",\"40\"\n"
	"\"2\",\"dot\",\"n/a\",\"n/a\",\"40\"\n";

static void a_table_of_ncu_knows_the_ceilings(void **state UNUSED)
{
	cleanup_hot struct hot_list h = {0};

	parse(&h, ncu);
	assert_int_equal(h.n, 2);
	assert_string_equal(h.f[0].name, "dot");
	assert_near(h.f[0].reached, 0.4);
	assert_string_equal(h.f[1].name, "copy(float *, \"x\")");
	assert_near(h.f[1].cost, 1000.5e3);
	assert_near(h.f[1].reached, 0.9);
}

static const char nsys[] =
	"Processing [r.sqlite] with [cuda_gpu_kern_sum.py]...\n\n"
	"Time (%),Total Time (ns),Instances,Avg (ns),Name\n"
	"75.0,3000,5,600.0,\"void copy<float>(float *, int)\"\n"
	"25.0,1000,5,200.0,scale\n";

static void a_table_of_nsys_knows_none(void **state UNUSED)
{
	cleanup_hot struct hot_list h = {0};

	parse(&h, nsys);
	assert_int_equal(h.n, 2);
	assert_string_equal(h.f[0].name, "void copy<float>(float *, int)");
	assert_near(hot_share(&h, &h.f[0]), 0.75);
	assert_true(isnan(h.f[0].reached));
}

/* Cut anywhere, and with any byte another. */
static void damage_is_read_to_its_end(void **state UNUSED)
{
	static const char *const texts[] = {callgrind, ncu, nsys};
	static const char others[] = "\n\"(=+-,9\x1b";

	for (size_t t = 0; t < ARRAY_SIZE(texts); t++) {
		size_t len = strlen(texts[t]);

		for (size_t i = 0; i < 2 * len; i++) {
			cleanup_free char *text = xstrdup(texts[t]);
			cleanup_hot struct hot_list h = {0};
			enum profile_form form;

			if (i < len)
				text[i] = '\0';
			else
				text[i - len] = others[i % 9];
			error_free(profile_parse(&h, &form, text));
			for (size_t k = 0; k < h.n; k++)
				assert_true(h.f[k].cost > 0);
		}
	}
}

static void what_is_no_profile_is_refused(void **state UNUSED)
{
	static const char *const texts[] = {"", "\n", "hello\n",
					    "# callgrind format\n",
					    "Total Time (ns),Name\n"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cleanup_hot struct hot_list h = {0};
		enum profile_form form;
		cleanup_error struct error *err =
			profile_parse(&h, &form, texts[i]);

		assert_true(error_is(err, ERROR_NOT_FOUND));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amdahl_says_what_a_share_is_worth),
		cmocka_unit_test(what_is_near_its_ceiling_ranks_behind),
		cmocka_unit_test(a_share_of_a_ceiling_is_one_or_not_known),
		cmocka_unit_test(samples_of_perf_are_summed_up),
		cmocka_unit_test(callgrind_counts_what_is_of_a_function_itself),
		cmocka_unit_test(a_table_of_ncu_knows_the_ceilings),
		cmocka_unit_test(a_table_of_nsys_knows_none),
		cmocka_unit_test(damage_is_read_to_its_end),
		cmocka_unit_test(what_is_no_profile_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
