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
		"\"\\u0001\"",
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

static void numbers_keep_their_text(void **state)
{
	static const char text[] =
		"{\"1\":[1e0,\"2\",{\"-3\":12345678901234567890}],"
		"\"\\\"4\":-0.50,\"a\":[\"\\\\\",1E+400,null,0]}";
	cleanup_json struct json *j = NULL;
	cleanup_free char *again = NULL;

	(void)state;
	assert_null(json_parse(&j, text, strlen(text)));
	again = json_print(j);
	assert_string_equal(again, text);
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
		TEXT("\"\\ud800\""),
		TEXT("\"\\udc00\\ud800\""),
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_what_it_parsed),
		cmocka_unit_test(keeps_64_bits),
		cmocka_unit_test(numbers_keep_their_text),
		cmocka_unit_test(writes_no_more_digits_than_bring_it_back),
		cmocka_unit_test(refuses_what_is_no_json),
		cmocka_unit_test(bounds_how_deep_values_nest),
		cmocka_unit_test(bytes_that_are_no_text_become_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
