#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/base/json.h"

static void prints_what_it_parsed(void **state)
{
	static const char *const texts[] = {
		"{}",
		"[1,-2.5e-3,\"a\",true,false,null]",
		"{\"big\":9007199254740993,\"nested\":{\"x\":[[]]}}",
		"{\"s\":\"\\u00e9 \\\" \\\\ \\n\"}",
		"-0",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cleanup_json struct json *j = NULL, *again = NULL;
		cleanup_free char *once = NULL, *twice = NULL;

		assert_null(json_parse(&j, texts[i], strlen(texts[i])));
		once = json_print(j);
		assert_null(json_parse(&again, once, strlen(once)));
		twice = json_print(again);
		assert_string_equal(once, twice);
	}
}

static void keeps_64_bits(void **state)
{
	cleanup_json struct json *j = json_object(), *back = NULL;
	cleanup_free char *text = NULL;
	int64_t v = 0;
	double d = 0;

	(void)state;
	json_set_int(j, "i", INT64_MIN);
	json_set_double(j, "d", 0.1 + 0.2);
	json_set_double(j, "inf", -HUGE_VAL);
	text = json_print(j);
	assert_null(json_parse(&back, text, strlen(text)));
	assert_true(json_get_int(back, "i", &v) && v == INT64_MIN);
	assert_true(json_get_double(back, "d", &d) && d == 0.1 + 0.2);
	assert_true(json_get_double(back, "inf", &d) && isinf(d) && d < 0);
	assert_false(json_get_int(back, "d", &v));
	assert_false(json_get_int(back, "absent", &v));
}

static void writes_no_more_digits_than_bring_it_back(void **state)
{
	cleanup_json struct json *j = json_object();
	cleanup_free char *text = NULL;

	(void)state;
	json_set_double(j, "a", 33.77);
	json_set_double(j, "b", 0.1 + 0.2);
	json_set_double(j, "c", 134222592);
	text = json_print(j);
	assert_string_equal(text, "{\"a\":33.77,\"b\":0.30000000000000004,"
				  "\"c\":134222592}");
}

static void refuses_what_is_no_json(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} bad[] = {
#define TEXT(s) {s, sizeof(s) - 1}
		TEXT(""),
		TEXT("{} x"),
		TEXT("[1,]"),
		TEXT("{\"a\":}"),
		TEXT("{1:2}"),
		TEXT("01"),
		TEXT("1."),
		TEXT("1e"),
		TEXT("+1"),
		TEXT("nan"),
		TEXT("\"abc"),
		TEXT("\"\\u0000\""),
		TEXT("\"\0\""),
		TEXT("\"\xff\""),
		TEXT("\"\xed\xa0\x80\""),
		TEXT("\"\\u0001\""),
		TEXT("[1]\0"),
		TEXT("'a'"),
		TEXT("\"a\nb\""),
#undef TEXT
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct json *j = NULL;
		cleanup_error struct error *err =
			json_parse(&j, bad[i].text, bad[i].len);

		if (!err)
			fail_msg("%zu: %s was taken", i, bad[i].text);
		assert_null(j);
	}
}

static void bounds_how_deep_values_nest(void **state)
{
	char text[129];
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = NULL;

	(void)state;
	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	assert_null(json_parse(&j, text, 128));
	memset(text, '[', 65);
	err = json_parse(&j, text, 65);
	assert_non_null(strstr(error_message(err), "nest"));
}

static void bytes_that_are_no_text_become_marks(void **state)
{
	cleanup_json struct json *j = json_object();
	const char *s = NULL;

	(void)state;
	json_set_string(j, "s", "a\xff\xc3");
	assert_true(json_get_string(j, "s", &s));
	assert_string_equal(s, "a\xef\xbf\xbd\xef\xbf\xbd");
}

static enum json_skim_as is_wanted(const char *of, const char *key)
{
	if (str_eq(key, "figures"))
		return JSON_SKIM_CHECK;
	return str_eq(key, "out") || str_eq(of, "empty") ? JSON_SKIM_DROP
							 : JSON_SKIM_KEEP;
}

static bool is_below_ten(const char *key, const char *number)
{
	return str_eq(key, "any") || (*number != '-' && strlen(number) == 1);
}

static const struct json_skimmer how = {is_wanted, is_below_ten, 3};

static void members_are_skimmed_off(void **state)
{
	static const struct {
		const char *text, *left;
	} cases[] = {
		{"{}", "{}"},
		{"{\"out\":1}", "{}"},
		{"{\"out\":[{\"b\":\"]}\"},2],\"a\":-1.5e3}", "{\"a\":-1.5e3}"},
		{" { \"a\" : 1 , \"out\" : {} , \"b\" : true } ",
		 "{\"a\" : 1,\"b\" : true}"},
		{"{\"a\":{\"out\":\"\\\"}\",\"b\":null},\"out\":0}",
		 "{\"a\":{\"b\":null}}"},
		{"{\"empty\":{\"a\":1,\"b\":2},\"c\":[{\"out\":1}]}",
		 "{\"empty\":{},\"c\":[{\"out\":1}]}"},
		{"{\"figures\":[{\"n\":9,\"m\":[1,2,3],\"any\":-1e9}]}", "{}"},
		{"{\"out\":[-1,2,3,4]}", "{}"},
		{"{\"a\":\"\\\\\",\"out\":\"\\\\\\\"\"}", "{\"a\":\"\\\\\"}"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_json struct json *j = NULL;

		assert_true(json_skim(&out, cases[i].text,
				      strlen(cases[i].text), &how));
		assert_string_equal(out.data, cases[i].left);
		assert_null(json_parse(&j, out.data, out.len));
	}
}

/* What has no end, and what only would be JSON without what is dropped. */
static void what_cannot_be_followed_is_not_skimmed(void **state)
{
	static const char *const texts[] = {
		"",
		"1",
		"[]",
		"{",
		"{\"a\"",
		"{\"a\":",
		"{\"a\":1",
		"{\"a\":1,}",
		"{\"a\":1}}",
		"{\"a\":1} x",
		"{\"out\":}",
		"{\"out\":\"}",
		"{\"out\":\"\\",
		"{\"out\":[1}",
		"{\"out\":{\"b\":1}",
		"{\"a\" 1}",
		"{a:1}",
		"{\"out\":[1,]}",
		"{\"out\":01}",
		"{\"out\":nul}",
		"{\"out\":{\"a\" 1}}",
		"{\"out\":\"\xff\"}",
		"{\"out\":\"\n\"}",
		"{\"out\":\"\\x\"}",
		"{\"out\":\"\\u0000\"}",
		"{\"o\\u0075t\":1}",
		"{\"figures\":[{\"n\":-1}]}",
		"{\"figures\":[{\"n\":10}]}",
		"{\"figures\":[[10]]}",
		"{\"figures\":10}",
		"{\"figures\":[1,2,3,4]}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		/* On the heap, and without a NUL: a byte too far is seen. */
		size_t len = strlen(texts[i]);
		cleanup_free char *text = len ? xmemdup(texts[i], len) : NULL;
		cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

		if (json_skim(&out, text ? text : "", len, &how))
			fail_msg("%s was skimmed: %s", texts[i], out.data);
	}
}

static void skimming_bounds_how_deep_objects_nest(void **state)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_adds(&text, "{\"a\":");
	assert_false(json_skim(&out, text.data, text.len, &how));
	assert_true(out.len < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_what_it_parsed),
		cmocka_unit_test(keeps_64_bits),
		cmocka_unit_test(writes_no_more_digits_than_bring_it_back),
		cmocka_unit_test(refuses_what_is_no_json),
		cmocka_unit_test(bounds_how_deep_values_nest),
		cmocka_unit_test(bytes_that_are_no_text_become_marks),
		cmocka_unit_test(members_are_skimmed_off),
		cmocka_unit_test(what_cannot_be_followed_is_not_skimmed),
		cmocka_unit_test(skimming_bounds_how_deep_objects_nest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
