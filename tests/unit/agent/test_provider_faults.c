#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>

#include "tests/unit/agent/provider_fixture.h"

static struct provider_config config_of(struct how how)
{
	return (struct provider_config){
		.protocol = how.protocol,
		.streaming = how.streaming,
		.retries = 3,
		.stall_seconds = 0.2,
		/* without a stream silence ends by this one */
		.total_seconds = how.streaming ? 30 : 0.5,
	};
}

static const char good[] = "exchange\n  want messages.-1.role user\n"
			   "  text Fine.\n";

/* Each is met once or twice, then the server is well again. */
static void tries_again_after_what_passes(void **state)
{
	static const char *const faults[] = {
		"status 408\n  header retry-after-ms: 1",
		"status 409\n  header retry-after: 0.001",
		"status 429\n  header retry-after-ms: 2\n  body slow down",
		"status 500\n  header retry-after-ms: 1\n  body {}",
		"status 502\n  header retry-after-ms: 1\n"
		"  body <html>bad gateway</html>",
		"status 503\n  header retry-after-ms: 1",
		"status 529\n  header retry-after-ms: 1\n  body {\"type\":"
		"\"error\",\"error\":{\"type\":\"overloaded_error\"}}",
		"status 404\n  header x-should-retry: true\n"
		"  header retry-after-ms: 1",
		"status 429\n  header retry-after-ms: 1\n  times 3",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		for (size_t j = 0; j < ARRAY_SIZE(ways); j++) {
			struct fixture f;
			cleanup_reply struct reply r = {0};
			cleanup_error struct error *err = NULL;
			cleanup_free char *script = xasprintf(
				"exchange\n  %s\n%s", faults[i], good);

			set_up(&f, script, config_of(ways[j]));
			err = ask(&f, &r);
			if (err)
				fail_msg("%s: %s", faults[i],
					 error_message(err));
			assert_string_equal(r.text, "Fine.");
			assert_true(r.attempts >= 2);
			assert_non_null(strstr(f.waited.data, "again in"));
			assert_true(tear_down(&f));
		}
}

static void ends_the_run_where_the_settings_are_wrong(void **state)
{
	static const struct {
		const char *fault, *says;
	} faults[] = {
		{"status 401", "key"},
		{"status 403", "key"},
		{"status 404", "base_url"},
		{"status 302\n  header location: http://127.0.0.1:1/",
		 "redirects are not followed"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		for (size_t j = 0; j < ARRAY_SIZE(ways); j++) {
			struct fixture f;
			cleanup_reply struct reply r = {0};
			cleanup_error struct error *err = NULL;
			cleanup_free char *script =
				xasprintf("exchange\n  %s\n", faults[i].fault);

			set_up(&f, script, config_of(ways[j]));
			err = ask(&f, &r);
			assert_non_null(err);
			if (!error_is(err, ERROR_REFUSED) ||
			    !strstr(error_message(err), faults[i].says))
				fail_msg("%s: %s", faults[i].fault,
					 error_message(err));
			assert_null(r.text);
			assert_true(tear_down(&f));
		}
}

/* It is a reply with the server's words, so that the caller can go on. */
static void tells_what_the_server_says_of_one_request(void **state)
{
	static const struct {
		const char *fault;
		enum reply_stop stop;
		const char *says;
	} faults[] = {
		{"status 400\n  body {\"error\":{\"message\":\"no\"}}",
		 REPLY_REJECTED, "status 400, no"},
		{"status 422", REPLY_REJECTED, "status 422"},
		{"status 500\n  header x-should-retry: false", REPLY_REJECTED,
		 "status 500"},
		{"status 400\n  header x-should-retry: true\n"
		 "  header retry-after-ms: 1\n  times 4",
		 REPLY_REJECTED, "status 400"},
		{"header retry-after-ms: 1\n  body <html>\n  times 4",
		 REPLY_REJECTED, ""},
		{"status 400\n  body {\"error\":{\"type\":"
		 "\"exceed_context_size_error\",\"message\":\"so big\"}}",
		 REPLY_CONTEXT_FULL, "so big"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		for (size_t j = 0; j < ARRAY_SIZE(ways); j++) {
			struct fixture f;
			cleanup_reply struct reply r = {0};
			cleanup_free char *script =
				xasprintf("exchange\n  %s\n", faults[i].fault);

			set_up(&f, script, config_of(ways[j]));
			assert_null(ask(&f, &r));
			assert_int_equal(r.stop, faults[i].stop);
			if (!strstr(r.refusal, faults[i].says))
				fail_msg("%s: %s", faults[i].fault, r.refusal);
			assert_string_equal(r.text, "");
			assert_true(tear_down(&f));
		}
}

static void waits_as_long_as_the_patience(void **state)
{
	static const char *const faults[] = {
		"status 503\n  header retry-after-ms: 1\n  times -1",
		"status 429\n  header retry-after: 3600",
		"cut 0\n  header retry-after-ms: 1\n  times -1",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		struct fixture f;
		cleanup_reply struct reply r = {0};
		cleanup_error struct error *err = NULL;
		struct provider_config c = config_of(ways[0]);
		cleanup_free char *script =
			xasprintf("exchange\n  %s\n", faults[i]);

		c.patience_seconds = 0.3;
		set_up(&f, script, c);
		err = ask(&f, &r);
		assert_true(error_is(err, ERROR_SYSTEM));
		assert_non_null(strstr(error_message(err), "patience"));
		tear_down(&f);
	}
}

/* A stream of 2xx that goes wrong is a failed turn, wherever it does. */
static void takes_no_half_reply_for_a_whole_one(void **state)
{
	static const char *const faults[] = {
		"cut 0",
		"cut 1",
		"cut 150",
		"cut 400",
		"end 0",
		"end 100",
		"end 400",
		"stop none",
		"error overloaded_error busy",
		"error api_error broken",
		"raw \"data: {\\\"type\\\":\\n\\n\"",
		"raw \"data: \\u00ff{\\n\\n\"",
		"raw \"data: [1,2\\n\\n\"",
		"quirk whole\n  cut 20",
		"body not json at all",
		"body {}",
		"body [",
		"header content-encoding: gzip\n  cut 10",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		for (size_t j = 0; j < ARRAY_SIZE(ways); j += 2) {
			struct fixture f;
			cleanup_reply struct reply r = {0};
			cleanup_error struct error *err = NULL;
			struct provider_config c = config_of(ways[j]);
			cleanup_free char *script = xasprintf(
				"exchange\n  split 3\n"
				"  text A text of some length.\n  %s\n"
				"  call view {\"path\":\"kernel.c\"}\n",
				faults[i]);

			c.retries = 0;
			c.patience_seconds = 1e-9;
			set_up(&f, script, c);
			err = ask(&f, &r);
			if (!err && r.stop != REPLY_REJECTED)
				fail_msg("%s, way %zu: %s", faults[i], j,
					 reply_stop_name(r.stop));
			if (err)
				assert_true(error_is(err, ERROR_SYSTEM));
			else
				assert_string_equal(r.text, "");
			assert_int_equal(f.provider->spending[0].failures, 1);
			assert_true(tear_down(&f));
		}
}

/* The stream of one call, cut after every byte. */
static void a_stream_cut_anywhere_is_a_failed_turn(void **state)
{
	(void)state;
	for (size_t j = 0; j < ARRAY_SIZE(ways); j += 2) {
		cleanup_buf struct buf script = BUF_INIT((size_t)1 << 20);
		struct provider_config c = config_of(ways[j]);
		struct fixture f;

		c.retries = 0;
		c.patience_seconds = 1e-9;
		for (int at = 0; at < 500; at++)
			buf_addf(&script,
				 "exchange\n  %s %d\n"
				 "  call view {\"path\":\"kernel.c\"}\n",
				 at % 2 ? "cut" : "end", at);
		set_up(&f, script.data, c);
		for (int at = 0; at < 500; at++) {
			cleanup_reply struct reply r = {0};
			cleanup_error struct error *err = ask(&f, &r);

			if (!err && r.stop != REPLY_REJECTED)
				fail_msg("cut at %d gave a reply", at);
		}
		assert_true(tear_down(&f));
	}
}

static void ends_what_does_not_end(void **state)
{
	static const char *const faults[] = {
		"stall 0",
		"stall 200",
		"endless line",
		"endless header",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		for (size_t j = 0; j < ARRAY_SIZE(ways); j++) {
			struct fixture f;
			cleanup_reply struct reply r = {0};
			cleanup_error struct error *err = NULL;
			struct provider_config c = config_of(ways[j]);
			cleanup_free char *script = xasprintf(
				"exchange\n  text abc\n  %s\n", faults[i]);

			c.retries = 0;
			c.patience_seconds = 1e-9;
			set_up(&f, script, c);
			err = ask(&f, &r);
			if (!error_is(err, ERROR_SYSTEM) &&
			    r.stop != REPLY_REJECTED)
				fail_msg("%s: %s", faults[i],
					 err ? error_message(err) : "a reply");
			assert_true(tear_down(&f));
		}
}

static void waits_for_a_stream_that_drips(void **state)
{
	struct fixture f;
	cleanup_reply struct reply r = {0};

	(void)state;
	set_up(&f, "exchange\n  pieces 100\n  drip 20\n  text Slow.\n",
	       config_of(ways[0]));
	assert_null(ask(&f, &r));
	assert_string_equal(r.text, "Slow.");
	assert_true(tear_down(&f));
}

static void stops_when_told_to(void **state)
{
	static const int stop = 1;
	struct turn_limits limits = {.stop = &stop};
	struct fixture f;
	cleanup_reply struct reply r = {0};
	cleanup_error struct error *err = NULL;

	(void)state;
	set_up(&f, "exchange\n  stall 0\n", config_of(ways[0]));
	err = provider_turn(f.provider, &r, &f.conversation, &limits);
	assert_true(error_is(err, ERROR_INTERRUPTED));
	tear_down(&f);
}

static void keeps_within_the_wall_time(void **state)
{
	struct turn_limits limits = {.wall_seconds = 0.5};
	struct fixture f;
	cleanup_reply struct reply r = {0};
	cleanup_error struct error *err = NULL;

	(void)state;
	set_up(&f, "exchange\n  status 429\n  header retry-after: 60\n",
	       config_of(ways[0]));
	err = provider_turn(f.provider, &r, &f.conversation, &limits);
	assert_true(error_is(err, ERROR_INTERRUPTED));
	assert_true(tear_down(&f));
}

static void says_where_nobody_listens(void **state)
{
	struct provider_config c = config_of(ways[0]);
	struct api_key key = {0};
	struct turn_limits limits = {0};
	cleanup_provider struct provider *p = NULL;
	cleanup_conversation struct conversation talk;
	cleanup_reply struct reply r = {0};
	cleanup_error struct error *err = NULL;

	(void)state;
	c.base_url = "http://127.0.0.1:1";
	c.model = "m";
	c.retries = 0;
	c.patience_seconds = 1e-9;
	conversation_init(&talk, "");
	conversation_say(&talk, "x");
	assert_null(live_provider(&p, &c, &key));
	err = provider_turn(p, &r, &talk, &limits);
	assert_true(error_is(err, ERROR_SYSTEM));
	assert_non_null(strstr(error_message(err), "http://127.0.0.1:1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tries_again_after_what_passes),
		cmocka_unit_test(ends_the_run_where_the_settings_are_wrong),
		cmocka_unit_test(tells_what_the_server_says_of_one_request),
		cmocka_unit_test(waits_as_long_as_the_patience),
		cmocka_unit_test(takes_no_half_reply_for_a_whole_one),
		cmocka_unit_test(a_stream_cut_anywhere_is_a_failed_turn),
		cmocka_unit_test(ends_what_does_not_end),
		cmocka_unit_test(waits_for_a_stream_that_drips),
		cmocka_unit_test(stops_when_told_to),
		cmocka_unit_test(keeps_within_the_wall_time),
		cmocka_unit_test(says_where_nobody_listens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
