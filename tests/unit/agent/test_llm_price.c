#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "agent/llm/price.h"

static const struct usage million = {.input = 1000000,
				     .cache_read = 1000000,
				     .cache_write = 2000000,
				     .cache_write_long = 1000000,
				     .output = 1000000,
				     .known = true};

static void adds_up_what_each_kind_of_token_costs(void **state)
{
	double dollars = 0;

	(void)state;
	assert_true(price_of(&dollars, NULL, "claude-opus-4-8", &million));
	assert_true(fabs(dollars - (5 + 0.5 + 6.25 + 10 + 25)) < 1e-9);
}

static void knows_a_model_by_its_name_and_dates(void **state)
{
	static const struct {
		const char *model;
		bool known;
	} cases[] = {
		{"claude-opus-4-5", true},
		{"claude-opus-4-5-20251101", true},
		{"claude-opus-4-5-latest", true},
		{"gpt-4.1-2025-04-14", true},
		{"gpt-4.1-mini", false},
		{"claude-opus-4-59", false},
		{"claude-opus-6", false},
		{"qwen3-coder", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!!price_find(NULL, cases[i].model) != cases[i].known)
			fail_msg("%s", cases[i].model);
}

static void leaves_unknown_what_nobody_knows(void **state)
{
	struct usage silent = million;
	double dollars = -1;

	(void)state;
	silent.known = false;
	assert_false(price_of(&dollars, NULL, "qwen3-coder", &million));
	assert_false(price_of(&dollars, NULL, "gpt-4.1", &silent));
	assert_true(dollars == -1);
}

static void asks_the_tasks_own_table_first(void **state)
{
	static const struct price own[] = {{"gpt-", 1, 1, 1, 1, 1},
					   {"gpt-4", 0, 0, 0, 0, 2},
					   {"qwen", 0, 0, 0, 0, 0}};
	static const struct price_table table = {own, ARRAY_SIZE(own)};
	double dollars = -1;

	(void)state;
	assert_true(price_of(&dollars, &table, "gpt-4.1", &million));
	assert_true(dollars == 2);
	assert_true(price_of(&dollars, &table, "qwen3", &million));
	assert_true(dollars == 0);
	assert_true(price_find(&table, "claude-opus-4-8") != NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_up_what_each_kind_of_token_costs),
		cmocka_unit_test(knows_a_model_by_its_name_and_dates),
		cmocka_unit_test(leaves_unknown_what_nobody_knows),
		cmocka_unit_test(asks_the_tasks_own_table_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
