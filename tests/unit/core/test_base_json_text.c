#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/json.h"
#include "core/base/json_text.h"

static struct json_text checked(const char *text)
{
	struct json_text v = {0};

	assert_null(json_text_check(&v, text, strlen(text)));
	return v;
}

static void takes_json_and_nothing_else(void **state)
{
	static const char *const good[] = {
		"{}",
		" [ ] ",
		"0",
		"-1.5e+10",
		"\"\"",
		"null",
		"true",
		"[1, [2, {\"a\" : [ ] , \"b\":{}}], \"x\"]",
		"\"\\u0000\\ud800\\/\"",
		"{\"a\":1,\"a\":2}",
	};
	static const struct {
		const char *text;
		size_t len;
	} bad[] = {
#define TEXT(s) {s, sizeof(s) - 1}
		TEXT(""),
		TEXT(" "),
		TEXT("{"),
		TEXT("["),
		TEXT("[1,]"),
		TEXT("[,1]"),
		TEXT("[1 2]"),
		TEXT("{\"a\"}"),
		TEXT("{\"a\":}"),
		TEXT("{\"a\":1,}"),
		TEXT("{a:1}"),
		TEXT("{1:2}"),
		TEXT("[1}"),
		TEXT("{\"a\":1]"),
		TEXT("01"),
		TEXT("1."),
		TEXT(".5"),
		TEXT("1e"),
		TEXT("+1"),
		TEXT("-"),
		TEXT("nul"),
		TEXT("nulll"),
		TEXT("NaN"),
		TEXT("\"a"),
		TEXT("\"\\\""),
		TEXT("\"\\x\""),
		TEXT("\"\\u12g4\""),
		TEXT("\"\\u12"),
		TEXT("\"\n\""),
		TEXT("\"\0\""),
		TEXT("\"\xff\""),
		TEXT("\"\xc0\x80\""),
		TEXT("\"\xed\xa0\x80\""),
		TEXT("\"\xf0\x9f"),
		TEXT("{} {}"),
		TEXT("{}x"),
		TEXT("{}\0"),
		TEXT("]"),
		TEXT("\xef\xbb\xbf{}"),
#undef TEXT
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		checked(good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		/* Exactly as long: a byte read beyond is a fault. */
		cleanup_free char *exact =
			xmemdup(bad[i].text, MAX(bad[i].len, 1));
		struct json_text v = {0};
		cleanup_error struct error *err =
			json_text_check(&v, exact, bad[i].len);

		if (!error_is(err, ERROR_MALFORMED))
			fail_msg("%zu: %s was taken", i, bad[i].text);
		assert_null(v.p);
	}
}

static void bounds_how_deep_values_nest(void **state)
{
	char text[2 * JSON_TEXT_DEPTH + 2];
	struct json_text v = {0};
	cleanup_error struct error *err = NULL;

	(void)state;
	memset(text, '[', JSON_TEXT_DEPTH + 1);
	memset(text + JSON_TEXT_DEPTH + 1, ']', JSON_TEXT_DEPTH + 1);
	assert_null(json_text_check(&v, text + 1, 2 * JSON_TEXT_DEPTH));
	err = json_text_check(&v, text, sizeof text);
	assert_non_null(strstr(error_message(err), "nest"));
}

static void cuts_values_out_as_they_are(void **state)
{
	struct json_text v = checked("{ \"a\" : [1.0, {\"x\":\"]}\\\"\"}],"
				     "\"b\\u0000\":12345678901234567890 ,"
				     "\"s\":\"t\",\"a2\":null}");
	struct json_text a = json_text_get(v, "a"), key, value;
	size_t at = 0, n = 0;

	(void)state;
	assert_int_equal(a.len, strlen("[1.0, {\"x\":\"]}\\\"\"}]"));
	assert_memory_equal(a.p, "[1.0, {\"x\":\"]}\\\"\"}]", a.len);
	while (json_text_next(v, &at, &key, &value))
		n++;
	assert_int_equal(n, 4);
	at = 0;
	assert_true(json_text_next(a, &at, NULL, &value));
	assert_memory_equal(value.p, "1.0", 3);
	assert_true(json_text_next(a, &at, NULL, &value));
	assert_true(json_text_equals(json_text_get(value, "x"), "]}\""));
	assert_false(json_text_next(a, &at, NULL, &value));
	assert_null(json_text_get(v, "absent").p);
	assert_null(json_text_get(a, "a").p);
	assert_null(json_text_get((struct json_text){0}, "a").p);
}

static void decodes_strings_into_text(void **state)
{
	static const char *const pairs[][2] = {
		{"\"a\\u00e9\\n\\/\"", "a\xc3\xa9\n/"},
		{"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"},
		{"\"\\u0000x\"", "\xef\xbf\xbdx"},
		{"\"\\ud83d\"", "\xef\xbf\xbd"},
		{"\"\\ud83dx\\ude00\"", "\xef\xbf\xbdx\xef\xbf\xbd"},
		{"\"\\ud83d\\u0041\"", "\xef\xbf\xbd"
				       "A"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		cleanup_free char *s = json_text_string(checked(pairs[i][0]));

		assert_string_equal(s, pairs[i][1]);
	}
	assert_null(json_text_string(checked("1")));
}

static void reads_whole_numbers_only(void **state)
{
	static const char *const none[] = {
		"1.0", "1e3", "9223372036854775808", "\"1\"", "null", "[1]"};
	int64_t v = 0;

	(void)state;
	assert_true(json_text_int(checked("-9223372036854775808"), &v));
	assert_true(v == INT64_MIN);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_false(json_text_int(checked(none[i]), &v));
}

static void quotes_any_bytes(void **state)
{
	static const char bytes[] = "a\"\\\n\x01\x7f\0\xff\xc3\xa9\xf0\x9f";
	cleanup_buf struct buf b = BUF_INIT(1000);
	cleanup_free char *back = NULL;

	(void)state;
	json_text_quote(&b, bytes, sizeof bytes - 1);
	back = json_text_string(checked(b.data));
	assert_string_equal(back, "a\"\\\n\x01\x7f\xef\xbf\xbd\xef\xbf\xbd"
				  "\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
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
		{"{\"figures\":{\"any\":[{\"n\":1},100]}}", "{}"},
		{"{\"a\":\"\\\\\",\"out\":\"\\\\\\\"\"}", "{\"a\":\"\\\\\"}"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
		cleanup_json struct json *j = NULL, *unchecked = NULL;
		cleanup_free char *text = NULL, *same = NULL;

		assert_true(json_text_skim(&out, cases[i].text,
					   strlen(cases[i].text), &how));
		assert_string_equal(out.data, cases[i].left);
		assert_null(json_parse(&j, out.data, out.len));
		assert_null(json_parse_checked(
			&unchecked, (struct json_text){out.data, out.len}));
		text = json_print(j);
		same = json_print(unchecked);
		assert_string_equal(text, same);
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
		"{\"figures\":{\"n\":[{\"any\":100},100]}}",
		"{\"figures\":[1,2,3,4]}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		/* On the heap, and without a NUL: a byte too far is seen. */
		size_t len = strlen(texts[i]);
		cleanup_free char *text = len ? xmemdup(texts[i], len) : NULL;
		cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

		if (json_text_skim(&out, text ? text : "", len, &how))
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
	assert_false(json_text_skim(&out, text.data, text.len, &how));
	assert_true(out.len < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_json_and_nothing_else),
		cmocka_unit_test(bounds_how_deep_values_nest),
		cmocka_unit_test(cuts_values_out_as_they_are),
		cmocka_unit_test(decodes_strings_into_text),
		cmocka_unit_test(reads_whole_numbers_only),
		cmocka_unit_test(quotes_any_bytes),
		cmocka_unit_test(members_are_skimmed_off),
		cmocka_unit_test(what_cannot_be_followed_is_not_skimmed),
		cmocka_unit_test(skimming_bounds_how_deep_objects_nest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
