#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>

#include "core/base/file.h"
#include "tests/unit/agent/provider_fixture.h"

static void talks_and_calls_tools_in_both_protocols(void **state)
{
	static const char script[] =
		"exchange\n"
		"  want model model-1\n"
		"  thinking \"Let me see. \\u0002\"\n"
		"  text \"I look at it: \\u00e9\\ud83d\\ude00.\"\n"
		"  call view {\"path\":\"k.c\",\"big\":9007199254740993}\n"
		"  usage 100 20 5 30\n"
		"exchange\n"
		"  want messages ~9007199254740993\n"
		"  want messages ~the-file\n"
		"  text Done.\n"
		"  usage 10 130 5 3\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct fixture f;
		cleanup_reply struct reply first = {0}, second = {0};

		set_up(&f, script,
		       (struct provider_config){.protocol = ways[i].protocol,
						.streaming =
							ways[i].streaming});
		assert_null(ask(&f, &first));
		assert_int_equal(first.stop, REPLY_TOOLS);
		assert_string_equal(first.text,
				    "I look at it: \xc3\xa9\xf0\x9f\x98\x80.");
		assert_int_equal(first.n_calls, 1);
		assert_string_equal(
			first.calls[0].arguments,
			"{\"path\":\"k.c\",\"big\":9007199254740993}");
		assert_int_equal(first.usage.input, 100);
		assert_int_equal(first.usage.cache_read, 20);
		assert_int_equal(first.usage.cache_write, 5);
		assert_int_equal(first.usage.output, 30);
		assert_string_equal(first.request_id, "req_0001");
		assert_true(conversation_take(&f.conversation, &first));
		conversation_answer(&f.conversation, 0, "the-file", 8, false,
				    NULL);
		assert_null(ask(&f, &second));
		assert_int_equal(second.stop, REPLY_END);
		assert_string_equal(second.text, "Done.");
		assert_int_equal(f.provider->spending[0].replies, 2);
		assert_int_equal(f.provider->spending[0].usage.output, 33);
		assert_true(tear_down(&f));
	}
}

static struct provider_config config_of(struct how how)
{
	return (struct provider_config){.protocol = how.protocol,
					.streaming = how.streaming,
					.retries = 3};
}

static char *requests_seen(const struct fixture *f)
{
	cleanup_buf struct buf b = BUF_INIT((size_t)1 << 24);

	assert_null(file_read(&b, f->server.log));
	return buf_take(&b);
}

/* The call is split at every byte; the bytes on the way at every third. */
static void joins_what_comes_in_pieces(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct fixture f;
		cleanup_reply struct reply r = {0};

		set_up(&f,
		       "exchange\n  split 1\n  pieces 3\n"
		       "  text \"\\u00e9\\ud83d\\ude00 \\\"quoted\\\" \\\\\"\n"
		       "  call view {\"path\":\"a \\\"b\\\" \\\\é\"}\n"
		       "  call view {}\n",
		       config_of(ways[i]));
		assert_null(ask(&f, &r));
		assert_string_equal(r.text,
				    "\xc3\xa9\xf0\x9f\x98\x80 \"quoted\" \\");
		assert_int_equal(r.n_calls, 2);
		assert_string_equal(r.calls[0].arguments,
				    "{\"path\":\"a \\\"b\\\" \\\\\xc3\xa9\"}");
		assert_string_equal(r.calls[1].arguments, "{}");
		assert_true(strcmp(r.calls[0].id, r.calls[1].id) != 0);
		assert_true(tear_down(&f));
	}
}

/* A name in two fragments, one that is repeated, and the form of a call that
 * came before `tool_calls`: each is one call of `view`, and goes back whole. */
static void takes_calls_in_odd_forms(void **state)
{
	static const char *const bytes[] = {
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,"
		"\"id\":\"c1\",\"function\":{\"name\":\"vi\"}}]}}]}\n\n"
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,"
		"\"function\":{\"name\":\"ew\",\"arguments\":\"{\\\"path\\\"\"}"
		"}]"
		"}}]}\n\n"
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,"
		"\"function\":{\"arguments\":\":\\\"a\\\"}\"}}]}}]}\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,"
		"\"id\":\"c1\",\"function\":{\"name\":\"view\"}}]}}]}\n\n"
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,"
		"\"function\":{\"name\":\"view\",\"arguments\":\"{\\\"path\\\":"
		"\"}}"
		"]}}]}\n\n"
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,"
		"\"function\":{\"name\":\"view\",\"arguments\":\"\\\"a\\\"}\"}}"
		"]}}]}"
		"\n\n",
		"data: {\"choices\":[{\"delta\":{\"function_call\":{\"name\":"
		"\"view\",\"arguments\":\"{\\\"path\\\"\"}}}]}\n\n"
		"data: {\"choices\":[{\"delta\":{\"function_call\":{"
		"\"arguments\":\":\\\"a\\\"}\"}},\"finish_reason\":"
		"\"function_call\"}]}\n\n",
		"{\"choices\":[{\"message\":{\"content\":null,\"function_"
		"call\":"
		"{\"name\":\"view\",\"arguments\":\"{\\\"path\\\":\\\"a\\\"}\"}"
		"},"
		"\"finish_reason\":\"function_call\"}]}",
	};

	static const char end[] = "data: {\"choices\":[{\"delta\":{},"
				  "\"finish_reason\":\"tool_calls\"}]}\n\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		struct fixture f;
		cleanup_reply struct reply r = {0}, next = {0};
		cleanup_json struct json *text = json_array();
		cleanup_free char *whole = NULL, *quoted = NULL, *script = NULL;

		whole = xasprintf("%s%s", bytes[i], i < 2 ? end : "");
		json_push_string(text, whole);
		quoted = json_print(json_at(text, 0));
		script = xasprintf("exchange\n  body %s\nexchange\n"
				   "  want messages.-2.tool_calls.0.function."
				   "name view\n  text Done.\n",
				   quoted);
		set_up(&f, script,
		       (struct provider_config){.protocol = PROTOCOL_OPENAI,
						.streaming = true});
		assert_null(ask(&f, &r));
		assert_int_equal(r.n_calls, 1);
		assert_string_equal(r.calls[0].name, "view");
		assert_string_equal(r.calls[0].arguments, "{\"path\":\"a\"}");
		assert_true(*r.calls[0].id != 0);
		conversation_take(&f.conversation, &r);
		assert_null(ask(&f, &next));
		assert_string_equal(next.text, "Done.");
		assert_true(tear_down(&f));
	}
}

static void takes_the_quirks_of_other_servers(void **state)
{
	static const char *const quirks[] = {
		"no-index",
		"no-id",
		"object-arguments",
		"stop",
		"comments",
		"crlf",
		"no-done",
		"no-space",
		"whole",
		"no-index\n  quirk object-arguments\n  quirk stop",
		"gzip",
		"gzip\n  pieces 7",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(quirks); i++)
		for (size_t j = 0; j < ARRAY_SIZE(ways); j++) {
			struct fixture f;
			cleanup_reply struct reply r = {0};
			cleanup_free char *script =
				xasprintf("exchange\n  quirk %s\n  split 4\n"
					  "  text Both.\n"
					  "  call view {\"path\":\"a.c\"}\n"
					  "  call view {\"path\":\"b.c\"}\n",
					  quirks[i]);

			set_up(&f, script, config_of(ways[j]));
			assert_null(ask(&f, &r));
			if (r.stop != REPLY_TOOLS || r.n_calls != 2)
				fail_msg("quirk %s, way %zu: %zu calls",
					 quirks[i], j, r.n_calls);
			assert_string_equal(r.calls[0].arguments,
					    "{\"path\":\"a.c\"}");
			assert_string_equal(r.calls[1].arguments,
					    "{\"path\":\"b.c\"}");
			assert_true(*r.calls[1].id);
			assert_true(strcmp(r.calls[0].id, r.calls[1].id));
			assert_true(tear_down(&f));
		}
}

/* Every byte of what the model wrote is in the next request again. */
static void gives_back_what_the_model_wrote(void **state)
{
	static const char *const blocks =
		"{\"type\":\"thinking\",\"thinking\":\"a\\u00e9\\u0002\\/"
		"\",\"signature\":\"S==\"},"
		"{\"type\":\"redacted_thinking\",\"data\":\"xyz\"},"
		"{\"type\":\"from_the_future\",\"n\":1.0},"
		"{\"type\":\"tool_use\",\"id\":\"toolu_9\",\"name\":\"view\","
		"\"input\":{\"n\":12345678901234567890}}";
	cleanup_free char *script = xasprintf(
		"exchange\n  body {\"model\":\"served\",\"content\":[%s],"
		"\"stop_reason\":\"tool_use\"}\n"
		"exchange\n  text Done.\n",
		blocks);
	cleanup_reply struct reply first = {0}, second = {0};
	cleanup_free char *expected = xasprintf("[%s]", blocks);
	struct fixture f;

	(void)state;
	set_up(&f, script, config_of(ways[1]));
	assert_null(ask(&f, &first));
	assert_string_equal(first.served_by, "served");
	assert_string_equal(first.model, "model-1");
	assert_int_equal(first.n_calls, 1);
	conversation_take(&f.conversation, &first);
	assert_string_equal(f.conversation.turns[1].raw, expected);
	assert_null(ask(&f, &second));
	assert_true(tear_down(&f));
}

static void never_runs_a_call_that_was_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct fixture f;
		cleanup_reply struct reply r = {0}, next = {0};

		set_up(&f,
		       "exchange\n  call view {\"path\":\"k\"}\n"
		       "  stop length\n"
		       "exchange\n  want messages ~length limit\n  text ok\n",
		       config_of(ways[i]));
		assert_null(ask(&f, &r));
		assert_int_equal(r.stop, REPLY_LENGTH);
		assert_int_equal(r.n_calls, 0);
		assert_int_equal(r.dropped_calls, 1);
		assert_null(strstr(r.raw, "\"view\""));
		assert_true(conversation_take(&f.conversation, &r));
		conversation_say(&f.conversation, "Shorter.");
		assert_null(ask(&f, &next));
		assert_true(tear_down(&f));
	}
}

static void tells_how_a_reply_ended(void **state)
{
	static const struct {
		const char *body;
		enum reply_stop stop;
	} ends[] = {
		{"text \"\"\n", REPLY_END},
		{"text x\n  stop refusal\n", REPLY_REFUSED},
		{"call view {}\n  stop length\n", REPLY_LENGTH},
		{"status 400\n  body {\"error\":{\"message\":\"prompt is too "
		 "long: 300000 tokens\"}}\n",
		 REPLY_CONTEXT_FULL},
		{"status 400\n  body {\"error\":{\"message\":\"so long\","
		 "\"code\":\"context_length_exceeded\"}}\n",
		 REPLY_CONTEXT_FULL},
		{"status 413\n  body <html>too large</html>\n",
		 REPLY_CONTEXT_FULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		for (size_t j = 0; j < ARRAY_SIZE(ways); j++) {
			struct fixture f;
			cleanup_reply struct reply r = {0};
			cleanup_free char *script =
				xasprintf("exchange\n  %s", ends[i].body);

			if (i == 4 && ways[j].protocol == PROTOCOL_ANTHROPIC)
				continue;
			set_up(&f, script, config_of(ways[j]));
			assert_null(ask(&f, &r));
			if (r.stop != ends[i].stop)
				fail_msg("%zu, way %zu: %s", i, j,
					 reply_stop_name(r.stop));
			assert_int_equal(r.n_calls, 0);
			assert_non_null(r.text);
			assert_true(tear_down(&f));
		}
}

static void asks_the_fallback_where_the_model_refuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct fixture f;
		cleanup_reply struct reply r = {0};
		struct provider_config c = config_of(ways[i]);

		c.fallback_model = "model-2";
		set_up(&f,
		       "exchange\n  want model model-1\n  text No.\n"
		       "  stop refusal\n"
		       "exchange\n  want model model-2\n  text Yes.\n",
		       c);
		assert_null(ask(&f, &r));
		assert_int_equal(r.stop, REPLY_END);
		assert_string_equal(r.model, "model-2");
		assert_string_equal(r.refused_model, "model-1");
		assert_true(*r.refusal);
		assert_int_equal(f.provider->n_spending, 2);
		assert_true(tear_down(&f));
	}
}

static void forgets_a_parameter_that_a_model_does_not_know(void **state)
{
	static const struct {
		struct how how;
		const char *script;
	} cases[] = {
		{{PROTOCOL_ANTHROPIC, true},
		 "exchange\n  want temperature 0.5\n  status 400\n"
		 "  body {\"type\":\"error\",\"error\":{\"type\":"
		 "\"invalid_request_error\",\"message\":\"`temperature` is "
		 "not supported\"}}\n"
		 "exchange\n  want temperature absent\n  text a\n"
		 "exchange\n  want temperature absent\n  text b\n"},
		{{PROTOCOL_OPENAI, true},
		 "exchange\n  want max_tokens 16384\n  status 400\n"
		 "  body {\"error\":{\"message\":\"Use 'max_completion_tokens'"
		 " instead of 'max_tokens'.\",\"param\":\"max_tokens\"}}\n"
		 "exchange\n  want max_tokens absent\n"
		 "  want max_completion_tokens 16384\n  status 400\n"
		 "  body {\"error\":{\"message\":\"temperature: only 1\","
		 "\"param\":\"temperature\"}}\n"
		 "exchange\n  want temperature absent\n"
		 "  want max_completion_tokens 16384\n  text a\n"
		 "exchange\n  want temperature absent\n"
		 "  want max_completion_tokens 16384\n  text b\n"},
	};
	static const double temperature = 0.5;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;
		struct provider_config c = config_of(cases[i].how);

		c.temperature = &temperature;
		c.retries = 0;
		set_up(&f, cases[i].script, c);
		for (int j = 0; j < 2; j++) {
			cleanup_reply struct reply r = {0};

			assert_null(ask(&f, &r));
			assert_int_equal(r.stop, REPLY_END);
		}
		assert_int_equal(f.waited.len, 0);
		assert_true(tear_down(&f));
	}
}

static void anchors_the_prompt_cache(void **state)
{
	struct fixture f;
	cleanup_reply struct reply first = {0}, second = {0};

	(void)state;
	set_up(&f,
	       "exchange\n  want tools.0.cache_control.type ephemeral\n"
	       "  want system.0.cache_control.type ephemeral\n"
	       "  want messages.0.content.0.cache_control.type ephemeral\n"
	       "  call view {}\n"
	       "exchange\n"
	       "  want messages.0.content.0.cache_control.type ephemeral\n"
	       "  want messages.2.content.0.type tool_result\n"
	       "  want messages.2.content.1.text Go on.\n"
	       "  want messages.2.content.1.cache_control.type ephemeral\n"
	       "  want messages.3 absent\n"
	       "  text ok\n",
	       config_of(ways[0]));
	assert_null(ask(&f, &first));
	conversation_take(&f.conversation, &first);
	conversation_say(&f.conversation, "Go on.");
	assert_null(ask(&f, &second));
	assert_true(tear_down(&f));
}

static void makes_nothing_of_arguments_that_are_no_json(void **state)
{
	struct fixture f;
	cleanup_reply struct reply r = {0}, second = {0};

	(void)state;
	set_up(&f,
	       "exchange\n  body {\"choices\":[{\"message\":{\"tool_calls\":"
	       "[{\"id\":\"a\",\"function\":{\"name\":\"view\",\"arguments\":"
	       "\"{\\\"path\\\": \"}}]},\"finish_reason\":\"tool_calls\"}]}\n"
	       "exchange\n  want messages.2.tool_calls.0.function.arguments "
	       "{}\n"
	       "  text ok\n",
	       config_of(ways[2]));
	assert_null(ask(&f, &r));
	assert_int_equal(r.n_calls, 1);
	assert_string_equal(r.calls[0].arguments, "{}");
	assert_non_null(r.calls[0].invalid);
	conversation_take(&f.conversation, &r);
	assert_null(ask(&f, &second));
	assert_true(tear_down(&f));
}

static void sends_the_key_in_a_header_and_nowhere_else(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct fixture f;
		cleanup_reply struct reply r = {0};
		cleanup_error struct error *err = NULL;
		cleanup_free char *seen = NULL;

		set_up(&f,
		       "exchange\n  status 401\n  body {\"error\":{\"message\":"
		       "\"bad key " KEY "\"}}\n",
		       config_of(ways[i]));
		err = ask(&f, &r);
		assert_true(error_is(err, ERROR_REFUSED));
		assert_null(strstr(error_message(err), KEY));
		assert_non_null(strstr(error_message(err), "[key]"));
		seen = requests_seen(&f);
		assert_non_null(strstr(seen, KEY));
		assert_null(strstr(strstr(seen, KEY) + 1, KEY));
		assert_true(tear_down(&f));
	}
}

/* Half a character, escaped, and a byte that belongs to none. */
static void mends_what_no_server_would_take_back(void **state)
{
	static const char *const bodies[] = {
		"{\"content\":[{\"type\":\"text\",\"text\":\"a\\ud83d \xff\"},"
		"{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"view\","
		"\"input\":{\"path\":\"\\ude00\\ud83d\\ude00\"}}],"
		"\"stop_reason\":\"tool_use\"}",
		"{\"choices\":[{\"message\":{\"content\":\"a\\ud83d \xff\","
		"\"tool_calls\":[{\"id\":\"t\",\"function\":{\"name\":\"view\","
		"\"arguments\":\"{\\\"path\\\":\\\"\\\\ude00\\\\ud83d"
		"\\\\ude00\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}",
		"{\"status\":\"completed\",\"output\":[{\"type\":\"message\","
		"\"content\":[{\"type\":\"output_text\",\"text\":\"a\\ud83d "
		"\xff\"}]},{\"type\":\"function_call\",\"call_id\":\"t\","
		"\"name\":\"view\",\"arguments\":\"{\\\"path\\\":\\\""
		"\\\\ude00\\\\ud83d\\\\ude00\\\"}\"}]}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		cleanup_free char *script = xasprintf(
			"exchange\n  body %s\nexchange\n  text Done.\n",
			bodies[i]);
		cleanup_reply struct reply first = {0}, second = {0};
		cleanup_free char *seen = NULL;
		struct fixture f;

		set_up(&f, script, config_of(ways[2 * i + 1]));
		assert_null(ask(&f, &first));
		assert_string_equal(first.text, "a\xef\xbf\xbd \xef\xbf\xbd");
		assert_string_equal(first.calls[0].arguments,
				    "{\"path\":\"\\ufffd\\ud83d\\ude00\"}");
		conversation_take(&f.conversation, &first);
		assert_null(strstr(f.conversation.turns[1].raw, "\\ud83d "));
		assert_null(ask(&f, &second));
		seen = requests_seen(&f);
		assert_null(strstr(seen, "a\\\\ud83d"));
		assert_true(tear_down(&f));
	}
}

static void tells_a_web_page_from_a_reply(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct fixture f;
		cleanup_reply struct reply r = {0};
		cleanup_error struct error *err = NULL;
		struct provider_config c = config_of(ways[i]);

		c.retries = 0;
		set_up(&f,
		       "exchange\n  header content-type: text/html\n"
		       "  body \"\\n<!DOCTYPE html><html><head><TITLE>Log in "
		       "to "
		       "the guest network</TITLE></head></html>\"\n",
		       c);
		err = ask(&f, &r);
		if (!err)
			assert_int_equal(r.stop, REPLY_REJECTED);
		assert_non_null(strstr(
			err ? error_message(err) : r.refusal,
			"a web page came where a reply was due (\"Log in "
			"to the guest network\")"));
		assert_true(tear_down(&f));
	}
}

/* The model is in the path there, the token is a bearer's. */
static void asks_anthropics_models_at_vertex_and_bedrock(void **state)
{
	static const struct {
		const char *path, *model;
		bool streaming;
		const char *asked;
	} table[] = {
		{"/v1/projects/p/locations/l/publishers/anthropic/models",
		 "claude-x@20261101", true,
		 "/anthropic/models/claude-x@20261101:streamRawPredict\""},
		{"/v1/projects/p/locations/l/publishers/anthropic/models/",
		 "claude-x", false, "/anthropic/models/claude-x:rawPredict\""},
		{"/model", "anthropic.claude-x-v1:0", true,
		 "\"/model/anthropic.claude-x-v1%3A0/invoke\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_reply struct reply first = {0}, second = {0};
		cleanup_free char *seen = NULL;
		struct fixture f;

		set_up_at(&f,
			  "exchange\n  thinking hm\n  call view {}\n"
			  "exchange\n  text Done.\n",
			  (struct provider_config){.model = table[i].model,
						   .effort = "high",
						   .streaming =
							   table[i].streaming},
			  table[i].path);
		assert_null(ask(&f, &first));
		assert_int_equal(first.n_calls, 1);
		conversation_take(&f.conversation, &first);
		assert_null(ask(&f, &second));
		assert_string_equal(second.text, "Done.");
		seen = requests_seen(&f);
		if (!strstr(seen, table[i].asked))
			fail_msg("%s", seen);
		assert_non_null(strstr(seen, "Authorization: Bearer " KEY));
		assert_true(tear_down(&f));
	}
}

static struct error *another_key(void *arg, struct api_key *out)
{
	++*(int *)arg;
	*out = (struct api_key){.secret = xstrdup("second-key"),
				.from = xstrdup("a test")};
	return NULL;
}

/* A key command's token ends after an hour; one that was never good, at once. */
static void asks_for_another_key_where_the_first_has_ended(void **state)
{
	int asked = 0;
	struct provider_config c = config_of(ways[0]);
	cleanup_reply struct reply r = {0}, never = {0};
	cleanup_error struct error *err = NULL;
	cleanup_free char *seen = NULL;
	struct fixture f;

	(void)state;
	c.renew_key = another_key;
	c.renew_arg = &asked;
	set_up(&f,
	       "exchange\n  status 401\n  body {\"error\":{\"message\":"
	       "\"expired\"}}\n"
	       "exchange\n  text Done.\n"
	       "exchange\n  status 401\n  body {\"error\":{\"message\":"
	       "\"expired\"}}\n",
	       c);
	assert_null(ask(&f, &r));
	assert_string_equal(r.text, "Done.");
	err = ask(&f, &never);
	assert_true(error_is(err, ERROR_REFUSED));
	assert_int_equal(asked, 2);
	seen = requests_seen(&f);
	assert_non_null(strstr(seen, "x-api-key: second-key"));
	assert_true(tear_down(&f));
}

/* The server refuses calls that lack what it signed them with. */
static void gives_back_what_else_came_with_a_call(void **state)
{
	static const char body[] =
		"{\"choices\":[{\"message\":{\"extra_content\":{\"a\":1},"
		"\"tool_calls\":[{\"id\":\"a\",\"extra_content\":{\"google\":"
		"{\"thought_signature\":\"S\\/=\"}},\"function\":{\"name\":"
		"\"view\",\"arguments\":\"{}\",\"note\":[1.0]},\"new\":null},"
		"{\"id\":\"b\",\"function\":{\"name\":\"view\",\"arguments\":"
		"\"{}\"}}]},\"finish_reason\":\"stop\"}]}";
	cleanup_free char *script = xasprintf("exchange\n  body %s\n"
					      "exchange\n  text Done.\n",
					      body);
	cleanup_reply struct reply first = {0}, second = {0};
	struct fixture f;

	(void)state;
	set_up(&f, script, config_of(ways[3]));
	assert_null(ask(&f, &first));
	assert_int_equal(first.n_calls, 2);
	conversation_take(&f.conversation, &first);
	assert_non_null(
		strstr(f.conversation.turns[1].raw,
		       "\"arguments\":\"{}\",\"note\":[1.0]},\"extra_content\":"
		       "{\"google\":{\"thought_signature\":\"S\\/=\"}},\"new\":"
		       "null},{"));
	assert_non_null(strstr(f.conversation.turns[1].raw,
			       "}],\"extra_content\":{\"a\":1}}"));
	assert_null(ask(&f, &second));
	assert_true(tear_down(&f));
}

static void geminis_signature_comes_and_goes(void **state)
{
	(void)state;
	for (int streaming = 0; streaming < 2; streaming++) {
		static const char script[] =
			"exchange\n  split 3\n"
			"  call view {\"path\":\"a\"}\n"
			"  call view {\"path\":\"b\"}\n"
			"exchange\n"
			"  want messages.2.tool_calls.0.extra_content.google."
			"thought_signature signed-00010\n"
			"  want messages.2.tool_calls.1.extra_content absent\n"
			"  text Done.\n";
		cleanup_reply struct reply first = {0}, second = {0};
		struct fixture f;

		set_up_at(&f, script,
			  (struct provider_config){.protocol = PROTOCOL_OPENAI,
						   .streaming = streaming},
			  "/v1beta/openai");
		assert_null(ask(&f, &first));
		assert_int_equal(first.n_calls, 2);
		conversation_take(&f.conversation, &first);
		assert_null(ask(&f, &second));
		assert_true(tear_down(&f));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(talks_and_calls_tools_in_both_protocols),
		cmocka_unit_test(joins_what_comes_in_pieces),
		cmocka_unit_test(takes_calls_in_odd_forms),
		cmocka_unit_test(takes_the_quirks_of_other_servers),
		cmocka_unit_test(gives_back_what_the_model_wrote),
		cmocka_unit_test(never_runs_a_call_that_was_cut),
		cmocka_unit_test(tells_how_a_reply_ended),
		cmocka_unit_test(asks_the_fallback_where_the_model_refuses),
		cmocka_unit_test(
			forgets_a_parameter_that_a_model_does_not_know),
		cmocka_unit_test(anchors_the_prompt_cache),
		cmocka_unit_test(makes_nothing_of_arguments_that_are_no_json),
		cmocka_unit_test(sends_the_key_in_a_header_and_nowhere_else),
		cmocka_unit_test(mends_what_no_server_would_take_back),
		cmocka_unit_test(tells_a_web_page_from_a_reply),
		cmocka_unit_test(asks_anthropics_models_at_vertex_and_bedrock),
		cmocka_unit_test(
			asks_for_another_key_where_the_first_has_ended),
		cmocka_unit_test(gives_back_what_else_came_with_a_call),
		cmocka_unit_test(geminis_signature_comes_and_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
