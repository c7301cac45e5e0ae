#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>

#include "scorer/device/machine.h"

static const char *fact(const struct machine *m, const char *key)
{
	for (size_t i = 0; i < m->n_facts; i++)
		if (str_eq(m->fact[i].key, key))
			return m->fact[i].value;
	return NULL;
}

static void is_the_same_kind_when_read_twice(void **state)
{
	cleanup_machine struct machine a = {0};
	cleanup_machine struct machine b = {0};

	(void)state;
	assert_null(machine_read(&a, "cc 12.2"));
	assert_null(machine_read(&b, "cc 12.2"));
	assert_string_equal(a.kind, b.kind);
	assert_int_equal(strlen(a.kind), IDENTITY_HEX_LEN);
}

static void another_compiler_makes_another_kind(void **state)
{
	cleanup_machine struct machine a = {0};
	cleanup_machine struct machine b = {0};

	(void)state;
	assert_null(machine_read(&a, "cc 12.2"));
	assert_null(machine_read(&b, "cc 13.1"));
	assert_string_not_equal(a.kind, b.kind);
}

static void fewer_cpus_make_another_kind(void **state)
{
	cleanup_machine struct machine all = {0};
	cleanup_machine struct machine one = {0};
	cpu_set_t ours, first;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof ours, &ours), 0);
	if (CPU_COUNT(&ours) < 2)
		skip();
	CPU_ZERO(&first);
	for (size_t cpu = 0; !CPU_COUNT(&first); cpu++)
		if (CPU_ISSET(cpu, &ours))
			CPU_SET(cpu, &first);
	assert_null(machine_read(&all, "cc"));
	assert_int_equal(sched_setaffinity(0, sizeof first, &first), 0);
	assert_null(machine_read(&one, "cc"));
	assert_int_equal(sched_setaffinity(0, sizeof ours, &ours), 0);
	assert_string_not_equal(all.kind, one.kind);
	assert_string_equal(fact(&one, "cpus"), "1");
	assert_true(ends_with(one.name, ", 1 cpu"));
}

static void tells_its_facts(void **state)
{
	static const char *const keys[] = {"cpu", "cpus", "kernel", "compiler"};
	cleanup_machine struct machine m = {0};

	(void)state;
	assert_null(machine_read(&m, "cc (Debian) 12.2"));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		assert_non_null(fact(&m, keys[i]));
		assert_string_not_equal(fact(&m, keys[i]), "");
	}
	assert_string_equal(fact(&m, "compiler"), "cc (Debian) 12.2");
	assert_true(starts_with(m.name, fact(&m, "cpu")));
}

static void a_card_that_reaches_more_makes_another_kind(void **state)
{
	static const char *const reach[] = {"", "HMM", ""};
	struct machine m[ARRAY_SIZE(reach)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(m); i++) {
		assert_null(machine_read(&m[i], "cc (Debian) 12.2"));
		machine_add_gpu(&m[i], "NVIDIA Test", "GPU-00", 13000,
				reach[i]);
	}
	assert_string_not_equal(m[0].kind, m[1].kind);
	assert_string_equal(m[0].kind, m[2].kind);
	assert_string_equal(fact(&m[1], "reach"), "HMM");
	assert_string_equal(fact(&m[1], "cuda"), "13.0");
	assert_null(fact(&m[0], "reach"));
	for (size_t i = 0; i < ARRAY_SIZE(m); i++)
		machine_release(&m[i]);
}

static void load_is_a_count_of_others(void **state)
{
	(void)state;
	assert_true(machine_load() >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_the_same_kind_when_read_twice),
		cmocka_unit_test(another_compiler_makes_another_kind),
		cmocka_unit_test(fewer_cpus_make_another_kind),
		cmocka_unit_test(tells_its_facts),
		cmocka_unit_test(a_card_that_reaches_more_makes_another_kind),
		cmocka_unit_test(load_is_a_count_of_others),
	};

	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
