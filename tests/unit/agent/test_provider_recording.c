#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>

#include "agent/provider/recording.h"
#include "core/base/file.h"
#include "tests/unit/agent/provider_fixture.h"

static char *temp_name(void)
{
	char path[] = "/tmp/avogit-recording.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return xstrdup(path);
}

static void opening(struct conversation *c, const char *wish)
{
	conversation_init(c, "You tune kernels.");
	assert_null(conversation_add_tool(c, "view", "Shows a file.", "{}"));
	conversation_say(c, wish);
}

static struct error *ask_of(struct provider *p, struct reply *r,
			    const struct conversation *c)
{
	struct turn_limits limits = {0};

	return provider_turn(p, r, c, &limits);
}

/* Reply n of the file, as an answer to c. */
static void play(struct reply *out, const char *path, int n,
		 const struct conversation *c)
{
	cleanup_provider struct provider *p = NULL;

	assert_null(replay_provider(&p, path, n > 0));
	for (int i = 0; i <= n; i++) {
		reply_release(out);
		assert_null(ask_of(p, out, c));
	}
}

static void assert_same_reply(const struct reply *a, const struct reply *b)
{
	assert_int_equal(a->stop, b->stop);
	assert_string_equal(a->text, b->text);
	assert_string_equal(a->raw, b->raw);
	assert_string_equal(a->model, b->model);
	assert_memory_equal(&a->usage, &b->usage, sizeof a->usage);
	assert_int_equal(a->n_calls, b->n_calls);
	for (size_t i = 0; i < a->n_calls; i++) {
		assert_string_equal(a->calls[i].id, b->calls[i].id);
		assert_string_equal(a->calls[i].arguments,
				    b->calls[i].arguments);
	}
}

static void plays_what_it_recorded(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		cleanup_free char *path = temp_name();
		cleanup_buf struct buf text = BUF_INIT(1 << 20);
		struct fixture f;

		set_up(&f,
		       "exchange\n  thinking Hm.\n  text Look.\n"
		       "  call view {\"path\":\"k\\n.c\"}\n  usage 9 8 7 6\n"
		       "exchange\n  text Done.\n",
		       (struct provider_config){.protocol = ways[i].protocol,
						.streaming = true});
		assert_null(provider_record(f.provider, path));
		for (int turn = 0; turn < 2; turn++) {
			cleanup_reply struct reply live = {0}, played = {0};

			assert_null(ask(&f, &live));
			play(&played, path, turn, &f.conversation);
			assert_same_reply(&live, &played);
			conversation_take(&f.conversation, &live);
			conversation_say(&f.conversation, "Go on.");
		}
		assert_null(file_read(&text, path));
		assert_null(strstr(text.data, KEY));
		assert_true(tear_down(&f));
		unlink(path);
	}
}

/* Records a reply to a conversation that begins like this. */
static void record_done(const char *path, const char *wish)
{
	static const char text[] = "{\"avogit_recording\":1}\n\n"
				   "{\"request\":\"\",\"text\":\"Done.\"}\n";
	cleanup_provider struct provider *p = NULL;
	cleanup_reply struct reply r = {0};
	struct conversation c;

	opening(&c, wish);
	assert_null(replay_text(&p, "text", text, strlen(text), true));
	assert_null(provider_record(p, path));
	assert_null(ask_of(p, &r, &c));
	conversation_release(&c);
}

static void tells_a_conversation_that_is_another(void **state)
{
	cleanup_free char *path = temp_name();
	struct conversation c;

	(void)state;
	record_done(path, "Make it fast.");
	for (int lenient = 0; lenient < 2; lenient++)
		for (int same = 0; same < 2; same++) {
			cleanup_provider struct provider *p = NULL;
			cleanup_reply struct reply r = {0}, more = {0};
			cleanup_error struct error *err = NULL, *end = NULL;

			opening(&c, same ? "Make it fast." : "Be slow.");
			assert_null(replay_provider(&p, path, lenient));
			err = ask_of(p, &r, &c);
			if (!same && !lenient) {
				assert_true(error_is(err, ERROR_MOVED));
				assert_non_null(
					strstr(error_message(err), "reply 1"));
			} else {
				assert_null(err);
				assert_string_equal(r.text, "Done.");
				end = ask_of(p, &more, &c);
				assert_true(error_is(end, ERROR_NOT_FOUND));
			}
			conversation_release(&c);
		}
	unlink(path);
}

static void refuses_files_that_are_no_recording(void **state)
{
	static const char *const texts[] = {
		"",
		"{}\n",
		"{\"avogit_recording\":2}\n",
		"not json\n",
		"{\"avogit_recording\":1}\n[",
		"{\"avogit_recording\":1}\n{\"stop\":\"maybe\"}",
		"{\"avogit_recording\":1}\n{\"calls\":[{\"arguments\":[]}]}",
		"{\"avogit_recording\":1}\n{\"raw\":7}",
		"{\"avogit_recording\":1}\n{\"stop\":\"end\",\"calls\":[{}]}",
	};
	cleanup_free char *path = temp_name();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		cleanup_provider struct provider *p = NULL;
		cleanup_conversation struct conversation c;
		cleanup_reply struct reply r = {0};
		cleanup_error struct error *err = NULL;

		opening(&c, "x");
		assert_null(
			file_write(path, texts[i], strlen(texts[i]), false));
		err = replay_provider(&p, path, false);
		if (!err)
			err = ask_of(p, &r, &c);
		if (!error_is(err, ERROR_MALFORMED))
			fail_msg("%s was taken", texts[i]);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plays_what_it_recorded),
		cmocka_unit_test(tells_a_conversation_that_is_another),
		cmocka_unit_test(refuses_files_that_are_no_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
