#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/base/file.h"
#include "scorer/build/build.h"

/* One folder "kernel/" with a task in it; the cache is fresh for each test. */
struct fixture {
	struct task task;
	struct fileset files;
	struct builder *builder;
	char *cache;
};

static struct sandbox *sandbox;

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof *f);

	f->task.path = xstrdup("kernel/avogit.yaml");
	f->task.prefix = xstrdup("kernel/");
	f->task.compiler = xstrdup("cc");
	strvec_push(&f->task.sources, "*.[ch]");
	strvec_push(&f->task.include, "inc");
	strvec_push(&f->task.flags, "-O1");
	strvec_pushl(&f->task.allowed_flags, "-O2", "-O3", "-funroll-loops",
		     NULL);
	if (dir_make_temp(&f->cache, "/tmp", "avogit-test-") ||
	    builder_new(&f->builder, &f->task, sandbox, f->cache, NULL))
		return 1;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	builder_free(f->builder);
	error_free(dir_remove(f->cache));
	fileset_release(&f->files);
	strvec_release(&f->task.sources);
	strvec_release(&f->task.include);
	strvec_release(&f->task.flags);
	strvec_release(&f->task.allowed_flags);
	free(f->task.path);
	free(f->task.prefix);
	free(f->task.compiler);
	free(f->cache);
	free(f);
	return 0;
}

static void put(struct fixture *f, const char *path, const char *text)
{
	assert_null(fileset_put(&f->files, path, text, strlen(text), false));
}

static struct build build(struct fixture *f)
{
	struct build b = BUILD_INIT;
	struct error *err = build_candidate(&b, f->builder, &f->files);

	if (err)
		fail_msg("%s", error_message(err));
	return b;
}

/* Calls `int answer(void)` of the object. */
static int answer(const struct build *b)
{
	char *path = xasprintf("/proc/self/fd/%d", b->object_fd);
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*function)(void);
	int got;

	if (!object)
		fail_msg("%s", dlerror());
	*(void **)&function = dlsym(object, "answer");
	assert_non_null(function);
	got = function();
	dlclose(object);
	free(path);
	return got;
}

static void builds_all_sources_to_one_object(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build b = BUILD_INIT;

	put(f, "kernel/a.c",
	    "#include \"b.h\"\n#include \"c.h\"\n"
	    "int answer(void) { return half() * TWO; }\n");
	put(f, "kernel/b.c",
	    "#include \"b.h\"\nint half(void) { return 21; }\n");
	put(f, "kernel/b.h", "int half(void);\n");
	put(f, "kernel/inc/c.h", "#define TWO 2\n");
	b = build(f);
	assert_null(b.first_error);
	assert_true(b.ok);
	assert_int_equal(answer(&b), 42);
	assert_string_equal(b.flags, "-O1");
	assert_int_equal(fcntl(b.object_fd, F_GET_SEALS),
			 F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW |
				 F_SEAL_WRITE);
}

static void shows_the_compilers_first_error_as_the_user_knows_the_file(
	void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build b = BUILD_INIT;

	put(f, "kernel/a.c",
	    "int unused(int x) { int y; return x; }\n"
	    "int answer(void)\n{\n\treturn missing;\n}\n"
	    "int again(void) { return gone; }\n");
	b = build(f);
	assert_false(b.ok);
	assert_int_equal(b.object_fd, -1);
	assert_true(starts_with(b.first_error, "kernel/a.c:4:"));
	assert_non_null(strstr(b.first_error, "missing"));
	assert_null(strchr(b.first_error, '\n'));
	assert_non_null(strstr(b.log, "gone"));
	assert_null(strstr(b.log, "./kernel"));
}

static void a_symbol_that_is_nowhere_is_an_error_of_the_build(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build b = BUILD_INIT;

	put(f, "kernel/a.c",
	    "int nowhere(void);\nint answer(void) { return nowhere(); }\n");
	b = build(f);
	assert_false(b.ok);
	assert_non_null(strstr(b.first_error, "undefined reference"));
	assert_non_null(strstr(b.first_error, "nowhere"));
}

static void a_source_line_chooses_flags(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build b = BUILD_INIT;

	put(f, "kernel/a.c",
	    "/* notes */\n"
	    "// avogit-flags: -O3 -funroll-loops | -O2\n"
	    "// avogit-flags: -O2\n"
	    "int answer(void) { return 1; }\n");
	b = build(f);
	assert_true(b.ok);
	assert_string_equal(b.flags, "-O3 -funroll-loops");
}

static void a_flag_that_is_chosen_again_is_told_once(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build b = BUILD_INIT;

	strvec_push(&f->task.allowed_flags, "-O1");
	put(f, "kernel/a.c",
	    "// avogit-flags: -O3 -O1\n"
	    "int answer(void) { return 1; }\n");
	b = build(f);
	assert_true(b.ok);
	assert_string_equal(b.flags, "-O3 -O1");
}

static void a_flag_the_task_does_not_allow_fails_the_build(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build b = BUILD_INIT;

	put(f, "kernel/a.c",
	    "int answer(void) { return 1; }\n"
	    "  // avogit-flags: -O3 -fplugin=x.so\n");
	b = build(f);
	assert_false(b.ok);
	assert_string_equal(
		b.first_error,
		"kernel/a.c:2: the flag -fplugin=x.so may not be chosen here: "
		"add it to build.allow in kernel/avogit.yaml (what may be "
		"chosen: -O1 -O2 -O3 -funroll-loops)");
}

/* As the tuner has it, which tries them all. */
static void no_alternative_may_have_a_flag_that_is_not_allowed(void **state)
{
	static const char *const lines[] = {
		"// avogit-flags: -O2 | -O3 -ffast-math | -O3\n",
		"// avogit-flag-set: -O2 | -ffast-math\n",
		"// avogit-flags: -O2\n// avogit-flag-set: -O3|-ffast-math\n",
	};
	struct fixture *f = *state;

	strvec_push(&f->task.allowed_flags, "-O1");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		cleanup_free char *text = xasprintf(
			"%sint answer(void) { return 1; }\n", lines[i]);
		cleanup_build struct build b = BUILD_INIT;

		put(f, "kernel/a.c", text);
		b = build(f);
		assert_false(b.ok);
		assert_non_null(strstr(b.first_error,
				       ": the flag -ffast-math may not be "
				       "chosen here"));
		assert_int_equal(b.first_error[strlen("kernel/a.c:")],
				 i == 2 ? '2' : '1');
		/* -O1 is in flags and in allow, and named once. */
		assert_non_null(strstr(b.first_error,
				       "chosen: -O1 -O2 -O3 -funroll-loops)"));
	}
}

static void an_entry_that_is_not_there_fails_the_build(void **state)
{
	struct fixture *f = *state;
	static char pack[] = "pack", answer[] = "answer";
	cleanup_build struct build whole = BUILD_INIT, lacking = BUILD_INIT;

	put(f, "kernel/a.c",
	    "static int hidden(void) { return 1; }\n"
	    "int pakc; int answer(void) { return hidden(); }\n");
	f->task.entry = answer;
	whole = build(f);
	f->task.prepare = pack;
	lacking = build(f);
	assert_true(whole.ok);
	assert_false(lacking.ok);
	assert_string_equal(lacking.first_error,
			    "kernel/avogit.yaml: prepare: the sources define "
			    "no function 'pack'; they have: answer");
}

static void no_source_is_a_failed_build(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build b = BUILD_INIT;

	put(f, "kernel/only.h", "int x;\n");
	b = build(f);
	assert_false(b.ok);
	assert_non_null(b.first_error);
}

static void reads_no_file_of_the_machine(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build b = BUILD_INIT;

	if (sandbox_level(sandbox) < SANDBOX_LANDLOCK)
		skip();
	put(f, "kernel/a.c", "#include \"/etc/passwd\"\n");
	b = build(f);
	assert_false(b.ok);
	assert_true(strstr(b.first_error, "No such file") ||
		    strstr(b.first_error, "Permission denied"));
}

static void the_same_again_comes_from_the_cache(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build first = BUILD_INIT;
	cleanup_build struct build second = BUILD_INIT;
	cleanup_build struct build other = BUILD_INIT;

	put(f, "kernel/a.c", "int answer(void) { return 5; }\n");
	first = build(f);
	second = build(f);
	assert_false(first.cached);
	assert_true(second.cached);
	assert_string_equal(first.key, second.key);
	assert_int_equal(answer(&second), 5);
	put(f, "kernel/a.c", "int answer(void) { return 6; }\n");
	other = build(f);
	assert_false(other.cached);
	assert_string_not_equal(first.key, other.key);
	assert_int_equal(answer(&other), 6);
}

static void other_flags_are_another_object(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build first = BUILD_INIT;
	cleanup_build struct build second = BUILD_INIT;

	put(f, "kernel/a.c", "int answer(void) { return 5; }\n");
	first = build(f);
	strvec_push(&f->task.flags, "-g");
	second = build(f);
	assert_false(second.cached);
}

/* Writes one byte, or cuts the file, at `offset` from the end. */
static void damage(struct fixture *f, const struct build *b, bool cut)
{
	char *path = xasprintf("%s/build/%s", f->cache, b->key);
	cleanup_fd int fd = open(path, O_RDWR);
	off_t size = lseek(fd, 0, SEEK_END);

	assert_true(size > 100);
	if (cut)
		assert_int_equal(ftruncate(fd, size / 2), 0);
	else
		assert_int_equal(pwrite(fd, "\x55\xaa", 2, size - 100), 2);
	free(path);
}

static void a_damaged_cache_is_built_anew(void **state)
{
	struct fixture *f = *state;

	put(f, "kernel/a.c", "int answer(void) { return 5; }\n");
	for (int cut = 0; cut < 2; cut++) {
		cleanup_build struct build first = build(f);
		cleanup_build struct build second = BUILD_INIT;
		cleanup_build struct build third = BUILD_INIT;

		damage(f, &first, cut);
		second = build(f);
		assert_false(second.cached);
		assert_int_equal(answer(&second), 5);
		third = build(f);
		assert_true(third.cached);
	}
}

static void a_failed_build_is_not_kept(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build first = BUILD_INIT;
	cleanup_build struct build second = BUILD_INIT;

	put(f, "kernel/a.c", "int answer(void) { return }\n");
	first = build(f);
	second = build(f);
	assert_false(first.ok);
	assert_false(second.ok);
	assert_false(second.cached);
	assert_string_equal(first.first_error, second.first_error);
}

static void builds_trusted_code_with_its_own_flags_and_libraries(void **state)
{
	struct fixture *f = *state;
	struct trusted_code code = {0};
	cleanup_build struct build b = BUILD_INIT;

	put(f, "kernel/ref/reference.c",
	    "#include <math.h>\n"
	    "volatile double x = 9;\n"
	    "int answer(void) { return (int)sqrt(x) + VALUE; }\n");
	put(f, "kernel/a.c", "this is no C\n");
	strvec_push(&code.sources, "ref/reference.c");
	strvec_pushl(&code.flags, "-DVALUE=4", NULL);
	strvec_push(&code.libs, "-lm");
	assert_null(build_trusted(&b, f->builder, &f->files, &code));
	assert_null(b.first_error);
	assert_int_equal(answer(&b), 7);
	assert_string_equal(b.flags, "-O1 -DVALUE=4");
	strvec_release(&code.sources);
	strvec_release(&code.flags);
	strvec_release(&code.libs);
}

static void terminal_codes_do_not_reach_the_log(void **state)
{
	struct fixture *f = *state;
	cleanup_build struct build b = BUILD_INIT;

	put(f, "kernel/a.c", "#error \"\x1b[31mred\"\n");
	b = build(f);
	assert_false(b.ok);
	assert_null(strchr(b.log, '\x1b'));
	assert_non_null(strstr(b.first_error, "red"));
}

static void an_absent_compiler_is_named(void **state)
{
	struct fixture *f = *state;
	cleanup_error struct error *err = NULL;
	cleanup_free char *compiler = f->task.compiler;
	struct builder *b;

	f->task.compiler = xstrdup("no-such-cc");
	err = builder_new(&b, &f->task, sandbox, NULL, NULL);
	assert_true(error_is(err, ERROR_NOT_FOUND));
	assert_non_null(strstr(error_message(err), "no-such-cc"));
}

static void knows_its_compiler(void **state)
{
	struct fixture *f = *state;

	assert_null(strchr(builder_compiler(f->builder), '\n'));
	assert_true(strlen(builder_compiler(f->builder)) > 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(builds_all_sources_to_one_object),
		TEST(shows_the_compilers_first_error_as_the_user_knows_the_file),
		TEST(a_symbol_that_is_nowhere_is_an_error_of_the_build),
		TEST(a_source_line_chooses_flags),
		TEST(a_flag_that_is_chosen_again_is_told_once),
		TEST(a_flag_the_task_does_not_allow_fails_the_build),
		TEST(no_alternative_may_have_a_flag_that_is_not_allowed),
		TEST(an_entry_that_is_not_there_fails_the_build),
		TEST(no_source_is_a_failed_build),
		TEST(reads_no_file_of_the_machine),
		TEST(the_same_again_comes_from_the_cache),
		TEST(other_flags_are_another_object),
		TEST(a_damaged_cache_is_built_anew),
		TEST(a_failed_build_is_not_kept),
		TEST(builds_trusted_code_with_its_own_flags_and_libraries),
		TEST(terminal_codes_do_not_reach_the_log),
		TEST(an_absent_compiler_is_named),
		TEST(knows_its_compiler),
	};
	int failed;

	if (sandbox_probe(&sandbox))
		return 1;
	failed = cmocka_run_group_tests_name("build", tests, NULL, NULL);
	sandbox_free(sandbox);
	return failed;
}
