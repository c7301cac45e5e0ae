#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/tuner/tunables.h"
#include "agent/tuner/values.h"
#include "core/base/buf.h"

static struct task task;

static int setup(void **state)
{
	(void)state;
	task.path = (char *)(uintptr_t) "avogit.yaml";
	task.prefix = (char *)(uintptr_t) "";
	strvec_pushl(&task.allowed_flags, "-O2", "-O3", "-fa", "-fb", "-fc",
		     NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	strvec_release(&task.allowed_flags);
	return 0;
}

static void lists_are_expanded(void **state)
{
	static const struct {
		const char *text, *words;
		enum values_kind kind;
	} lists[] = {
		{" 16 32 64", "16 32 64", VALUES_WORDS},
		{" 2^4..2^7", "16 32 64 128", VALUES_WORDS},
		{" 16..64 step 16", "16 32 48 64", VALUES_WORDS},
		{" -1..2", "-1 0 1 2", VALUES_WORDS},
		{" 1 2^2..2^3 10..12", "1 4 8 10 11 12", VALUES_WORDS},
		{" 5..9 step 3\r", "5 8", VALUES_WORDS},
		{" a..b 1...2 step", "a..b 1...2 step", VALUES_WORDS},
		{" choice(0 2 1)", "0 2 1", VALUES_CHOICE},
		{" perm(m n)", "m,n n,m", VALUES_ORDERS},
		{" perm(a b c)", "a,b,c a,c,b b,a,c b,c,a c,a,b c,b,a",
		 VALUES_ORDERS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		cleanup_strvec struct strvec list = STRVEC_INIT;
		cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
		enum values_kind kind;

		assert_null(
			values_expand(&list, &kind, lists[i].text, ',', 256));
		for (size_t j = 0; j < list.n; j++)
			buf_addf(&b, "%s%s", j ? " " : "", list.v[j]);
		assert_string_equal(b.data, lists[i].words);
		assert_int_equal(kind, lists[i].kind);
	}
}

static void faulty_lists_are_refused(void **state)
{
	static const char *const lists[][2] = {
		{" 1 2 1", "a value is listed twice"},
		{" 4..1", "a range goes up"},
		{" 1..9999999999", "it has too many values"},
		{" 2^4..2^70", "2^62 at most"},
		{" 1..8 step 0", "a step is a whole number from 1"},
		{" 1..8 step", "a step is a whole number from 1"},
		{" perm(a)", "2 to 5 elements"},
		{" perm(a b c d e f)", "2 to 5 elements"},
		{" perm(a b a)", "listed twice"},
		{" perm(a, b)", "holds what joins them"},
		{" 9223372036854775806..9223372036854775807 step 2 x x",
		 "listed twice"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		cleanup_strvec struct strvec list = STRVEC_INIT;
		enum values_kind kind;
		const char *why =
			values_expand(&list, &kind, lists[i][0], ',', 256);

		assert_non_null(why);
		assert_non_null(strstr(why, lists[i][1]));
	}
}

static void orders_are_as_far_apart_as_they_differ(void **state)
{
	(void)state;
	assert_int_equal(values_steps("a,b,c", "a,b,c", ','), 0);
	assert_int_equal(values_steps("a,b,c", "b,a,c", ','), 1);
	assert_int_equal(values_steps("a,b,c", "c,b,a", ','), 3);
	assert_int_equal(values_steps("a_bb_ab_c", "c_ab_bb_a", '_'), 6);
}

static void put(struct fileset *sources, const char *text)
{
	assert_null(fileset_put(sources, "k.c", text, strlen(text), false));
}

static void kinds_are_declared_in_a_source(void **state)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};

	(void)state;
	put(&sources, "#define TILE 64 // avogit: 2^4..2^10\n"
		      "#define UNROLL 32 // avogit: 16..256 step 16\n"
		      "#define ORDER j,i,k // avogit: perm(i j k)\n"
		      "order = j_i # avogit: perm(i j)\n"
		      "#define VARIANT 1 // avogit: choice(0 1 2)\n"
		      "// avogit-require: TILE <= UNROLL * 2\n");
	assert_null(tunables_read(&t, &sources, &task));
	assert_int_equal(t.n, 5);
	assert_int_equal(t.tunable[0].n_values, 7);
	assert_true(t.tunable[0].ordered);
	assert_int_equal(t.tunable[1].n_values, 16);
	assert_int_equal(t.tunable[2].n_values, 6);
	assert_string_equal(t.tunable[2].value[t.tunable[2].current], "j,i,k");
	assert_non_null(t.tunable[2].steps);
	assert_int_equal(t.tunable[2].steps[5], 3);
	assert_string_equal(t.tunable[3].value[1], "j_i");
	assert_false(t.tunable[4].ordered);
	assert_null(t.tunable[4].steps);
	assert_true(tunables_may_begin(&t, (size_t[]){6}, 1));
	assert_false(tunables_may_begin(&t, (size_t[]){6, 0}, 2));
	assert_true(tunables_may_begin(&t, (size_t[]){1, 0}, 2));
	assert_true(tunables_may_begin(&t, (size_t[]){6, 0, 0}, 3));
	assert_false(tunables_allowed(&t, (size_t[]){6, 0, 0, 0, 0}));
}

static void each_flag_of_a_set_is_in_or_out(void **state)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};
	char before[FILESET_ID_LEN + 1], after[FILESET_ID_LEN + 1];
	cleanup_strvec struct strvec chosen = STRVEC_INIT;
	size_t point[4], line;
	bool has;

	(void)state;
	strvec_push(&task.sources, "k.c");
	put(&sources, "// avogit-flags: -O2 | -O3\n"
		      "// avogit-flag-set: -fb | -fc -fa\nint f(void);\n");
	assert_null(tunables_read(&t, &sources, &task));
	assert_int_equal(t.n, 4);
	assert_string_equal(t.tunable[1].name, "-fa");
	assert_string_equal(t.tunable[2].name, "-fb");
	assert_int_equal(t.tunable[1].current, 0);
	assert_int_equal(t.tunable[2].current, 1);
	assert_null(tunables_locate(&has, point, before, &t, &sources));
	assert_true(has);
	assert_null(tunables_apply(&sources, &t, (size_t[]){1, 1, 0, 1}));
	assert_string_equal(
		sources.file[0].data,
		"// avogit-flags: -O3 | -O2\n"
		"// avogit-flag-set: -fa -fc | -fb\nint f(void);\n");
	assert_null(tunables_locate(&has, point, after, &t, &sources));
	assert_true(has);
	assert_memory_equal(point, ((size_t[]){1, 1, 0, 1}), sizeof point);
	assert_string_equal(before, after);
	assert_non_null(task_chosen_flags(&chosen, &line, &task, &sources));
	assert_int_equal(chosen.n, 3);
	assert_string_equal(chosen.v[0], "-O3");
	assert_string_equal(chosen.v[1], "-fa");
	assert_string_equal(chosen.v[2], "-fc");
	strvec_release(&task.sources);
}

static void faulty_sets_are_refused(void **state)
{
	static const char *const sources[][2] = {
		{"// avogit-flag-set: -fa -fb\n", "one '|'"},
		{"// avogit-flag-set: -fa | -fb | -fc\n", "one '|'"},
		{"// avogit-flag-set: |\n", "a set of flags has none"},
		{"// avogit-flag-set: -fa | -fa\n", "declared twice"},
		{"// avogit-flag-set: -fx |\n", "-fx"},
		{"// avogit-flag-set: -fa |\n// avogit-flag-set: -fb |\n",
		 "more than one set"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		cleanup_fileset struct fileset files = FILESET_INIT;
		cleanup_tunables struct tunables t = {0};
		cleanup_error struct error *err = NULL;

		put(&files, sources[i][0]);
		err = tunables_read(&t, &files, &task);
		assert_non_null(err);
		assert_non_null(strstr(error_message(err), sources[i][1]));
	}
}

static void flags_and_their_set_are_of_one_file(void **state)
{
	static const char set[] = "// avogit-flag-set: -fa |\n";
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};
	cleanup_error struct error *err = NULL;

	(void)state;
	put(&files, "// avogit-flags: -O2 | -O3\n");
	assert_null(fileset_put(&files, "l.c", set, strlen(set), false));
	err = tunables_read(&t, &files, &task);
	assert_non_null(strstr(error_message(err), "belong in one file"));
}

/* Two sources of one task are one space, with conditions over both. */
static void kernels_of_one_task_are_tuned_together(void **state)
{
	static const char other[] = "#define B 2 // avogit: 1 2 4\n"
				    "// avogit-require: A * B <= 8\n";
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};

	(void)state;
	put(&files, "#define A 4 // avogit: 1..8\n");
	assert_null(fileset_put(&files, "l.c", other, strlen(other), false));
	assert_null(tunables_read(&t, &files, &task));
	assert_int_equal(t.n, 2);
	assert_false(tunables_allowed(&t, (size_t[]){4, 1}));
	assert_int_equal(tunables_count(&t), 8 + 4 + 2);
	assert_null(tunables_apply(&files, &t, (size_t[]){1, 2}));
	assert_string_equal(files.file[0].data,
			    "#define A 2 // avogit: 1..8\n");
	assert_memory_equal(files.file[1].data, "#define B 4", 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_expanded),
		cmocka_unit_test(faulty_lists_are_refused),
		cmocka_unit_test(orders_are_as_far_apart_as_they_differ),
		cmocka_unit_test(kinds_are_declared_in_a_source),
		cmocka_unit_test(each_flag_of_a_set_is_in_or_out),
		cmocka_unit_test(faulty_sets_are_refused),
		cmocka_unit_test(flags_and_their_set_are_of_one_file),
		cmocka_unit_test(kernels_of_one_task_are_tuned_together),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
