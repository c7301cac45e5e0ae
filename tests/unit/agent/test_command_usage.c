/* What the coding agents' own output says of their spend. The bytes are theirs:
 * three turns of 1,000 tokens read, 3,000 from the cache and 500 written, which
 * a scripted model said that it took. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "agent/command/internal.h"
#include "core/base/file.h"

/* All that a client printed, in pieces of n bytes. */
static struct spend said(const char *name, size_t n)
{
	cleanup_free char *path = xasprintf("tests/data/agents/%s", name);
	cleanup_buf struct buf text = BUF_INIT((size_t)1 << 20);
	struct command_usage u;
	struct spend out;

	assert_null(file_read(&text, path));
	command_usage_init(&u);
	for (size_t i = 0; i < text.len; i += n)
		command_usage_add(&u, text.data + i, MIN(n, text.len - i));
	command_usage_end(&u);
	command_usage_take(&out, &u);
	command_usage_release(&u);
	return out;
}

static void each_clients_tokens_are_counted(void **state)
{
	static const struct {
		const char *name;
		int64_t turns;
		bool unpriced;
	} clients[] = {
		{"claude.out", 3, false},  {"codex.out", 1, true},
		{"gemini.out", 3, true},   {"gemini-stream.out", 1, true},
		{"opencode.out", 3, true},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(clients); i++) {
		size_t j = i / 2;
		struct spend s = said(clients[j].name, i % 2 ? 7 : 4096);

		print_message("%s\n", clients[j].name);
		assert_int_equal(s.turns, clients[j].turns);
		assert_int_equal(s.tokens_in, 12000);
		assert_int_equal(s.tokens_hit, 9000);
		assert_int_equal(s.tokens_out, 1500);
		assert_int_equal(s.unpriced, clients[j].unpriced);
		assert_true(s.dollars >= 0 && s.dollars < 1);
	}
}

static void what_is_no_report_counts_nothing(void **state)
{
	static const char *const texts[] = {
		"",
		"{\n",
		"}\n",
		"{\"type\":\"result\",\"usage\":[]\n",
		"{\"stats\":{\"models\":3}}\n",
		"{\"type\":\"turn.completed\"}\n",
		"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":-5}}"
		"\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct command_usage u;
		struct spend out;

		command_usage_init(&u);
		command_usage_add(&u, texts[i], strlen(texts[i]));
		command_usage_end(&u);
		command_usage_take(&out, &u);
		assert_int_equal(out.tokens_in, 0);
		assert_true(out.dollars == 0);
		command_usage_release(&u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_clients_tokens_are_counted),
		cmocka_unit_test(what_is_no_report_counts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
