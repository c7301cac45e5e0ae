/* What servers refuse, by their own words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/provider/habit.h"

static void a_reply_is_asked_for_as_short_as_the_server_says(void **state)
{
	static const struct {
		const char *message;
		int64_t limit; /* 0: nothing is learnt */
	} table[] = {
		{"max_tokens is too large: 32000. This model supports at most "
		 "16384 completion tokens, whereas you provided 32000.",
		 16384},
		{"Invalid 'max_output_tokens': integer above maximum value. "
		 "Expected a value <= 16,384, but got 32000 instead.",
		 16384},
		{"Invalid max_tokens value, the valid range of max_tokens is "
		 "[1, 8192]",
		 8192},
		{"Range of max_tokens should be [1, 8192]", 8192},
		{"max_tokens: 32000 > 8192, which is the maximum allowed "
		 "number of output tokens for claude-3-5-sonnet-20241022",
		 8192},
		{"`max_tokens` must be less than or equal to `4096`, the "
		 "maximum value for `max_tokens` is less than the "
		 "`context_window` for this model",
		 4096},
		{"The maximum tokens you requested exceeds the model limit of "
		 "8192. Try again with a maximum tokens value that is lower "
		 "than 8192.",
		 8192},
		{"max_tokens is too large", 16000},
		/* What is said of another thing. */
		{"prompt is too long: 210000 tokens > 200000 maximum", 0},
		{"Unsupported parameter: 'max_tokens' is not supported with "
		 "this model. Use 'max_completion_tokens' instead.",
		 0},
		{"This model's maximum context length is 8192 tokens. However, "
		 "your messages resulted in 9000 tokens.",
		 0},
		{"temperature: must be at most 1", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct habit h = {0};
		const struct draft_failure f = {
			.status = 400, .message = (char *)table[i].message};
		cleanup_free char *what =
			habit_learn_tokens(&h, &f, 32000, 4000);

		if (!what != !table[i].limit || h.most_tokens != table[i].limit)
			fail_msg("%s: %lld", table[i].message,
				 (long long)h.most_tokens);
		if (what)
			assert_int_equal(habit_tokens(&h, 32000, 9000),
					 table[i].limit);
	}
}

static void a_reply_is_asked_for_that_fits_the_context(void **state)
{
	static const struct {
		const char *message;
		int64_t room; /* 0: the conversation itself is too long */
	} table[] = {
		{"'max_tokens' or 'max_completion_tokens' is too large: 32000. "
		 "This model's maximum context length is 16384 tokens and your "
		 "request has 2000 input tokens (32000 > 16384 - 2000).",
		 14384},
		{"This model's maximum context length is 16384 tokens. "
		 "However, "
		 "you requested 34000 tokens (2000 in the messages, 32000 in "
		 "the completion). Please reduce the length of the messages or "
		 "completion.",
		 14384},
		{"Requested token count exceeds the model's maximum context "
		 "length of 16384 tokens. You requested a total of 34000 "
		 "tokens: 2000 tokens from the input messages and 32000 tokens "
		 "for the completion.",
		 14384},
		{"input length and `max_tokens` exceed context limit: 185616 + "
		 "32000 > 200000, decrease input length or `max_tokens` and "
		 "try again",
		 14384},
		{"input length and `max_tokens` exceed context limit: 199900 + "
		 "32000 > 200000, decrease input length or `max_tokens` and "
		 "try again",
		 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct habit h = {0};
		const struct draft_failure f = {
			.status = 400, .message = (char *)table[i].message};
		cleanup_free char *what =
			habit_learn_tokens(&h, &f, 32000, 8000);
		cleanup_free char *again = NULL;

		if (!what != !table[i].room)
			fail_msg("%s", table[i].message);
		if (!what)
			continue;
		assert_in_range(habit_tokens(&h, 32000, 8000),
				table[i].room - 100, table[i].room);
		/* Longer, it leaves less; at its shortest it is of use. */
		assert_true(habit_tokens(&h, 32000, 10000) <
			    table[i].room - 900);
		assert_int_equal(habit_tokens(&h, 32000, 1000000), 1024);
		assert_true(habit_tokens(&h, 32000, 1000) > table[i].room);
		/* It is told once. */
		again = habit_learn_tokens(&h, &f, 32000, 8000);
		assert_string_equal(again, "");
	}
}

static const struct refusal {
	const struct wire *wire;
	int status;
	const char *message, *parameter;
	const char *without; /* the name that people are told; NULL: none */
} refusals[] = {
	{&wire_anthropic, 400,
	 "This model does not support the effort parameter.", NULL,
	 "output_config"},
	{&wire_anthropic, 400,
	 "adaptive thinking is not supported on this model", NULL, "thinking"},
	{&wire_anthropic, 400,
	 "thinking.type: Input tag 'adaptive' found using 'type' does not "
	 "match any of the expected tags: 'disabled', 'enabled'",
	 NULL, "thinking"},
	{&wire_anthropic, 400, "`temperature` is deprecated for this model.",
	 NULL, "temperature"},
	{&wire_openai, 422,
	 "{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\","
	 "\"reasoning_effort\"],\"msg\":\"Extra inputs are not permitted\","
	 "\"input\":\"high\"}]}",
	 NULL, "reasoning_effort"},
	{&wire_openai, 400,
	 "Model grok-4-0709 does not support parameter reasoningEffort.", NULL,
	 "reasoning_effort"},
	{&wire_openai, 400, "\"llama3.1\" does not support thinking", NULL,
	 "reasoning_effort"},
	{&wire_openai, 400,
	 "Unrecognized request argument supplied: reasoning_effort", NULL,
	 "reasoning_effort"},
	{&wire_openai, 400,
	 "Your organization must be verified to stream this model. Please go "
	 "to: https://platform.openai.com/settings/organization/general",
	 "stream", "stream"},
	{&wire_responses, 400,
	 "Your organization must be verified to stream this model.", NULL,
	 "stream"},
	{&wire_openai, 400,
	 "Unsupported value: 'messages[0].role' does not support 'system' with "
	 "this model.",
	 "messages[0].role", "system"},
	{&wire_openai, 400, "System role not supported", NULL, "system"},
	{&wire_openai, 400,
	 "Unsupported value: 'temperature' does not support 0.5 with this "
	 "model. Only the default (1) value is supported.",
	 "temperature", "temperature"},
	{&wire_responses, 400,
	 "Encrypted content is not supported with this model.", "include",
	 "include"},
	{&wire_responses, 400,
	 "Unsupported parameter: 'reasoning.effort' is not supported with this "
	 "model.",
	 "reasoning.effort", "reasoning"},
	{&wire_openai, 400,
	 "Unsupported parameter: 'max_tokens' is not supported with this "
	 "model. Use 'max_completion_tokens' instead.",
	 "max_tokens", "max_tokens"},
	{&wire_openai, 500, "temperature", NULL, NULL},
	{&wire_openai, 400, "Your credit balance is too low", NULL, NULL},
	/* A word inside another is none. */
	{&wire_openai, 400, "upstream_error: restreamed", NULL, NULL},
};

static void what_a_server_refuses_is_left_out_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		const struct refusal *r = &refusals[i];
		struct habit h = {0};
		const struct draft_failure f = {.status = r->status,
						.message = (char *)r->message,
						.parameter =
							(char *)r->parameter};
		cleanup_free char *what =
			habit_learn_parameter(&h, &f, r->wire, "high");
		cleanup_free char *name = xasprintf("`%s`", r->without);

		if (!what != !r->without || (what && !strstr(what, name)))
			fail_msg("%s: %s", r->message, what ? what : "-");
		assert_int_equal(__builtin_popcount(h.left_out),
				 r->without != NULL);
	}
}

/* A model before 4.6 thinks by a budget; one that thinks in no form, not. */
static void thinking_has_a_second_form(void **state)
{
	cleanup_conversation struct conversation c;
	const struct draft_failure f = {.status = 400,
					.message = (char *)"no thinking"};
	struct habit h = {0};
	const char *const forms[] = {"\"thinking\":{\"type\":\"adaptive\"}",
				     "\"budget_tokens\":16000", NULL};

	(void)state;
	conversation_init(&c, "");
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const struct wire_request r = {.model = "m",
					       .max_tokens = 32000,
					       .effort = "high",
					       .left_out = h.left_out};
		cleanup_buf struct buf out = BUF_INIT(4096);
		cleanup_free char *what = NULL;

		wire_anthropic.request(&out, &c, &r);
		if (forms[i])
			assert_non_null(strstr(out.data, forms[i]));
		else
			assert_null(strstr(out.data, "\"thinking\""));
		what = habit_learn_parameter(&h, &f, &wire_anthropic, "high");
		assert_int_equal(!what, !forms[i]);
	}
}

static void effort_is_lowered_to_what_is_offered(void **state)
{
	static const struct {
		const char *sent, *message, *effort; /* NULL: left out */
	} table[] = {
		{"xhigh",
		 "Unsupported value: 'xhigh' is not supported with the 'gpt-5' "
		 "model. Supported reasoning_effort values are: 'low', "
		 "'medium', and 'high'.",
		 "high"},
		{"high",
		 "reasoning_effort: Supported values are: 'medium' and 'low'.",
		 "medium"},
		{"high", "reasoning_effort: Input should be 'none'", NULL},
		{"low", "reasoning_effort must be 'high'", NULL},
		{"high", "high reasoning_effort is not for low budgets", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct habit h = {0};
		const struct draft_failure f = {
			.status = 400, .message = (char *)table[i].message};
		cleanup_free char *what = habit_learn_parameter(
			&h, &f, &wire_openai, table[i].sent);

		assert_non_null(what);
		if (table[i].effort)
			assert_string_equal(h.effort, table[i].effort);
		else
			assert_null(h.effort);
		assert_int_equal(!h.left_out, table[i].effort != NULL);
	}
}

static void without_its_role_the_system_speaks_first_as_the_user(void **state)
{
	cleanup_conversation struct conversation c;
	struct habit h = {0};
	const struct draft_failure f = {
		.status = 400, .message = (char *)"System role not supported"};
	cleanup_free char *what =
		habit_learn_parameter(&h, &f, &wire_openai, NULL);
	const struct wire_request r = {
		.model = "m", .max_tokens = 9, .left_out = h.left_out};
	cleanup_buf struct buf out = BUF_INIT(4096);

	(void)state;
	conversation_init(&c, "Be brief.");
	conversation_say(&c, "x");
	conversation_say(&c, "y");
	wire_openai.request(&out, &c, &r);
	assert_non_null(strstr(
		out.data,
		"\"messages\":[{\"role\":\"user\",\"content\":\"Be "
		"brief.\\n\\nx\"},{\"role\":\"user\",\"content\":\"y\"}]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_reply_is_asked_for_as_short_as_the_server_says),
		cmocka_unit_test(a_reply_is_asked_for_that_fits_the_context),
		cmocka_unit_test(what_a_server_refuses_is_left_out_once),
		cmocka_unit_test(thinking_has_a_second_form),
		cmocka_unit_test(effort_is_lowered_to_what_is_offered),
		cmocka_unit_test(
			without_its_role_the_system_speaks_first_as_the_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
