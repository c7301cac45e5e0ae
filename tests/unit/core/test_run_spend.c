#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/run/population.h"
#include "core/task/task.h"

static void says_what_was_spent_in_a_line(void **state)
{
	static const struct {
		struct spend spend;
		const char *line;
	} table[] = {
		{{0}, ""},
		{{.gpu_seconds = 3}, ""},
		{{.turns = 1, .tokens_in = 999, .tokens_out = 7},
		 "1 turn, 999 tokens in, 7 out, $0.00"},
		{{12, 84200, 71000, 6100, 0.314, false, 0},
		 "12 turns, 84k tokens in (71k cached), 6k out, $0.31"},
		{{2, 12300000, 0, 1500, 0, true, 0},
		 "2 turns, 12.3M tokens in, 2k out, price unknown"},
		{{2, 10, 0, 10, 1.5, true, 0},
		 "2 turns, 10 tokens in, 10 out, $1.50 and what has no price"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_free char *line = spend_format(&table[i].spend);

		assert_string_equal(line, table[i].line);
	}
}

static void ends_at_each_limit_by_its_own_name(void **state)
{
	const struct spend spend = {10, 900, 800, 100, 2.5, false, 60};
	static const struct {
		struct budget_limits limits;
		const char *reason;
	} table[] = {
		{{0}, NULL},
		{{.steps = 11, .tokens = 1001, .dollars = 2.6}, NULL},
		{{.steps = 10}, "steps"},
		{{.tokens = 1000}, "tokens"},
		{{.dollars = 2.5}, "money"},
		{{.gpu_seconds = 60}, "gpu-time"},
		{{.gpu_seconds = 61}, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const char *reason = spend_reached(&spend, &table[i].limits);

		assert_int_equal(!reason, !table[i].reason);
		if (reason)
			assert_string_equal(reason, table[i].reason);
	}
}

static void reads_what_it_wrote(void **state)
{
	const struct spend spend = {10, 900, 800, 100, 2.5, true, 60};
	cleanup_json struct json *j = spend_to_json(&spend);
	struct spend back;

	(void)state;
	spend_from_json(&back, j);
	assert_int_equal(back.turns, 10);
	assert_int_equal(back.tokens_in, 900);
	assert_int_equal(back.tokens_hit, 800);
	assert_int_equal(back.tokens_out, 100);
	assert_true(back.dollars == 2.5 && back.gpu_seconds == 60);
	assert_true(back.unpriced);
}

static void takes_nonsense_of_another_clone_for_nothing(void **state)
{
	static const char text[] =
		"{\"turns\":-4,\"tokens_in\":9223372036854775807,"
		"\"tokens_out\":\"many\",\"dollars\":-3,\"gpu_seconds\":1e999}";
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = json_parse(&j, text, strlen(text));
	struct spend s, sum = {0};

	(void)state;
	spend_from_json(&s, j);
	assert_int_equal(s.turns, 0);
	assert_int_equal(s.tokens_out, 0);
	assert_true(s.dollars >= 0 && s.gpu_seconds >= 0);
	for (int i = 0; i < 1000; i++)
		spend_add(&sum, &s);
	assert_true(sum.tokens_in >= 0);
}

static void entry_of(struct entry *out, const char *writer, int64_t turns)
{
	entry_init(out, ENTRY_REMARK, "r");
	snprintf(out->writer, sizeof out->writer, "%s", writer);
	out->reason = xstrdup("a step");
	out->spend.turns = turns;
}

/* What resuming reads: entries of two machines, through the journal's form. */
static void a_run_has_spent_what_all_its_writers_have(void **state)
{
	cleanup_population struct population p;
	static const int64_t turns[] = {3, 4, 5};

	(void)state;
	population_init(&p);
	for (size_t i = 0; i < ARRAY_SIZE(turns); i++) {
		cleanup_entry struct entry e, back;
		cleanup_json struct json *j = NULL;

		entry_of(&e, i ? "b" : "a", turns[i]);
		j = journal_to_json(&e);
		entry_init(&back, ENTRY_STOP, "");
		assert_null(journal_from_json(&back, j));
		population_apply(&p, &back);
	}
	assert_int_equal(p.spend.turns, 12);
}

static void an_entry_of_before_has_spent_nothing(void **state)
{
	static const char text[] = "{\"kind\":\"remark\",\"run\":\"r\","
				   "\"time_us\":1,\"reason\":\"a step\","
				   "\"of_tomorrow\":{\"a\":1}}";
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = json_parse(&j, text, strlen(text));
	cleanup_entry struct entry e;

	(void)state;
	entry_init(&e, ENTRY_STOP, "");
	assert_null(journal_from_json(&e, j));
	assert_true(spend_is_zero(&e.spend));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_was_spent_in_a_line),
		cmocka_unit_test(ends_at_each_limit_by_its_own_name),
		cmocka_unit_test(reads_what_it_wrote),
		cmocka_unit_test(takes_nonsense_of_another_clone_for_nothing),
		cmocka_unit_test(a_run_has_spent_what_all_its_writers_have),
		cmocka_unit_test(an_entry_of_before_has_spent_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
