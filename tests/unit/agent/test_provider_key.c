#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/provider/key.h"

static const char *const variables[] = {
	"ANTHROPIC_API_KEY",
	"ANTHROPIC_AUTH_TOKEN",
	"OPENAI_API_KEY",
	"ANTHROPIC_CUSTOM_HEADERS",
	"A_KEY",
};

static int forget_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		unsetenv(variables[i]);
	return 0;
}

static void finds_the_key_of_each_protocol(void **state)
{
	static const struct {
		enum protocol protocol;
		const char *variable, *key_env, *command, *secret;
		bool bearer;
	} cases[] = {
		{PROTOCOL_ANTHROPIC, "ANTHROPIC_API_KEY", NULL, NULL, "k1",
		 false},
		{PROTOCOL_ANTHROPIC, "ANTHROPIC_AUTH_TOKEN", NULL, NULL, "k1",
		 true},
		{PROTOCOL_OPENAI, "OPENAI_API_KEY", NULL, NULL, "k1", true},
		{PROTOCOL_OPENAI, "A_KEY", "A_KEY", NULL, "k1", true},
		{PROTOCOL_ANTHROPIC, "A_KEY", "A_KEY", "echo no", "k1", false},
		{PROTOCOL_ANTHROPIC, "ANTHROPIC_API_KEY", NULL, "echo k2", "k2",
		 false},
		{PROTOCOL_OPENAI, "ANTHROPIC_API_KEY", NULL,
		 "echo noise >&2; printf k2", "k2", true},
		{PROTOCOL_OPENAI, "ANTHROPIC_API_KEY", NULL, NULL, NULL, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_key struct api_key k = {0};

		forget_all(state);
		setenv(cases[i].variable, "k1", 1);
		assert_null(key_find(&k, cases[i].protocol, cases[i].key_env,
				     cases[i].command));
		if (!cases[i].secret) {
			assert_null(k.secret);
			continue;
		}
		assert_string_equal(k.secret, cases[i].secret);
		assert_int_equal(k.bearer, cases[i].bearer);
	}
}

static void refuses_what_is_no_key(void **state)
{
	static const char *const commands[] = {
		"true",
		"false",
		"echo a; echo b",
		"echo 'a b'",
		"exit 3",
		"printf 'a\\tb'",
		"no-such-command-at-all",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		cleanup_key struct api_key k = {0};
		cleanup_error struct error *err =
			key_find(&k, PROTOCOL_OPENAI, NULL, commands[i]);

		if (!error_is(err, ERROR_USAGE))
			fail_msg("%s was taken", commands[i]);
		assert_null(k.secret);
	}
}

static void wants_the_variable_that_was_named(void **state)
{
	cleanup_key struct api_key k = {0};
	cleanup_error struct error *err =
		key_find(&k, PROTOCOL_OPENAI, "A_KEY", NULL);

	(void)state;
	assert_non_null(strstr(error_message(err), "A_KEY"));
}

static void takes_keys_out_of_text(void **state)
{
	static const char *const pairs[][2] = {
		{"the key secret-1 and secret-1", "the key [key] and [key]"},
		{"x-api-key: abc\r\nhost: h", "x-api-key: [key]\r\nhost: h"},
		{"\"Authorization: Bearer abc\"", "\"Authorization: Bearer "
						  "[key]\""},
		{"sk-proj-0123456789abcdefgh!", "[key]!"},
		{"sk-short", "sk-short"},
		{"", ""},
		{"secret-", "secret-"},
	};
	cleanup_key struct api_key k = {.secret = xstrdup("secret-1")};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		cleanup_free char *out = redact(pairs[i][0], &k);

		assert_string_equal(out, pairs[i][1]);
	}
}

static void reads_headers_from_the_environment(void **state)
{
	cleanup_strvec struct strvec v = STRVEC_INIT, bad = STRVEC_INIT;
	cleanup_error struct error *err = NULL;

	(void)state;
	setenv("ANTHROPIC_CUSTOM_HEADERS", "a: 1\r\n\nb: 2", 1);
	assert_null(key_headers(&v, PROTOCOL_ANTHROPIC));
	assert_int_equal(v.n, 2);
	assert_string_equal(v.v[0], "a: 1");
	assert_string_equal(v.v[1], "b: 2");
	setenv("ANTHROPIC_CUSTOM_HEADERS", "nonsense", 1);
	err = key_headers(&bad, PROTOCOL_ANTHROPIC);
	assert_true(error_is(err, ERROR_USAGE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(finds_the_key_of_each_protocol,
				       forget_all),
		cmocka_unit_test_setup(refuses_what_is_no_key, forget_all),
		cmocka_unit_test_setup(wants_the_variable_that_was_named,
				       forget_all),
		cmocka_unit_test(takes_keys_out_of_text),
		cmocka_unit_test_setup(reads_headers_from_the_environment,
				       forget_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
