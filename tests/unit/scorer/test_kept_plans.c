/* Plans of rivals that are kept for comparisons to come. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scorer/host/kept_plans.h"

#define PLANS 3

static void fill(struct kept_plans *k, int fd[KEPT_SETS][PLANS])
{
	kept_plans_begin(k, PLANS);
	for (size_t s = 0; s < KEPT_SETS; s++) {
		k->set[s].at.inputs_at = s + 1;
		for (size_t i = 0; i < PLANS; i++)
			k->set[s].plan[i] = fd[s][i] =
				memfd_create("plan", MFD_CLOEXEC);
	}
	k->n = KEPT_SETS;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void each_set_is_handed_over_once(void **state)
{
	struct kept_plans k = {.whose = NULL};
	int fd[KEPT_SETS][PLANS], got[PLANS];
	bool had[KEPT_SETS] = {false};
	struct gpu_addresses at;

	(void)state;
	assert_false(kept_plans_know(&k, "a"));
	assert_false(kept_plans_take(&at, got, &k));
	fill(&k, fd);
	for (size_t s = 0; s < KEPT_SETS; s++) {
		assert_true(kept_plans_know(&k, "a"));
		assert_true(kept_plans_take(&at, got, &k));
		assert_in_range(at.inputs_at, 1, KEPT_SETS);
		assert_false(had[at.inputs_at - 1]);
		had[at.inputs_at - 1] = true;
		for (size_t i = 0; i < PLANS; i++) {
			assert_int_equal(got[i], fd[at.inputs_at - 1][i]);
			assert_true(is_open(got[i]));
			close(got[i]);
		}
	}
	assert_false(kept_plans_take(&at, got, &k));
	assert_true(kept_plans_know(&k, "a"));
	kept_plans_clear(&k);
}

static void another_rival_has_none_of_them(void **state)
{
	struct kept_plans k = {.whose = NULL};
	int fd[KEPT_SETS][PLANS], got[PLANS];
	struct gpu_addresses at;

	(void)state;
	assert_false(kept_plans_know(&k, "a"));
	fill(&k, fd);
	assert_false(kept_plans_know(&k, "b"));
	assert_false(kept_plans_take(&at, got, &k));
	assert_false(kept_plans_know(&k, "a"));
	for (size_t i = 0; i < PLANS; i++)
		assert_false(is_open(fd[KEPT_SETS - 1][i]));
	kept_plans_clear(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_set_is_handed_over_once),
		cmocka_unit_test(another_rival_has_none_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
