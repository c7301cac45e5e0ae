#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/tuner/tunables.h"

static const char kernel[] = "// avogit-flags: -O2 | -O3 -funroll-loops\n"
			     "#define TILE_M 32 // avogit: 16 32 64\n"
			     "  #  define  MODE fast\t// avogit: slow fast\n"
			     "// avogit-require: TILE_M <= 32\n"
			     "#define OTHER 3\n"
			     "int f(void);";

static struct task task;

static int setup(void **state)
{
	(void)state;
	task.path = (char *)(uintptr_t) "avogit.yaml";
	strvec_pushl(&task.allowed_flags, "-O2", "-O3", "-funroll-loops", NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	strvec_release(&task.allowed_flags);
	return 0;
}

static void put(struct fileset *sources, const char *text)
{
	assert_null(fileset_put(sources, "k.c", text, strlen(text), false));
}

static void reads_what_a_source_declares(void **state)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};

	(void)state;
	put(&sources, kernel);
	assert_null(tunables_read(&t, &sources, &task));
	assert_int_equal(t.n, 3);
	assert_string_equal(t.tunable[0].name, "flags");
	assert_string_equal(t.tunable[0].value[t.tunable[0].current], "-O2");
	assert_string_equal(t.tunable[1].name, "TILE_M");
	assert_int_equal(t.tunable[1].n_values, 3);
	assert_int_equal(t.tunable[1].current, 1);
	assert_true(t.tunable[1].ordered);
	assert_string_equal(t.tunable[2].name, "MODE");
	assert_false(t.tunable[2].ordered);
	assert_true(tunables_allowed(&t, (size_t[]){0, 1, 0}));
	assert_false(tunables_allowed(&t, (size_t[]){0, 2, 0}));
}

/* Each line, its name, and the line with its second value. */
static void reads_and_rewrites_lines_of_other_languages(void **state)
{
	static const char *const lines[][3] = {
		{"BLOCK = 64  # avogit: 32 128 64", "BLOCK",
		 "BLOCK = 128  # avogit: 32 128 64"},
		{"BLOCK: int = 64  # avogit: 32 128 64", "BLOCK",
		 "BLOCK: int = 128  # avogit: 32 128 64"},
		{"  const uint T = 8u; // avogit: 4u 16u 8u", "T",
		 "  const uint T = 16u; // avogit: 4u 16u 8u"},
		{"const T: u32 = 8; // avogit: 4 16 8", "T",
		 "const T: u32 = 16; // avogit: 4 16 8"},
		{"layout(local_size_x = 64) in; // avogit: 1 8 64",
		 "local_size_x",
		 "layout(local_size_x = 8) in; // avogit: 1 8 64"},
		{"local n = 2 -- avogit: 1 3 2", "n",
		 "local n = 3 -- avogit: 1 3 2"},
		{"n = 2 ; avogit: 1 3 2", "n", "n = 3 ; avogit: 1 3 2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		cleanup_fileset struct fileset sources = FILESET_INIT;
		cleanup_tunables struct tunables t = {0};
		char rest[FILESET_ID_LEN + 1];
		size_t point;
		bool has;

		put(&sources, lines[i][0]);
		assert_null(tunables_read(&t, &sources, &task));
		assert_int_equal(t.n, 1);
		assert_string_equal(t.tunable[0].name, lines[i][1]);
		assert_int_equal(t.tunable[0].current, 2);
		assert_null(tunables_apply(&sources, &t, (size_t[]){1}));
		assert_string_equal(fileset_get(&sources, "k.c")->data,
				    lines[i][2]);
		assert_null(tunables_locate(&has, &point, rest, &t, &sources));
		assert_true(has);
		assert_int_equal(point, 1);
	}
}

static void rewrites_the_declaring_lines_and_no_other(void **state)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0}, again = {0};
	size_t other;

	(void)state;
	put(&sources, kernel);
	assert_null(tunables_read(&t, &sources, &task));
	other = 1 - t.tunable[0].current;
	assert_null(tunables_apply(&sources, &t, (size_t[]){other, 0, 0}));
	assert_string_equal(fileset_get(&sources, "k.c")->data,
			    "// avogit-flags: -O3 -funroll-loops | -O2\n"
			    "#define TILE_M 16 // avogit: 16 32 64\n"
			    "  #  define  MODE slow\t// avogit: slow fast\n"
			    "// avogit-require: TILE_M <= 32\n"
			    "#define OTHER 3\n"
			    "int f(void);");
	/* The points keep their meaning when the first flags change place. */
	assert_null(tunables_read(&again, &sources, &task));
	assert_string_equal(again.tunable[0].value[0], t.tunable[0].value[0]);
	assert_int_equal(again.tunable[0].current, other);
}

/* Two kernels and which variant of one, in one space. */
static void kernels_of_a_task_are_tuned_together(void **state)
{
	static const char one[] = "#define TILE 8 // avogit: 8 16\n"
				  "#define VARIANT 0 // avogit: choice(0 1)\n"
				  "#if VARIANT == 1\n#endif\n";
	static const char two[] = "#define STEP 4 // avogit: 4 16\n"
				  "// avogit-require: TILE % STEP == 0\n";
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};

	(void)state;
	assert_null(fileset_put(&sources, "a.c", one, strlen(one), false));
	assert_null(fileset_put(&sources, "b.c", two, strlen(two), false));
	assert_null(tunables_read(&t, &sources, &task));
	assert_int_equal(t.n, 3);
	assert_false(t.tunable[1].ordered);
	/* 8 is no multiple of 16, whichever variant. */
	assert_int_equal(tunables_count(&t), 6);
	assert_null(tunables_apply(&sources, &t, (size_t[]){1, 1, 1}));
	assert_non_null(
		strstr(fileset_get(&sources, "a.c")->data, "#define TILE 16 "));
	assert_non_null(strstr(fileset_get(&sources, "a.c")->data,
			       "#define VARIANT 1 "));
	assert_non_null(
		strstr(fileset_get(&sources, "b.c")->data, "#define STEP 16 "));
}

/* What pad divides is asked only where there is a pad. */
static void a_condition_is_computed_as_far_as_it_matters(void **state)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};

	(void)state;
	put(&sources, "#define PAD 0 // avogit: 0 3 4\n"
		      "#define W 8 // avogit: 8 9\n"
		      "// avogit-require: PAD == 0 || W % PAD == 0\n");
	assert_null(tunables_read(&t, &sources, &task));
	assert_int_equal(tunables_count(&t), 4);
	assert_true(tunables_allowed(&t, (size_t[]){0, 1}));
	assert_false(tunables_allowed(&t, (size_t[]){1, 0}));
	assert_true(tunables_allowed(&t, (size_t[]){2, 0}));
}

static void a_nul_ends_no_source(void **state)
{
	static const char text[] = "#define A 1 // avogit: 1 2\n"
				   "a\0b\n"
				   "#define B 3 // avogit: 3 4";
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};

	(void)state;
	assert_null(fileset_put(&sources, "k.c", text, sizeof text - 1, false));
	assert_null(tunables_read(&t, &sources, &task));
	assert_int_equal(t.n, 2);
	assert_null(tunables_apply(&sources, &t, (size_t[]){1, 0}));
	assert_int_equal(sources.file[0].len, sizeof text - 1);
	assert_memory_equal(sources.file[0].data + 10, "2", 1);
	assert_memory_equal(sources.file[0].data + 11, text + 11,
			    sizeof text - 12);
}

static void says_where_a_declaration_is_off(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"int x; // avogit: 1 2\n", "k.c:1"},
		{"#define A(x) 1 // avogit: (x) 2\n", "NAME VALUE"},
		{"\n#define A 3 // avogit: 1 2\n", "k.c:2"},
		{"#define A 1 // avogit: 1 1\n", "twice"},
		{"#define A 1 // avogit: 1 2\n#define A 1 // avogit: 1 2\n",
		 "twice"},
		{"#define A 1 // avogit: 1 2/3\n", "holds a '/'"},
		{"// avogit-flags: -O2 | -march=evil\n", "build.allow"},
		{"// avogit-require: A <= \n", "ends early"},
		{"// avogit-require: NOBODY < 3\n", "NOBODY"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		cleanup_fileset struct fileset sources = FILESET_INIT;
		cleanup_tunables struct tunables t = {0};
		cleanup_error struct error *err = NULL;

		put(&sources, bad[i].text);
		err = tunables_read(&t, &sources, &task);
		assert_non_null(err);
		if (!strstr(error_message(err), bad[i].message))
			fail_msg("'%s' lacks '%s'", error_message(err),
				 bad[i].message);
	}
}

static void refuses_a_declaration_that_it_would_cut(void **state)
{
	static const char nul[] = "#define A 1 // avogit: 1 2\0 3";
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};
	cleanup_error struct error *first = NULL, *second = NULL;
	cleanup_free char *line =
		xasprintf("#define A 1 // avogit: 1 %4096d\n", 2);

	(void)state;
	put(&sources, line);
	first = tunables_read(&t, &sources, &task);
	assert_non_null(strstr(error_message(first), "k.c:1"));
	assert_null(fileset_put(&sources, "k.c", nul, sizeof nul - 1, false));
	second = tunables_read(&t, &sources, &task);
	assert_non_null(strstr(error_message(second), "k.c:1"));
}

static void tells_what_only_looks_like_a_declaration(void **state)
{
	static const char text[] = "// what avogit makes of this: nothing\n"
				   "#define A 1 // avogit 1 2 4\n"
				   "#define B 1 //avogit: 1 2\n"
				   "/* Avogit-flags: -O2 | -O3 */\n"
				   "// avogit-requires: B > 1\n"
				   "#define C 1 // avogit: 1 2\n"
				   "/* avogit measures it */\n"
				   "#include \"/tmp/avogit-1/x.h\"\n"
				   "// see https://avogit: 1\n";
	static const char *const odd[] = {
		"k.c:2: #define A 1 // avogit 1 2 4",
		"k.c:3: #define B 1 //avogit: 1 2",
		"k.c:4: /* Avogit-flags: -O2 | -O3 */",
		"k.c:5: // avogit-requires: B > 1"};
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};

	(void)state;
	put(&sources, text);
	assert_null(tunables_read(&t, &sources, &task));
	assert_int_equal(t.n, 1);
	assert_int_equal(t.odd.n, ARRAY_SIZE(odd));
	for (size_t i = 0; i < t.odd.n; i++)
		assert_string_equal(t.odd.v[i], odd[i]);
}

static void counts_what_the_constraints_leave(void **state)
{
	static const char text[] = "#define A 1 // avogit: 1 2 3\n"
				   "#define B 1 // avogit: 1 2 3\n"
				   "// avogit-require: A + B < 5\n";
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};
	cleanup_free char *summary = NULL;

	(void)state;
	put(&sources, text);
	assert_null(tunables_read(&t, &sources, &task));
	summary = tunables_summary(&t);
	assert_string_equal(summary, "A (3), B (3): 6 points");
}

static void flags_of_every_compile_may_be_chosen(void **state)
{
	struct task cuda = {.path = task.path, .language = LANGUAGE_CUDA};
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};

	(void)state;
	strvec_push(&cuda.flags, "-O2");
	strvec_push(&cuda.allowed_flags, "-Xptxas=-O3");
	put(&sources, "// avogit-flags: -O2 | -O2 -Xptxas -O3\n");
	assert_null(tunables_read(&t, &sources, &cuda));
	assert_int_equal(t.tunable[0].n_values, 2);
	strvec_release(&cuda.flags);
	strvec_release(&cuda.allowed_flags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_a_source_declares),
		cmocka_unit_test(reads_and_rewrites_lines_of_other_languages),
		cmocka_unit_test(rewrites_the_declaring_lines_and_no_other),
		cmocka_unit_test(kernels_of_a_task_are_tuned_together),
		cmocka_unit_test(a_condition_is_computed_as_far_as_it_matters),
		cmocka_unit_test(a_nul_ends_no_source),
		cmocka_unit_test(says_where_a_declaration_is_off),
		cmocka_unit_test(refuses_a_declaration_that_it_would_cut),
		cmocka_unit_test(tells_what_only_looks_like_a_declaration),
		cmocka_unit_test(counts_what_the_constraints_leave),
		cmocka_unit_test(flags_of_every_compile_may_be_chosen),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
