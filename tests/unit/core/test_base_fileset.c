#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/fileset.h"

static int make_dir(void **state)
{
	char *dir;

	if (dir_make_temp(&dir, "/tmp", "avogit-test-"))
		return -1;
	*state = dir;
	return 0;
}

static int remove_dir(void **state)
{
	error_free(dir_remove(*state));
	free(*state);
	return 0;
}

static void put(struct fileset *fs, const char *path, const char *text)
{
	assert_null(fileset_put(fs, path, text, strlen(text), false));
}

static void refuses_paths_that_climb_out(void **state)
{
	static const char *const bad[] = {
		"/etc/passwd", "../x",	   "a/../b", "a//b",
		"a/",	       "",	   ".",	     "a/.",
		".git/config", "a/.GIT/x", "a\nb",   "a\\b",
		"a/\x7f",
	};
	static const char *const good[] = {
		"a", "a/b.c", ".gitignore", "a b/\xc3\xa4", "..a", ".gitx/y"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (path_is_safe(bad[i]))
			fail_msg("'%s' was taken", bad[i]);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!path_is_safe(good[i]))
			fail_msg("'%s' was refused", good[i]);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

/* Its folder, too, where there is none; others above it as they are made usually. */
static void keeps_to_its_owner_what_is_private(void **state)
{
	cleanup_free char *above = xasprintf("%s/cache", (char *)*state);
	cleanup_free char *folder = xasprintf("%s/seen", above);
	cleanup_free char *path = xasprintf("%s/task", folder);
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);

	for (int i = 0; i < 2; i++) {
		assert_null(file_write_private(path, &"one"[i], 3));
		assert_int_equal(mode_of(path), 0600);
		assert_int_equal(mode_of(folder), 0700);
	}
	assert_null(file_read(&b, path));
	assert_memory_equal(b.data, "ne", 3);
	assert_int_equal(mode_of(above) & 0700, 0700);
	/* One that others made so stays so. */
	assert_int_equal(chmod(folder, 0755), 0);
	assert_null(file_write_private(path, "two", 3));
	assert_int_equal(mode_of(folder), 0755);
}

static void patterns_stop_at_a_slash(void **state)
{
	static const struct {
		const char *pattern, *path;
		bool matches;
	} table[] = {
		{"k.c", "k.c", true},	       {"k.c", "d/k.c", false},
		{"*.c", "k.c", true},	       {"*.c", "d/k.c", false},
		{"src/*.c", "src/k.c", true},  {"src/", "src/a/b.h", true},
		{"src/**", "src/a/b.h", true}, {"src/", "srcs/a", false},
		{"[ab].c", "a.c", true},       {"k.?", "k.cc", false},
		{"a[b].c", "a[b].c", true},    {"//*.h", "k.h", true},
		{"//*.h", "a/b/k.h", true},    {"//*.h", "a/k.hh", false},
		{"a//*.h", "a/k.h", true},     {"a//*.h", "a/b/k.h", true},
		{"a//*.h", "ab/k.h", false},   {"a//*.h", "k.h", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		cleanup_strvec struct strvec one = STRVEC_INIT;

		strvec_push(&one, table[i].pattern);
		if (path_matches(table[i].path, &one) != table[i].matches)
			fail_msg("%s against %s", table[i].pattern,
				 table[i].path);
	}
}

static void a_path_is_resolved_from_its_folder(void **state)
{
	static const struct {
		const char *prefix, *path, *to;
	} rows[] = {
		{"", "k.c", "k.c"},
		{"a/", "k.c", "a/k.c"},
		{"a/", "../k.c", "k.c"},
		{"a/b/", "../c/k.c", "a/c/k.c"},
		{"a/", "./k.c", "a/k.c"},
		{"", "./k.c", "k.c"},
		{"", ".", ""},
		{"a/", ".", "a"},
		{"a/", "..", ""},
		{"a/", "../", ""},
		{"a/", "../src/", "src/"},
		{"ab/", "../*.c", "*.c"},
		{"a/", "b/../c", "a/c"},
		{"a/b/", "../../c/d", "c/d"},
		{"", "..", NULL},
		{"a/", "../../k.c", NULL},
		{"a/", "b/../../../c", NULL},
		{"", "/etc/passwd", NULL},
		{"", "", NULL},
		{"a/", "b//c", NULL},
		{"a/", "../.git/config", NULL},
		{"", "a/.GIT/x", NULL},
		{"", "..a", "..a"},
		{"", "a\nb", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_free char *got =
			path_resolve(rows[i].prefix, rows[i].path);

		if (!got != !rows[i].to || (got && !str_eq(got, rows[i].to)))
			fail_msg("'%s' from '%s' is '%s'", rows[i].path,
				 rows[i].prefix, got ? got : "refused");
	}
}

static void stays_sorted_and_unique(void **state)
{
	cleanup_fileset struct fileset fs = FILESET_INIT;

	(void)state;
	put(&fs, "b", "2");
	put(&fs, "a/c", "1");
	put(&fs, "b", "three");
	assert_int_equal(fs.n, 2);
	assert_string_equal(fs.file[0].path, "a/c");
	assert_string_equal(fileset_get(&fs, "b")->data, "three");
	assert_int_equal(fs.bytes, 6);
	assert_null(fileset_get(&fs, "a"));
}

static void its_id_covers_paths_modes_and_contents(void **state)
{
	cleanup_fileset struct fileset a = FILESET_INIT, b = FILESET_INIT;
	cleanup_fileset struct fileset apart = FILESET_INIT;
	char x[FILESET_ID_LEN + 1], y[FILESET_ID_LEN + 1];

	(void)state;
	put(&a, "ab", "c");
	put(&apart, "a", "bc");
	fileset_id(x, &a);
	fileset_id(y, &apart);
	assert_string_not_equal(x, y);
	assert_null(fileset_put(&b, "ab", "c", 1, true));
	fileset_id(y, &b);
	assert_string_not_equal(x, y);
	put(&b, "ab", "c");
	fileset_id(y, &b);
	assert_string_equal(x, y);
}

static void what_is_written_is_read_back(void **state)
{
	cleanup_fileset struct fileset out = FILESET_INIT, in = FILESET_INIT;
	cleanup_strvec struct strvec all = STRVEC_INIT;
	char x[FILESET_ID_LEN + 1], y[FILESET_ID_LEN + 1];

	put(&out, "src/deep/k.c", "int x;\r\n");
	put(&out, "empty", "");
	assert_null(fileset_put(&out, "run.sh", "#!/bin/sh\n\0x", 12, true));
	assert_null(fileset_write(&out, *state));
	strvec_pushl(&all, "src/", "empty", "run.sh", NULL);
	assert_null(fileset_read(&in, *state, &all));
	fileset_id(x, &out);
	fileset_id(y, &in);
	assert_string_equal(x, y);
}

static void links_and_pipes_are_refused_by_name(void **state)
{
	static const char *const odd[] = {"link.c", "pipe.c"};
	const char *dir = *state;
	cleanup_free char *link = xasprintf("%s/link.c", dir);
	cleanup_free char *pipe = xasprintf("%s/pipe.c", dir);

	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		cleanup_fileset struct fileset fs = FILESET_INIT;
		cleanup_strvec struct strvec one = STRVEC_INIT;
		cleanup_error struct error *err = NULL;

		strvec_push(&one, odd[i]);
		err = fileset_read(&fs, dir, &one);
		assert_non_null(err);
		assert_non_null(strstr(error_message(err), odd[i]));
	}
}

static void a_linked_folder_is_not_entered(void **state)
{
	cleanup_fileset struct fileset fs = FILESET_INIT;
	cleanup_strvec struct strvec all = STRVEC_INIT;
	cleanup_free char *link = xasprintf("%s/etc", (char *)*state);

	assert_int_equal(symlink("/etc", link), 0);
	strvec_push(&all, "etc/");
	assert_null(fileset_read(&fs, *state, &all));
	assert_int_equal(fs.n, 0);
}

static void removing_a_tree_leaves_what_it_links_to(void **state)
{
	cleanup_free char *kept = xasprintf("%s/kept", (char *)*state);
	cleanup_free char *gone = xasprintf("%s/gone", (char *)*state);
	cleanup_free char *link = xasprintf("%s/link", gone);
	cleanup_free char *file = xasprintf("%s/file", kept);

	assert_null(dir_make(kept));
	assert_null(dir_make(gone));
	assert_null(file_write(file, "x", 1, false));
	assert_int_equal(symlink(kept, link), 0);
	assert_null(dir_remove(gone));
	assert_false(file_exists(gone));
	assert_true(file_exists(file));
	assert_null(dir_remove(gone));
}

static void reading_stops_at_the_limit(void **state)
{
	cleanup_free char *path = xasprintf("%s/big", (char *)*state);
	cleanup_buf struct buf b = BUF_INIT(10);
	cleanup_error struct error *err = NULL;

	assert_null(file_write_atomic(path, "0123456789", 10));
	assert_null(file_read(&b, path));
	assert_int_equal(b.len, 10);
	assert_null(file_write_atomic(path, "0123456789a", 11));
	err = file_read(&b, path);
	assert_true(error_is(err, ERROR_TOO_BIG));
	error_free(err);
	err = file_read(&b, "/no/such/file");
	assert_true(error_is(err, ERROR_NOT_FOUND));
}

#define WITH_DIR(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_paths_that_climb_out),
		cmocka_unit_test(patterns_stop_at_a_slash),
		cmocka_unit_test(a_path_is_resolved_from_its_folder),
		cmocka_unit_test(stays_sorted_and_unique),
		cmocka_unit_test(its_id_covers_paths_modes_and_contents),
		WITH_DIR(what_is_written_is_read_back),
		WITH_DIR(links_and_pipes_are_refused_by_name),
		WITH_DIR(a_linked_folder_is_not_entered),
		WITH_DIR(removing_a_tree_leaves_what_it_links_to),
		WITH_DIR(reading_stops_at_the_limit),
		WITH_DIR(keeps_to_its_owner_what_is_private),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
