/* What only OpenAI's Responses has; test_provider.c and
 * test_provider_faults.c try all protocols alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>

#include "agent/provider/wire.h"
#include "tests/unit/agent/provider_fixture.h"

static struct provider_config config_of(bool streaming)
{
	return (struct provider_config){.protocol = PROTOCOL_RESPONSES,
					.streaming = streaming,
					.effort = "high",
					.retries = 1};
}

/* The server refuses reasoning that is changed, alone or out of order. */
static void gives_back_sealed_reasoning_before_its_calls(void **state)
{
	(void)state;
	for (int streaming = 0; streaming < 2; streaming++) {
		struct fixture f;
		cleanup_reply struct reply first = {0}, second = {0};

		set_up(&f,
		       "exchange\n"
		       "  want store false\n"
		       "  want include.0 reasoning.encrypted_content\n"
		       "  want reasoning.effort high\n"
		       "  want prompt_cache_key ~avogit-\n"
		       "  want instructions You tune kernels.\n"
		       "  want tools.0.name view\n"
		       "  want tools.0.strict false\n"
		       "  want max_output_tokens 16384\n"
		       "  want max_tokens absent\n"
		       "  thinking deep\n"
		       "  text I look.\n"
		       "  thinking deeper\n"
		       "  call view {\"path\":\"a\"}\n"
		       "  call view {\"path\":\"b\"}\n"
		       "  usage 100 20 5 30\n"
		       "exchange\n"
		       "  want input.0.role user\n"
		       "  want input.1.encrypted_content sealed-deep\n"
		       "  want input.2.type message\n"
		       "  want input.2.content.0.text I look.\n"
		       "  want input.3.encrypted_content sealed-deeper\n"
		       "  want input.4.call_id call_00013\n"
		       "  want input.4.arguments {\"path\":\"a\"}\n"
		       "  want input.5.call_id call_00014\n"
		       "  want input.6.type function_call_output\n"
		       "  want input.6.call_id call_00013\n"
		       "  want input.6.output one\n"
		       "  want input.7.call_id call_00014\n"
		       "  want input.7.output ~not run\n"
		       "  want input.8 absent\n"
		       "  text Done.\n",
		       config_of(streaming));
		assert_null(ask(&f, &first));
		assert_int_equal(first.stop, REPLY_TOOLS);
		assert_string_equal(first.text, "I look.");
		assert_int_equal(first.usage.reasoning, 15);
		assert_true(conversation_take(&f.conversation, &first));
		conversation_answer(&f.conversation, 0, "one", 3, false, NULL);
		assert_null(ask(&f, &second));
		assert_int_equal(second.stop, REPLY_END);
		assert_true(tear_down(&f));
	}
}

/* Reasoning whose call was cut may not go back without it. */
static void drops_the_reasoning_of_a_call_that_was_cut(void **state)
{
	(void)state;
	for (int streaming = 0; streaming < 2; streaming++) {
		struct fixture f;
		cleanup_reply struct reply first = {0}, second = {0};

		set_up(&f,
		       "exchange\n"
		       "  thinking kept\n  text So far.\n"
		       "  thinking dropped\n  call view {\"path\":\"a\"}\n"
		       "  stop length\n"
		       "exchange\n"
		       "  want input.1.encrypted_content sealed-kept\n"
		       "  want input.2.content.0.text So far.\n"
		       "  want input.3.content (cut at the length limit)\n"
		       "  want input.4.content Go on.\n"
		       "  text Done.\n",
		       config_of(streaming));
		assert_null(ask(&f, &first));
		assert_int_equal(first.stop, REPLY_LENGTH);
		assert_int_equal(first.dropped_calls, 1);
		assert_true(conversation_take(&f.conversation, &first));
		conversation_say(&f.conversation, "Go on.");
		assert_null(ask(&f, &second));
		assert_true(tear_down(&f));
	}
}

static void another_model_gets_the_words_and_calls(void **state)
{
	cleanup_conversation struct conversation c;
	cleanup_reply struct reply r = {.stop = REPLY_TOOLS,
					.text = xstrdup("Look."),
					.model = xstrdup("claude"),
					.protocol = PROTOCOL_ANTHROPIC,
					.raw = xstrdup("[{}]"),
					.calls = xcalloc(1, sizeof *r.calls),
					.n_calls = 1};
	const struct wire_request request = {.model = "gpt", .max_tokens = 9};
	cleanup_buf struct buf out = BUF_INIT(1 << 16);

	(void)state;
	r.calls[0] = (struct tool_call){.id = xstrdup("toolu_1"),
					.name = xstrdup("view"),
					.arguments = xstrdup("{\"n\":1}")};
	conversation_init(&c, "");
	conversation_say(&c, "x");
	assert_true(conversation_take(&c, &r));
	wire_responses.request(&out, &c, &request);
	assert_non_null(strstr(
		out.data,
		"\"input\":[{\"role\":\"user\",\"content\":\"x\"},"
		"{\"role\":\"assistant\",\"content\":\"Look.\"},"
		"{\"type\":\"function_call\",\"call_id\":\"toolu_1\",\"name\":"
		"\"view\",\"arguments\":\"{\\\"n\\\":1}\"},"
		"{\"type\":\"function_call_output\",\"call_id\":\"toolu_1\","));
	assert_null(strstr(out.data, "instructions"));
}

/* Bytes of one stream, event by event; the end is missing. */
static const char recorded[] =
	"{\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"status\":"
	"\"in_progress\",\"output\":[],\"usage\":null}}\n"
	"{\"type\":\"response.in_progress\",\"response\":{}}\n"
	"{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":"
	"{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[],"
	"\"encrypted_content\":\"gA\"}}\n"
	"{\"type\":\"response.reasoning_summary_text.delta\",\"output_index\":"
	"0,"
	"\"delta\":\"hm\"}\n"
	"{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":"
	"{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[],"
	"\"encrypted_content\":\"gAAA\",\"from_the_future\":1.0}}\n"
	"{\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":"
	"{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":"
	"\"in_progress\",\"arguments\":\"\",\"call_id\":\"call_1\",\"name\":"
	"\"view\"}}\n"
	"{\"type\":\"response.function_call_arguments.delta\",\"output_index\":"
	"1,\"delta\":\"{\\\"pa\"}\n"
	"{\"type\":\"response.function_call_arguments.done\",\"output_index\":"
	"1,"
	"\"arguments\":\"{\\\"path\\\":\\\"k\\\"}\"}\n"
	"{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":"
	"{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"completed\","
	"\"arguments\":\"{\\\"path\\\":\\\"k\\\"}\",\"call_id\":\"call_1\","
	"\"name\":\"view\"}}\n";

static void feed(struct draft *d, const char *lines)
{
	while (*lines) {
		size_t len = strcspn(lines, "\n");
		struct json_text event = {0};

		assert_null(json_text_check(&event, lines, len));
		assert_null(wire_responses.event(d, "", event));
		lines += len + 1;
	}
}

static void an_item_is_what_its_last_event_says(void **state)
{
	cleanup_draft struct draft d;
	cleanup_reply struct reply r = {0};
	struct error *err;

	(void)state;
	draft_init(&d);
	feed(&d, recorded);
	err = wire_responses.finish(&r, &d);
	assert_true(error_is(err, ERROR_MALFORMED)); /* no end so far */
	error_free(err);
	feed(&d, "{\"type\":\"response.completed\",\"response\":{\"status\":"
		 "\"completed\",\"model\":\"gpt-x\",\"output\":[],\"usage\":"
		 "{\"input_tokens\":10,\"input_tokens_details\":"
		 "{\"cached_tokens\":4},\"output_tokens\":7,"
		 "\"output_tokens_details\":{\"reasoning_tokens\":5}}}}\n");
	assert_null(wire_responses.finish(&r, &d));
	assert_int_equal(r.stop, REPLY_TOOLS);
	assert_string_equal(r.calls[0].id, "call_1");
	assert_string_equal(r.calls[0].arguments, "{\"path\":\"k\"}");
	assert_int_equal(d.usage.input, 6);
	assert_int_equal(d.usage.cache_read, 4);
	assert_int_equal(d.usage.reasoning, 5);
	assert_string_equal(
		r.raw,
		"[{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],"
		"\"encrypted_content\":\"gAAA\",\"from_the_future\":1.0},"
		"{\"type\":\"function_call\",\"id\":\"fc_1\",\"status\":"
		"\"completed\",\"name\":\"view\",\"call_id\":\"call_1\","
		"\"arguments\":\"{\\\"path\\\":\\\"k\\\"}\"}]");
}

static void errors_say_their_status(void **state)
{
	static const struct {
		const char *event;
		int status;
		const char *message;
	} table[] = {
		{"{\"type\":\"error\",\"code\":\"rate_limit_exceeded\","
		 "\"message\":\"slow\",\"param\":null}\n",
		 429, "slow"},
		{"{\"type\":\"error\",\"error\":{\"type\":\"server_error\","
		 "\"message\":\"sorry\"}}\n",
		 500, "sorry"},
		{"{\"type\":\"response.failed\",\"response\":{\"status\":"
		 "\"failed\",\"error\":{\"code\":\"server_error\",\"message\":"
		 "\"broken\"}}}\n",
		 500, "broken"},
		{"{\"type\":\"response.failed\",\"response\":{\"status\":"
		 "\"failed\",\"error\":{\"code\":\"context_length_exceeded\","
		 "\"message\":\"Your input exceeds the context window\"}}}\n",
		 400, "context_length_exceeded"},
		{"{\"type\":\"response.failed\",\"response\":{}}\n", 500,
		 "the response failed"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_draft struct draft d;

		draft_init(&d);
		feed(&d, table[i].event);
		assert_int_equal(d.failure.status, table[i].status);
		assert_string_equal(d.failure.message, table[i].message);
	}
}

static void an_address_keeps_its_query_behind_the_path(void **state)
{
	static const struct {
		const char *base, *url;
		const struct wire *wire;
	} table[] = {
		{"https://x.openai.azure.com/openai/deployments/"
		 "d?api-version=v",
		 "https://x.openai.azure.com/openai/deployments/d/chat/"
		 "completions?api-version=v",
		 &wire_openai},
		{"https://x.openai.azure.com/openai/v1/?api-version=preview",
		 "https://x.openai.azure.com/openai/v1/responses?api-version="
		 "preview",
		 &wire_responses},
		{"http://a/v1/", "http://a/v1/chat/completions", &wire_openai},
		{"http://a/v1?x", "http://a/v1/messages?x", &wire_anthropic},
		{"http://a/", "http://a/v1/messages", &wire_anthropic},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_buf struct buf url = BUF_INIT(4096);

		table[i].wire->url(
			&url, &(struct wire_request){.base_url = table[i].base,
						     .model = "m"});
		assert_string_equal(url.data, table[i].url);
	}
}

static void azure_gets_its_key_in_a_header_of_its_own(void **state)
{
	static const struct {
		const char *base, *secret, *header;
	} table[] = {
		{"https://x.openai.azure.com/openai/v1", "abc", "api-key: abc"},
		{"https://x.openai.azure.com/", "eyJ0.e30.x",
		 "Authorization: Bearer eyJ0.e30.x"},
		{"https://azure.com.example/v1", "abc",
		 "Authorization: Bearer abc"},
		{"https://api.openai.com/v1", "abc",
		 "Authorization: Bearer abc"},
		{"http:", "abc", "Authorization: Bearer abc"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct api_key key = {.secret = (char *)table[i].secret};
		cleanup_strvec struct strvec headers = STRVEC_INIT;

		openai_headers(&headers, &key, table[i].base);
		assert_int_equal(headers.n, 2);
		assert_string_equal(headers.v[1], table[i].header);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_back_sealed_reasoning_before_its_calls),
		cmocka_unit_test(drops_the_reasoning_of_a_call_that_was_cut),
		cmocka_unit_test(another_model_gets_the_words_and_calls),
		cmocka_unit_test(an_item_is_what_its_last_event_says),
		cmocka_unit_test(errors_say_their_status),
		cmocka_unit_test(an_address_keeps_its_query_behind_the_path),
		cmocka_unit_test(azure_gets_its_key_in_a_header_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
