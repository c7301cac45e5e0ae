#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "scorer/runner/roles.h"
#include "scorer/scoring.h"

#define T  1e12
#define MI (1024.0 * 1024)

static char *cache;

static int make_cache(void **state)
{
	(void)state;
	return dir_make_temp(&cache, "/tmp", "avogit-ceilings-") != NULL;
}

static int remove_cache(void **state)
{
	(void)state;
	error_free(dir_remove(cache));
	free(cache);
	return 0;
}

/* About an H200. */
static struct ceilings sample(void)
{
	struct ceilings c = {
		.uuid = "GPU-12-ab",
		.name = "NVIDIA H200",
		.time_us = 1795000000000000,
		.seconds = 1,
		.l2_bytes = 50 << 20,
		.of = {{4.0 * T, 4.0 * T, 4.9 * T},
		       {4.4 * T, 4.3 * T, 4.9 * T},
		       {800 * T, 750 * T, 1000 * T},
		       {1600 * T, 1500 * T, 2000 * T},
		       {1500 * T, 1400 * T, 2000 * T},
		       {60 * T, 55 * T, 67 * T},
		       {64 * T, 60 * T, 67 * T}},
	};

	return c;
}

static struct gpus one_gpu(void)
{
	struct gpus g = {.n = 1, .cuda = 13000};

	snprintf(g.gpu[0].uuid, sizeof g.gpu[0].uuid, "GPU-12-ab");
	snprintf(g.gpu[0].name, sizeof g.gpu[0].name, "NVIDIA H200");
	return g;
}

static char *kept_file(const char *name)
{
	return xasprintf("%s/ceilings/%s.json", cache, name);
}

static struct ceilings kept(void)
{
	struct ceilings c = sample();
	struct gpus g = one_gpu();

	ceilings_driver(c.driver, &g);
	assert_null(ceilings_keep(&c, cache));
	return c;
}

/* ---- kept ---------------------------------------------------------------- */

static void what_is_kept_is_found_again(void **state)
{
	struct ceilings c = kept(), got = {0};
	struct gpus g = one_gpu();

	(void)state;
	assert_true(ceilings_load(&got, cache, &g));
	assert_string_equal(got.driver, c.driver);
	assert_int_equal(got.time_us, c.time_us);
	assert_int_equal(got.l2_bytes, c.l2_bytes);
	for (size_t i = 0; i < CEILING_COUNT; i++) {
		assert_true(got.of[i].peak == c.of[i].peak);
		assert_true(got.of[i].sustained == c.of[i].sustained);
		assert_true(got.of[i].sheet == c.of[i].sheet);
	}
}

static void another_driver_or_card_has_none(void **state)
{
	struct ceilings got = {0};
	struct gpus g = one_gpu();

	(void)state;
	kept();
	g.cuda = 13010;
	assert_false(ceilings_load(&got, cache, &g));
	g = one_gpu();
	snprintf(g.gpu[0].uuid, sizeof g.gpu[0].uuid, "GPU-13");
	assert_false(ceilings_load(&got, cache, &g));
	g = one_gpu();
	snprintf(g.gpu[0].name, sizeof g.gpu[0].name, "NVIDIA A100");
	assert_false(ceilings_load(&got, cache, &g));
	g.n = 0;
	assert_false(ceilings_load(&got, cache, &g));
	g = one_gpu();
	assert_false(ceilings_load(&got, NULL, &g));
	assert_int_equal(got.time_us, 0);
}

/* Writes `to` where the kept file has `from`, and loads it. */
static bool loads_with(const char *from, const char *to)
{
	struct ceilings c = kept(), got;
	struct gpus g = one_gpu();
	cleanup_free char *path = kept_file(c.uuid);
	cleanup_buf struct buf text = BUF_INIT(1 << 16);
	cleanup_buf struct buf changed = BUF_INIT(1 << 16);
	const char *at;

	assert_null(file_read(&text, path));
	at = strstr(text.data, from);
	assert_non_null(at);
	buf_add(&changed, text.data, (size_t)(at - text.data));
	buf_adds(&changed, to);
	buf_adds(&changed, at + strlen(from));
	assert_null(file_write_atomic(path, changed.data, changed.len));
	return ceilings_load(&got, cache, &g);
}

static void a_damaged_file_is_none(void **state)
{
	static const char *const damage[][2] = {
		{"\"format\"", "\"form\""},
		{"\"bf16\"", "\"bf17\""},
		{"{", "["},
		{"\"peak\"", "\"peek\""},
		{"\"sheet\"", "\"\\u0000\""},
		{"\"seconds\"", "\"s\""},
		{"800000000000000", "-1"},
		{"800000000000000", "1e30"},
		{"800000000000000", "1e999"},
		{"800000000000000", "\"8\""},
	};

	(void)state;
	assert_true(loads_with("\"rates\"", "\"rates\""));
	for (size_t i = 0; i < ARRAY_SIZE(damage); i++)
		if (loads_with(damage[i][0], damage[i][1]))
			fail_msg("believed with %s for %s", damage[i][1],
				 damage[i][0]);
}

static void only_its_owner_reads_it_and_no_uuid_climbs_out(void **state)
{
	struct ceilings c = kept();
	cleanup_free char *path = kept_file(c.uuid);
	cleanup_free char *odd = kept_file(".._.._x");
	struct stat st;

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	snprintf(c.uuid, sizeof c.uuid, "../../x");
	assert_null(ceilings_keep(&c, cache));
	assert_int_equal(stat(odd, &st), 0);
}

/* ---- measured and on paper ------------------------------------------------ */

static void the_peak_is_the_best_window_and_the_rest_its_median(void **state)
{
	struct gpu_ceiling_reply r = {0};
	double seconds[40];

	(void)state;
	/* 26 ms a step; four of the forty take 20 ms, in a row. The last is
	 * quick, but no window. */
	for (size_t i = 0; i < 40; i++)
		seconds[i] = i >= 20 && i < 24 ? 0.02 : 0.026;
	seconds[39] = 0.001;
	ceilings_sum_up(&r, seconds, 40, 1);
	/* The best 100 ms hold those four and one more. */
	assert_true(fabs(r.peak - 5 / 0.106) < 1e-6);
	assert_true(fabs(r.sustained - 1 / 0.026) < 1e-6);
}

static void less_than_a_window_is_taken_whole(void **state)
{
	struct gpu_ceiling_reply r = {0};
	double seconds[] = {0.01, 0.01, 0.02}, none[] = {0, 0};

	(void)state;
	ceilings_sum_up(&r, seconds, 3, 1);
	assert_true(fabs(r.peak - 75) < 1e-6);
	r = (struct gpu_ceiling_reply){0};
	ceilings_sum_up(&r, none, 2, 1);
	assert_true(r.peak == 0 && r.sustained == 0);
}

static void the_sheet_of_an_h100_is_what_is_printed_on_it(void **state)
{
	const struct gpu_card_reply h100 = {.major = 9,
					    .processors = 132,
					    .clock_khz = 1830000,
					    .memory_khz = 2619000,
					    .memory_bits = 5120,
					    .l2_bytes = 50 << 20};
	struct gpu_card_reply other = h100;
	struct ceilings c = {0};

	(void)state;
	ceilings_sheet(&c, &h100);
	assert_true(fabs(c.of[CEILING_BF16].sheet / (989 * T) - 1) < 0.01);
	assert_true(fabs(c.of[CEILING_F8].sheet / (1979 * T) - 1) < 0.01);
	assert_true(fabs(c.of[CEILING_READ].sheet / (3.35 * T) - 1) < 0.01);
	assert_true(ceiling_best(&c, CEILING_BF16) == c.of[CEILING_BF16].sheet);
	other.major = 42;
	c = (struct ceilings){0};
	ceilings_sheet(&c, &other);
	assert_true(c.of[CEILING_BF16].sheet == 0);
}

/* ---- held against a task --------------------------------------------------- */

static const char gemm[] =
	"name: gemm\nlanguage: cuda\nsources: [k.cu]\nentry: gemm\n"
	"arguments:\n"
	"  - {name: a, dtype: bf16, shape: [m, k]}\n"
	"  - {name: b, dtype: bf16, shape: [n, k]}\n"
	"  - {name: c, dtype: bf16, shape: [m, n], direction: out}\n"
	"cases: [{m: 8192, n: 8192, k: 8192}]\n"
	"flops: 2 * m * n * k\n"
	"reference: {source: r.cu, entry: r, plain: p}\n";
static const char softmax[] =
	"name: softmax\nlanguage: cuda\nsources: [k.cu]\nentry: softmax\n"
	"arguments:\n"
	"  - {name: x, dtype: bf16, shape: [m, n]}\n"
	"  - {name: y, dtype: bf16, shape: [m, n], direction: out}\n"
	"cases: [{m: 16384, n: 8192}]\n"
	"bytes: 4 * m * n\n"
	"reference: {source: r.cu, entry: r, plain: p}\n";

/* The floor of the first case of a task, with one text for another. */
static struct floor floor_of(const char *yaml, const char *from, const char *to)
{
	cleanup_task struct task *t = NULL;
	cleanup_buf struct buf text = BUF_INIT(1 << 16);
	struct ceilings c = sample();
	struct floor f;
	const char *at = from ? strstr(yaml, from) : yaml;
	struct error *err;

	assert_non_null(at);
	buf_add(&text, yaml, (size_t)(at - yaml));
	buf_adds(&text, from ? to : "");
	buf_adds(&text, at + (from ? strlen(from) : 0));
	err = task_parse(&t, "avogit.yaml", text.data, text.len);
	if (err)
		fail_msg("%s", error_message(err));
	err = ceilings_floor(&f, &c, t, &t->cases[0]);
	assert_null(err);
	return f;
}

static bool near(double a, double b)
{
	return fabs(a / b - 1) < 1e-9;
}

static void a_product_is_held_against_its_type(void **state)
{
	static const struct {
		const char *dtype;
		double rate;
	} rates[] = {{"bf16", 800 * T}, {"f16", 800 * T}, {"f8e4m3", 1600 * T},
		     {"f32", 400 * T},	{"f64", 64 * T},  {"i8", 1500 * T}};
	double work = 2.0 * 8192 * 8192 * 8192;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		cleanup_free char *both =
			xasprintf("%s, shape: [m, k]}\n  - {name: b, dtype: %s",
				  rates[i].dtype, rates[i].dtype);
		struct floor f =
			floor_of(gemm,
				 "bf16, shape: [m, k]}\n  - {name: b, dtype: "
				 "bf16",
				 both);

		if (!near(f.seconds, work / rates[i].rate))
			fail_msg("%s: %g", rates[i].dtype, work / f.seconds);
	}
}

static void what_no_clock_of_the_card_allows_is_impossible(void **state)
{
	struct floor f = floor_of(gemm, NULL, NULL);
	double work = 2.0 * 8192 * 8192 * 8192;

	(void)state;
	/* The sheet and a quarter more than was measured: 1000 TFLOPS. */
	assert_true(near(f.least, 0.9 * work / (1000 * T)));
	assert_non_null(strstr(f.why, "1.00 PFLOPS"));
	/* A kernel at the very peak is far from it. */
	assert_true(f.seconds > 1.3 * f.least);
}

static void a_copy_is_held_against_copies_a_sum_against_reads(void **state)
{
	struct floor copy = floor_of(softmax, NULL, NULL);
	struct floor sum = floor_of(softmax, "[m, n], direction: out",
				    "[m], direction: out");
	double bytes = 4.0 * 16384 * 8192;

	(void)state;
	assert_true(near(copy.seconds, bytes / (4.0 * T)));
	assert_true(near(sum.seconds, bytes / (4.4 * T)));
}

static void what_a_cache_may_hold_is_not_asked_for(void **state)
{
	struct floor f = floor_of(softmax, NULL, NULL);
	struct floor small =
		floor_of(softmax, "m: 16384, n: 8192", "m: 1024, n: 8192");
	double bytes = 4.0 * 16384 * 8192;

	(void)state;
	assert_true(near(f.least, 0.9 * (bytes - 100 * MI) / (1.25 * 4.4 * T)));
	assert_true(small.seconds > 0);
	assert_true(small.least == 0);
}

static void bytes_beyond_the_tensors_make_nothing_impossible(void **state)
{
	struct floor f = floor_of(softmax, "4 * m * n", "400 * m * n");
	struct floor honest = floor_of(softmax, NULL, NULL);

	(void)state;
	assert_true(near(f.least, honest.least));
}

static void where_contents_decide_the_work_nothing_is_impossible(void **state)
{
	static const char *const how[] = {
		"bf16, fill: sparse",
		"i32, fill: {low: 0, high: 7}",
		"bf16, fill: {generator: g}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(how); i++) {
		struct floor f = floor_of(gemm, "bf16", how[i]);

		assert_true(f.seconds > 0);
		assert_true(f.least == 0);
	}
}

static void fewer_bits_are_allowed_where_they_lose_nothing(void **state)
{
	double bf16 = floor_of(gemm, NULL, NULL).least;
	double exact = floor_of(gemm, "bf16", "bf16, fill: small_ints").least;
	double loose = floor_of(gemm, ", plain: p}",
				"}\ntolerance: {rtol: 1e-1, atol: 1e-1}")
			       .least;
	double packed = floor_of(gemm, "bf16", "u8").least;

	(void)state;
	assert_true(near(exact, bf16 / 2));
	assert_true(near(loose, bf16 / 2));
	assert_true(near(packed, bf16 / 4));
}

/* One case of that time, held against the card. */
static struct measurement *held(double seconds, bool known)
{
	cleanup_task struct task *t = NULL;
	struct measurement *m = measurement_new();
	struct case_result *r = measurement_add_case(m, "m=8192");
	struct scorer *s = xcalloc(1, sizeof *s);

	assert_null(task_parse(&t, "avogit.yaml", gemm, strlen(gemm)));
	m->verdict = VERDICT_PASS;
	r->seconds = seconds;
	s->task = t;
	if (known)
		s->ceilings = sample();
	assert_null(score_against_card(m, r, s, &t->cases[0]));
	free(s);
	return m;
}

static void a_case_gets_its_share_or_is_impossible(void **state)
{
	struct floor f = floor_of(gemm, NULL, NULL);
	cleanup_measurement struct measurement *half =
		held(2 * f.seconds, true);
	cleanup_measurement struct measurement *just =
		held(1.001 * f.least, true);
	cleanup_measurement struct measurement *never =
		held(0.999 * f.least, true);
	cleanup_measurement struct measurement *unknown =
		held(0.999 * f.least, false);

	(void)state;
	assert_int_equal(half->verdict, VERDICT_PASS);
	assert_true(near(half->cases[0].ceiling, 0.5));
	assert_int_equal(just->verdict, VERDICT_PASS);
	assert_int_equal(never->verdict, VERDICT_IMPOSSIBLE);
	assert_non_null(strstr(never->why, "case m=8192 n=8192 k=8192 took "));
	assert_non_null(strstr(never->why, f.why));
	assert_int_equal(unknown->verdict, VERDICT_PASS);
	assert_true(unknown->cases[0].ceiling == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_kept_is_found_again),
		cmocka_unit_test(another_driver_or_card_has_none),
		cmocka_unit_test(a_damaged_file_is_none),
		cmocka_unit_test(
			only_its_owner_reads_it_and_no_uuid_climbs_out),
		cmocka_unit_test(
			the_peak_is_the_best_window_and_the_rest_its_median),
		cmocka_unit_test(less_than_a_window_is_taken_whole),
		cmocka_unit_test(the_sheet_of_an_h100_is_what_is_printed_on_it),
		cmocka_unit_test(a_product_is_held_against_its_type),
		cmocka_unit_test(
			what_no_clock_of_the_card_allows_is_impossible),
		cmocka_unit_test(
			a_copy_is_held_against_copies_a_sum_against_reads),
		cmocka_unit_test(what_a_cache_may_hold_is_not_asked_for),
		cmocka_unit_test(
			bytes_beyond_the_tensors_make_nothing_impossible),
		cmocka_unit_test(
			where_contents_decide_the_work_nothing_is_impossible),
		cmocka_unit_test(
			fewer_bits_are_allowed_where_they_lose_nothing),
		cmocka_unit_test(a_case_gets_its_share_or_is_impossible),
	};

	return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
