/* Whose figures a note holds: those of the sources that were measured, whatever
 * the file they lie in is called and however often they were measured. */
#include "gitstore/run/quoted.h"

#include "tests/unit/gitstore/repository.h"

#define TASK(path)                                                            \
	"name: gemm\nlanguage: c\nsources: [" path "]\nentry: f\n"            \
	"arguments:\n  - {name: c, dtype: f32, shape: [m], direction: out}\n" \
	"cases: [{m: 4}]\nflops: m\n"                                         \
	"reference: {source: r.c, entry: r, plain: p}\n"

/* Writes a file of the work tree; its folder is there. */
static void put(const struct world *w, const char *name, const char *text)
{
	cleanup_free char *path = xasprintf("%s/%s", w->dir, name);

	assert_null(file_write(path, text, strlen(text), false));
}

/* Commits all; the commit's id. */
static void commit(struct commit_id *id, const struct world *w,
		   const char *message)
{
	git_oid oid = id_of(w,
			    "git add -A && git commit -q --allow-empty -m '%s' "
			    "&& git rev-parse HEAD",
			    message);

	*id = oid_hex(&oid);
}

/* A measurement of the file's present contents, as the scorer would name it. */
static struct measurement *measure(const struct world *w, const char *commit,
				   const char *path)
{
	struct measurement *m = measurement_new();
	cleanup_strvec struct strvec sources = STRVEC_INIT;
	cleanup_fileset struct fileset files = FILESET_INIT;
	char id[FILESET_ID_LEN + 1];

	strvec_push(&sources, path);
	assert_null(gitstore_files(&files, w->g, commit, &sources));
	assert_int_equal(files.n, 1);
	fileset_id(id, &files);
	memcpy(m->identity.sources, id, IDENTITY_HEX_LEN);
	return m;
}

static enum quoted answer(const struct world *w, const char *commit,
			  const struct measurement *m, const char *of)
{
	enum quoted q = QUOTED_UNKNOWN;

	assert_null(gitstore_quoted(&q, w->g, commit, m, of, ""));
	return q;
}

static void figures_are_the_sources_own(void **state)
{
	struct world *w = *state;
	struct commit_id one, other, beside;
	cleanup_measurement struct measurement *m = NULL;

	put(w, "avogit.yaml", TASK("k.c"));
	put(w, "k.c", "int one;\n");
	commit(&one, w, "one");
	m = measure(w, one.hex, "k.c");
	put(w, "README", "has nothing to do with it\n");
	commit(&beside, w, "beside");
	put(w, "k.c", "int other;\n");
	commit(&other, w, "other");
	assert_int_equal(answer(w, one.hex, m, NULL), QUOTED_OWN);
	assert_int_equal(answer(w, beside.hex, m, one.hex), QUOTED_OWN);
	assert_int_equal(answer(w, other.hex, m, one.hex), QUOTED_OTHERS);
	/* What says nothing about its sources, or quotes what is not here. */
	assert_int_equal(answer(w, other.hex, m, NULL), QUOTED_UNKNOWN);
	assert_int_equal(answer(w, other.hex, m, "no id"), QUOTED_UNKNOWN);
	assert_int_equal(answer(w, other.hex, m,
				"1111111111111111111111111111111111111111"),
			 QUOTED_UNKNOWN);
	*m->identity.sources = '\0';
	assert_int_equal(answer(w, other.hex, m, one.hex), QUOTED_UNKNOWN);
}

static void any_name_of_a_folder_or_file_will_do(void **state)
{
	static const char *const folder[] = {
		"with \"quotes\"",
		"\303\274ml\303\244ut",
		"'single'",
		"$(touch x)",
		"-n",
		" ",
		"a:b",
		"a#b",
	};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(folder); i++) {
		cleanup_free char *dir = xasprintf("%s/%s", w->dir, folder[i]);
		cleanup_free char *task = xasprintf("%s/" TASK_FILE, folder[i]);
		cleanup_free char *kernel = xasprintf("%s/k.c", folder[i]);
		cleanup_measurement struct measurement *m = NULL;
		struct commit_id one, other;

		assert_null(dir_make(dir));
		put(w, task, TASK("k.c"));
		put(w, kernel, "int one;\n");
		commit(&one, w, "one");
		m = measure(w, one.hex, kernel);
		put(w, kernel, "int other;\n");
		commit(&other, w, "other");
		if (answer(w, one.hex, m, NULL) != QUOTED_OWN ||
		    answer(w, other.hex, m, one.hex) != QUOTED_OTHERS)
			fail_msg("in \"%s\"", folder[i]);
	}
}

/* A note of `n` measurements of one commit after one of another. */
static void note(struct world *w, const char *on, const struct measurement *old,
		 const struct measurement *m, const char *of, size_t n)
{
	for (size_t i = 0; i <= n; i++) {
		cleanup_measurement struct measurement *one =
			measurement_dup(i ? m : old);
		int64_t time = 1700000000000000 + (int64_t)i * 1000000;

		one->time_us = time;
		snprintf(one->id, sizeof one->id, "20231114T%06uZ-00000000",
			 (unsigned)i % 1000000);
		if (i || old == m)
			measurement_set(one, "of", of);
		assert_null(gitstore_note_add(w->g, on, one));
	}
}

static void however_often_another_was_measured_it_is_anothers(void **state)
{
	static const size_t often[] = {1, 15, 16, 17, 40};
	struct world *w = *state;
	struct commit_id one, two;
	cleanup_measurement struct measurement *first = NULL;

	put(w, "avogit.yaml", TASK("k.c"));
	put(w, "k.c", "int one;\n");
	commit(&one, w, "one");
	first = measure(w, one.hex, "k.c");
	put(w, "k.c", "int two;\n");
	commit(&two, w, "two");
	for (size_t i = 0; i < ARRAY_SIZE(often); i++) {
		cleanup_measurement struct measurement *out = NULL,
						       *others = NULL,
						       *own = NULL;
		struct commit_id fresh;
		cleanup_free char *text = xasprintf("int fresh_%zu;\n", i);

		put(w, "k.c", text);
		commit(&fresh, w, "fresh");
		/* All of others. */
		note(w, fresh.hex, first, first, one.hex, often[i]);
		assert_null(gitstore_note_own(&out, &others, w->g, fresh.hex,
					      NULL));
		assert_null(out);
		assert_non_null(others);
		/* Its own comes after them. */
		measurement_free(others);
		others = NULL;
		do_in(w, "git notes --ref=avogit remove %s", fresh.hex);
		reopen(w);
		own = measure(w, fresh.hex, "k.c");
		note(w, fresh.hex, own, first, one.hex, often[i]);
		assert_null(gitstore_note_own(&out, &others, w->g, fresh.hex,
					      NULL));
		assert_non_null(out);
		assert_string_equal(out->identity.sources,
				    own->identity.sources);
		assert_null(others);
	}
}

static void a_task_that_is_junk_says_nothing(void **state)
{
	static const char *const task[] = {
		"",
		"junk: [",
		"sources: [../../../etc/passwd]\n",
		TASK("../k.c"),
		TASK("/etc/passwd"),
		TASK("**"),
	};
	struct world *w = *state;
	struct commit_id one, other;
	cleanup_measurement struct measurement *m = NULL;
	git_oid id;

	put(w, "k.c", "int one;\n");
	commit(&one, w, "one");
	m = measure(w, one.hex, "k.c");
	for (size_t i = 0; i < ARRAY_SIZE(task); i++) {
		put(w, "avogit.yaml", task[i]);
		commit(&other, w, "other");
		assert_int_equal(answer(w, other.hex, m, one.hex),
				 QUOTED_UNKNOWN);
	}
	/* A link, a folder and a submodule where it should be. */
	do_in(w, "rm avogit.yaml && ln -s /etc/passwd avogit.yaml");
	commit(&other, w, "a link");
	assert_int_equal(answer(w, other.hex, m, one.hex), QUOTED_UNKNOWN);
	do_in(w, "rm avogit.yaml && mkdir avogit.yaml && touch avogit.yaml/x");
	commit(&other, w, "a folder");
	assert_int_equal(answer(w, other.hex, m, one.hex), QUOTED_UNKNOWN);
	do_in(w,
	      "git rm -qrf avogit.yaml && git update-index --add --cacheinfo "
	      "160000,$(git rev-parse HEAD),avogit.yaml");
	do_in(w, "git commit -qm link");
	id = id_of(w, "git rev-parse HEAD");
	other = oid_hex(&id);
	assert_int_equal(answer(w, other.hex, m, one.hex), QUOTED_UNKNOWN);
}

/* Without a task: what the candidate changed is what its figures are of. */
static void a_change_taken_whole_keeps_its_figures(void **state)
{
	struct world *w = *state;
	struct commit_id base, best, at;
	cleanup_measurement struct measurement *m = measurement_new();

	memset(m->identity.sources, 'a', IDENTITY_HEX_LEN);
	put(w, "k.c", "int base;\n");
	put(w, "k.h", "int base;\n");
	commit(&base, w, "base");
	put(w, "k.c", "int better;\n");
	put(w, "k.h", "int better;\n");
	commit(&best, w, "better\n\nAvogit-Run: gemm");
	do_in(w, "git switch -qc production %s", base.hex);
	put(w, "README", "something else\n");
	put(w, "k.c", "int better;\n");
	commit(&at, w, "half of it");
	assert_int_equal(answer(w, at.hex, m, best.hex), QUOTED_OTHERS);
	put(w, "k.h", "int better;\n");
	commit(&at, w, "the other half");
	assert_int_equal(answer(w, at.hex, m, best.hex), QUOTED_OWN);
	do_in(w, "chmod +x k.c");
	commit(&at, w, "another mode");
	assert_int_equal(answer(w, at.hex, m, best.hex), QUOTED_OTHERS);
	do_in(w, "rm k.c && ln -s k.h k.c");
	commit(&at, w, "a link");
	assert_int_equal(answer(w, at.hex, m, best.hex), QUOTED_OTHERS);
	/* What claims to be of no run has no base that tells. */
	assert_int_equal(answer(w, at.hex, m, base.hex), QUOTED_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)
		TEST(figures_are_the_sources_own),
		TEST(any_name_of_a_folder_or_file_will_do),
		TEST(however_often_another_was_measured_it_is_anothers),
		TEST(a_task_that_is_junk_says_nothing),
		TEST(a_change_taken_whole_keeps_its_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
