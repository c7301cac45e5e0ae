#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "scorer/reported/output.h"

static char *parse(struct reported *r, const char *text)
{
	return reported_parse(r, text, strlen(text));
}

static void a_pass_has_a_score_and_cases(void **state)
{
	cleanup_reported struct reported r = {0};

	(void)state;
	assert_null(parse(&r,
			  " {\"cases\": [{\"value\": 2, \"name\": \"a b\"}, "
			  "{\"name\": \"c\", \"value\": 3e2}], "
			  "\"verdict\": \"pass\", \"score\": 1.5}\n"));
	assert_int_equal(r.verdict, VERDICT_PASS);
	assert_true(r.score == 1.5);
	assert_int_equal(r.name.n, 2);
	assert_string_equal(r.name.v[1], "c");
	assert_true(r.value[0] == 2 && r.value[1] == 300);
	assert_null(r.why);
}

static void a_pass_needs_no_cases(void **state)
{
	cleanup_reported struct reported r = {0}, none = {0};

	(void)state;
	assert_null(parse(&r, "{\"verdict\":\"pass\",\"score\":7}"));
	assert_int_equal(r.name.n, 0);
	assert_null(parse(&none,
			  "{\"verdict\":\"pass\",\"score\":7,\"cases\":[]}"));
	assert_int_equal(none.name.n, 0);
}

static void a_failure_has_a_reason(void **state)
{
	cleanup_reported struct reported r = {0};

	(void)state;
	assert_null(
		parse(&r, "{\"verdict\":\"timed-out\",\"why\":\"x \\u00e9\"}"));
	assert_int_equal(r.verdict, VERDICT_TIMED_OUT);
	assert_string_equal(r.why, "x \xc3\xa9");
}

#define PASS "{\"verdict\":\"pass\",\"score\":1"

static void anything_else_is_refused_with_its_reason(void **state)
{
	static const struct {
		const char *text, *why;
	} forms[] = {
		{"", "nothing was printed"},
		{"speed 5", "not JSON at byte 0"},
		{"5", "it is not an object"},
		{"null", "it is not an object"},
		{"\"pass\"", "it is not an object"},
		{"{}", "it is not an object"},
		{"[" PASS "}]", "it is not an object"},
		{PASS "}" PASS "}", "something follows"},
		{PASS, "not JSON"},
		{"{\"score\":5}", "'verdict' is missing"},
		{"{\"verdict\":true,\"score\":5}", "'verdict' is not a text"},
		{"{\"verdict\":\"best\",\"score\":5}", "no verdict 'best'"},
		{"{\"verdict\":\"not-run\",\"why\":\"x\"}", "no verdict"},
		{"{\"verdict\":\"unusable\",\"why\":\"x\"}", "no verdict"},
		{"{\"verdict\":\"pass\"}", "'score' is missing"},
		{"{\"verdict\":\"pass\",\"score\":NaN}", "not JSON"},
		{"{\"verdict\":\"pass\",\"score\":Infinity}", "not JSON"},
		{"{\"verdict\":\"pass\",\"score\":1e999}", "at most"},
		{"{\"verdict\":\"pass\",\"score\":1e25}", "at most"},
		{"{\"verdict\":\"pass\",\"score\":0}", "above 0"},
		{"{\"verdict\":\"pass\",\"score\":-3}", "above 0"},
		{"{\"verdict\":\"pass\",\"score\":1e-999}", "above 0"},
		{"{\"verdict\":\"pass\",\"score\":\"5\"}", "not a number"},
		{"{\"verdict\":\"pass\",\"score\":null}", "not a number"},
		{PASS ",\"score\":2}", "'score' twice"},
		{PASS ",\"sc\\u006fre\":2}", "'score' twice"},
		{PASS ",\"why\":\"x\"}", "a pass has no 'why'"},
		{PASS ",\"champion\":true}", "'champion', which means"},
		{"{\"verdict\":\"wrong\"}", "'why' is missing"},
		{"{\"verdict\":\"wrong\",\"why\":\"\"}", "'why' is not"},
		{"{\"verdict\":\"wrong\",\"why\":5}", "'why' is not"},
		{"{\"verdict\":\"wrong\",\"why\":\"x\",\"score\":5}",
		 "only a pass"},
		{PASS ",\"cases\":5}", "not a list"},
		{PASS ",\"cases\":{\"a\":5}}", "not a list"},
		{PASS ",\"cases\":[5]}", "not an object"},
		{PASS ",\"cases\":[{}]}", "not an object"},
		{PASS ",\"cases\":[{\"name\":\"a\"}]}", "'value' of a case"},
		{PASS ",\"cases\":[{\"value\":1}]}",
		 "'name' of a case is missing"},
		{PASS ",\"cases\":[{\"name\":\"\",\"value\":1}]}",
		 "not a text"},
		{PASS ",\"cases\":[{\"name\":\"a\",\"value\":0}]}", "above 0"},
		{PASS ",\"cases\":[{\"name\":\"a\",\"value\":1,\"x\":1}]}",
		 "'x', which means"},
		{PASS ",\"cases\":[{\"name\":\"a\\nb\",\"value\":1}]}",
		 "control character"},
		{PASS ",\"cases\":[{\"name\":\"a\",\"value\":1},"
		      "{\"name\":\"a\",\"value\":1}]}",
		 "two cases"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		cleanup_reported struct reported r = {0};
		cleanup_free char *why = parse(&r, forms[i].text);

		if (!why || !strstr(why, forms[i].why))
			fail_msg("%s: %s", forms[i].text, why ? why : "taken");
		assert_null(r.why);
		assert_null(r.value);
		assert_int_equal(r.name.n, 0);
	}
}

static void what_is_long_is_refused(void **state)
{
	cleanup_reported struct reported r = {0};
	cleanup_buf struct buf cases = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *why = NULL, *many = NULL, *name = NULL;
	char text[700];

	(void)state;
	snprintf(text, sizeof text,
		 "{\"verdict\":\"wrong\",\"why\":\"%0600d\"}", 0);
	why = parse(&r, text);
	assert_non_null(strstr(why, "'why' is longer than 500 bytes"));
	snprintf(text, sizeof text,
		 PASS ",\"cases\":[{\"name\":\"%0100d\",\"value\":1}]}", 0);
	name = parse(&r, text);
	assert_non_null(strstr(name, "is longer than 64 bytes"));
	buf_adds(&cases, PASS ",\"cases\":[");
	for (int i = 0; i < 257; i++)
		buf_addf(&cases, "%s{\"name\":\"%d\",\"value\":1}",
			 i ? "," : "", i);
	buf_adds(&cases, "]}");
	many = parse(&r, cases.data);
	assert_non_null(strstr(many, "'cases' has over 256 elements"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pass_has_a_score_and_cases),
		cmocka_unit_test(a_pass_needs_no_cases),
		cmocka_unit_test(a_failure_has_a_reason),
		cmocka_unit_test(anything_else_is_refused_with_its_reason),
		cmocka_unit_test(what_is_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
