#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/base/file.h"
#include "scorer/inspect/ncu.h"

#define HEAD  "\"ID\",\"Kernel Name\",\"a__t.sum\",\"b__u.pct\"\n"
#define UNITS "\"\",\"\",\"ns\",\"%\"\n"

static void assert_near(double got, double expected)
{
	assert_true(fabs(got - expected) <= 1e-9 * fabs(expected));
}

static struct error *parse(struct profile_capture *c, const char *text)
{
	return capture_parse(c, text, strlen(text));
}

static void reads_what_a_profiler_printed(void **state)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_capture struct profile_capture c = {0};

	(void)state;
	assert_null(file_read(&text, "tests/data/ncu/h200.csv"));
	assert_null(capture_parse(&c, text.data, text.len));
	assert_int_equal(c.n_kernels, 2);
	assert_string_equal(c.kernel[0].name,
			    "conflicts(const __nv_bfloat16 *, __nv_bfloat16 *, "
			    "float, long)");
	assert_true(starts_with(c.kernel[1].name, "honest("));
	assert_near(capture_value(&c, 0, "gpu__time_duration.sum") * 1e9,
		    657728);
	assert_near(capture_value(&c, 0, "dram__bytes_read.sum"), 134222592);
	/* A word, not a number. */
	assert_true(isnan(capture_value(&c, 0, "launch__func_cache_config")));
	assert_true(isnan(capture_value(&c, 0, "no__such.sum")));
	assert_true(isnan(capture_value(&c, 2, "gpu__time_duration.sum")));
}

static void a_value_is_a_number_or_not_known(void **state)
{
	static const struct {
		const char *field;
		double value; /* NAN: none */
	} fields[] = {
		{"12", 12},
		{"0", 0},
		{"-1.5", -1.5},
		{"1,234", 1234},
		{"-12,345.5", -12345.5},
		{"1,234,567.25", 1234567.25},
		{"5.5 (1; 2; 3)", 5.5},
		{"1e3", 1000},
		{"", NAN},
		{"n/a", NAN},
		{"(!) n/a", NAN},
		{"nan", NAN},
		{"inf", NAN},
		{"-inf", NAN},
		{"1e999", NAN},
		{"0x10", NAN},
		{",5", NAN},
		{"1,23", NAN},
		{"1,2345", NAN},
		{"12345,678", NAN},
		{"1.5,000", NAN},
		{"5kB", NAN},
		{"123456789012345678901234567890123456789012345678901234567890"
		 "1234567890",
		 NAN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		cleanup_free char *text =
			xasprintf(HEAD "\"\",\"\",\"\",\"%%\"\n"
				       "\"0\",\"k\",\"%s\",\"7\"\n",
				  fields[i].field);
		cleanup_capture struct profile_capture c = {0};
		double v;

		assert_null(parse(&c, text));
		v = capture_value(&c, 0, "a__t.sum");
		if (isnan(fields[i].value))
			assert_true(isnan(v));
		else
			assert_near(v, fields[i].value);
	}
}

static void prefixes_of_units_are_taken_out(void **state)
{
	static const struct {
		const char *unit;
		double value;
	} units[] = {
		{"ns", 2e-9},	    {"usecond", 2e-6}, {"msecond", 2e-3},
		{"s", 2},	    {"Kbyte", 2e3},    {"Gbyte/second", 2e9},
		{"byte/second", 2}, {"Ghz", 2e9},      {"%", 2},
		{"sector", 2},	    {"", 2},	       {"Kbyte/block", 2e3},
		{"nsecond", 2e-9},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		cleanup_free char *text = xasprintf(
			HEAD "\"\",\"\",\"%s\",\"\"\n\"0\",\"k\",\"2\",\"1\"\n",
			units[i].unit);
		cleanup_capture struct profile_capture c = {0};

		assert_null(parse(&c, text));
		assert_near(capture_value(&c, 0, "a__t.sum") / units[i].value,
			    1);
	}
}

static void an_empty_capture_is_an_error_never_zeros(void **state)
{
	static const char *const texts[] = {
		"",
		"==ERROR== something\n",
		HEAD UNITS,
		HEAD UNITS "\"0\",\"k\",\"n/a\",\"\"\n",
		HEAD UNITS "\"0\",\"k\",\"(!) n/a\",\"nan\"\n"
			   "\"1\",\"k\",\"\",\"\"\n",
		/* numbers that are of no metric */
		"\"ID\",\"Kernel Name\",\"Device\"\n\"\",\"\",\"\"\n"
		"\"0\",\"k\",\"0\"\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct profile_capture c;
		cleanup_error struct error *err = parse(&c, texts[i]);

		assert_true(error_is(err, ERROR_NOT_FOUND));
	}
}

static void refuses_a_table_that_does_not_add_up(void **state)
{
	static const char *const texts[] = {
		"\"ID\",\"Kernel Name\",\"a__t",
		HEAD "\"\",\"\",\"\"\n",
		HEAD UNITS "\"0\",\"k\",\"1\"\n",
		HEAD UNITS "\"0\",\"k\",\"1\",\"2\",\"3\"\n",
		HEAD UNITS "\"0\"x,\"k\",\"1\",\"2\"\n",
		HEAD UNITS "\"0\",\"k\",\"1\",\"2",
		"\"ID\",\"Name\",\"a__t\"\n\"\",\"\",\"\"\n"
		"\"0\",\"k\",\"1\"\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct profile_capture c;
		cleanup_error struct error *err = parse(&c, texts[i]);

		assert_true(error_is(err, ERROR_MALFORMED));
	}
}

static void refuses_what_is_too_much(void **state)
{
	cleanup_buf struct buf field = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf columns = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf kernels = BUF_INIT(BUF_LIMIT_TEXT);
	const struct buf *const texts[] = {&field, &columns, &kernels};

	(void)state;
	buf_adds(&field, "\"ID\",\"");
	for (size_t i = 0; i < 5000; i++)
		buf_addc(&field, 'x');
	buf_adds(&field, "\"\n");
	buf_adds(&columns, "\"ID\"");
	for (size_t i = 0; i < CAPTURE_MAX_COLUMNS; i++)
		buf_adds(&columns, ",\"a__b\"");
	buf_adds(&kernels, HEAD UNITS);
	for (size_t i = 0; i <= CAPTURE_MAX_KERNELS; i++)
		buf_adds(&kernels, "\"0\",\"k\",\"1\",\"2\"\n");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct profile_capture c;
		cleanup_error struct error *err =
			capture_parse(&c, texts[i]->data, texts[i]->len);

		assert_true(error_is(err, ERROR_TOO_BIG));
	}
}

/* Every beginning of an honest text is an answer, and none reads on. */
static void a_text_that_is_cut_anywhere_is_survived(void **state)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	assert_null(file_read(&text, "tests/data/ncu/h200.csv"));
	for (size_t len = 0; len < text.len; len += 7) {
		cleanup_free char *part = xmemdup(text.data, len + 1);
		cleanup_capture struct profile_capture c = {0};

		error_free(capture_parse(&c, part, len));
	}
}

static void lines_may_end_as_on_another_system(void **state)
{
	cleanup_capture struct profile_capture c = {0};

	(void)state;
	assert_null(parse(&c, "\"ID\",\"Kernel Name\",\"a__t\"\r\n"
			      "\"\",\"\",\"%\"\r\n\"0\",\"k\",\"3\"\r\n"));
	assert_near(capture_value(&c, 0, "a__t"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_a_profiler_printed),
		cmocka_unit_test(a_value_is_a_number_or_not_known),
		cmocka_unit_test(prefixes_of_units_are_taken_out),
		cmocka_unit_test(an_empty_capture_is_an_error_never_zeros),
		cmocka_unit_test(refuses_a_table_that_does_not_add_up),
		cmocka_unit_test(refuses_what_is_too_much),
		cmocka_unit_test(a_text_that_is_cut_anywhere_is_survived),
		cmocka_unit_test(lines_may_end_as_on_another_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
