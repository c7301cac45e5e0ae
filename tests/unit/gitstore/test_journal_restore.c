/* Journals that git, or a user, took away: they come back, and nothing else
 * does. */
#include "gitstore/git/tips.h"

#include "gitstore/journal/restore.h"
#include "tests/unit/gitstore/repository.h"

static char *ref_of(const struct world *w)
{
	return xasprintf(JOURNAL_REFS "gemm/journal/%s", w->g->writer);
}

static void append(struct world *w, const char *run)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_STOP, run);
	e.reason = xstrdup("attempts");
	assert_null(gitstore_append(w->g, &e));
}

/* A clone whose journal has three entries, opened by another process later. */
static git_oid make_journal(struct world *w)
{
	cleanup_free char *ref = NULL;

	for (int i = 0; i < 3; i++)
		append(w, "gemm");
	ref = ref_of(w);
	assert_true(tips_has(w->g, ref));
	return id_of(w, "git rev-parse %s", ref);
}

static void assert_ref_is(struct world *w, const char *ref, const git_oid *id)
{
	git_oid now = id_of(w, "git rev-parse %s", ref);

	assert_true(git_oid_equal(&now, id));
}

/* Mends, and says how many came back and how many are gone. */
static void mend(struct world *w, size_t back, size_t gone)
{
	cleanup_tips_mended struct tips_mended m = {.back = STRVEC_INIT};

	assert_null(tips_mend(&m, w->g));
	assert_int_equal(m.back.n, back);
	assert_int_equal(m.gone.n, gone);
}

static void one_that_was_deleted_or_set_back_comes_back(void **state)
{
	struct world *w = *state;
	git_oid tip = make_journal(w);
	cleanup_free char *ref = ref_of(w);

	mend(w, 0, 0);
	do_in(w, "git update-ref -d %s", ref);
	mend(w, 1, 0);
	assert_ref_is(w, ref, &tip);
	do_in(w, "git update-ref %s %s~2", ref, ref);
	mend(w, 1, 0);
	assert_ref_is(w, ref, &tip);
	mend(w, 0, 0);
}

static void one_that_names_no_entry_comes_back(void **state)
{
	static const char *const other[] = {
		"$(echo junk | git hash-object -w --stdin)",
		"HEAD^{tree}",
		"HEAD",
		"$(git commit-tree -m 'no entry' HEAD^{tree})",
	};
	struct world *w = *state;
	git_oid tip = make_journal(w);
	cleanup_free char *ref = ref_of(w);

	for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
		do_in(w, "git update-ref %s %s", ref, other[i]);
		mend(w, 1, 0);
		assert_ref_is(w, ref, &tip);
	}
	do_in(w,
	      "git tag -a -m x annotated %s~1 && git update-ref %s annotated",
	      ref, ref);
	mend(w, 1, 0);
	assert_ref_is(w, ref, &tip);
	/* Of an object that is not there at all. */
	do_in(w, "printf '%%040d\\n' 7 >.git/%s", ref);
	mend(w, 1, 0);
	assert_ref_is(w, ref, &tip);
}

static void one_that_grew_elsewhere_is_noted_where_it_is(void **state)
{
	struct world *w = *state;
	git_oid old = make_journal(w), tip;
	cleanup_free char *ref = ref_of(w);

	do_in(w, "cp .git/avogit/tips ../$(basename $PWD).tips");
	append(w, "gemm");
	tip = id_of(w, "git rev-parse %s", ref);
	assert_false(git_oid_equal(&old, &tip));
	do_in(w, "mv ../$(basename $PWD).tips .git/avogit/tips");
	mend(w, 0, 0);
	assert_ref_is(w, ref, &tip);
	do_in(w, "git update-ref -d %s", ref);
	mend(w, 1, 0);
	assert_ref_is(w, ref, &tip);
}

static void an_entry_of_another_run_is_not_put_in_its_place(void **state)
{
	struct world *w = *state;
	git_oid tip;
	cleanup_free char *ref = NULL;

	append(w, "other");
	tip = make_journal(w);
	ref = ref_of(w);
	/* The record says that the run ended at an entry of the other one. */
	do_in(w,
	      "sed -i \"s|^.* %s|$(git rev-parse refs/avogit/other/journal/%s) "
	      "%s|\" .git/avogit/tips && git update-ref -d %s",
	      ref, w->g->writer, ref, ref);
	mend(w, 0, 1);
	do_in(w, "! git rev-parse -q --verify %s", ref);
	(void)tip;
}

static void what_is_gone_is_named_until_it_is_forgotten(void **state)
{
	static const char *const junk[] = {
		"$(printf %040d 9)",
		"$(git rev-parse HEAD)",
		"$(git rev-parse HEAD^{tree})",
		"$(echo junk | git hash-object -w --stdin)",
	};
	struct world *w = *state;
	git_oid tip = make_journal(w);
	cleanup_free char *ref = ref_of(w);
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(junk); i++)
		do_in(w,
		      "echo %s refs/avogit/run-%zu/journal/0123456789abcdef "
		      ">>.git/avogit/tips",
		      junk[i], i);
	mend(w, 0, ARRAY_SIZE(junk));
	mend(w, 0, ARRAY_SIZE(junk));
	assert_null(tips_forget_gone(&n, w->g));
	assert_int_equal(n, ARRAY_SIZE(junk));
	mend(w, 0, 0);
	assert_ref_is(w, ref, &tip);
	assert_true(tips_has(w->g, ref));
}

static void a_record_of_anything_else_brings_nothing(void **state)
{
	static const char *const line[] = {
		"HEAD refs/heads/main",
		"$(git rev-parse HEAD) refs/heads/main",
		"$(git rev-parse HEAD) refs/heads/brought-back",
		"$(git rev-parse HEAD) "
		"refs/avogit/gemm/removed/0123456789abcdef",
		"$(git rev-parse HEAD) "
		"refs/avogit/gemm/journal/../../../heads/x",
		"$(git rev-parse "
		"HEAD)\trefs/avogit/gemm/journal/0123456789abcdef",
		"$(git rev-parse HEAD)",
		"$(git rev-parse HEAD) ",
		"$(head -c 5000 /dev/zero | tr '\\\\0' x)",
		"$(git rev-parse HEAD) refs/avogit/$(head -c 300 /dev/zero | "
		"tr "
		"'\\\\0' x)/journal/0123456789abcdef",
		"",
	};
	struct world *w = *state;
	cleanup_free char *before = NULL, *after = NULL, *ref = NULL;
	git_oid tip = make_journal(w);

	ref = ref_of(w);
	before = out_of(w, "git for-each-ref");
	for (size_t i = 0; i < ARRAY_SIZE(line); i++)
		do_in(w, "echo \"%s\" >>.git/avogit/tips", line[i]);
	do_in(w, "head -c 1000 /dev/urandom >>.git/avogit/tips");
	mend(w, 0, 0);
	after = out_of(w, "git for-each-ref");
	assert_string_equal(before, after);
	/* And the one of before is among the junk still. */
	do_in(w, "git update-ref -d %s", ref);
	mend(w, 1, 0);
	assert_ref_is(w, ref, &tip);
}

static void a_record_that_cannot_be_read_is_made_anew(void **state)
{
	struct world *w = *state;
	git_oid tip = make_journal(w);
	cleanup_free char *ref = ref_of(w);

	/* Longer than any that is read. */
	do_in(w, "head -c 5000000 /dev/zero | tr '\\0' x >.git/avogit/tips");
	mend(w, 0, 0);
	do_in(w, "git update-ref -d %s", ref);
	mend(w, 1, 0);
	assert_ref_is(w, ref, &tip);
}

static void what_was_removed_for_good_stays_away(void **state)
{
	struct world *w = *state;
	git_oid tip = make_journal(w);
	cleanup_free char *ref = ref_of(w);
	cleanup_free char *mark = removed_mark_ref("gemm", w->g->writer);
	bool removed;

	do_in(w, "git update-ref %s HEAD && git update-ref -d %s", mark, ref);
	assert_null(gitstore_is_removed(&removed, w->g, "gemm", w->g->writer));
	assert_true(removed);
	mend(w, 0, 0);
	do_in(w, "! git rev-parse -q --verify %s", ref);
	assert_false(tips_has(w->g, ref));
	(void)tip;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_world, end_world)
		TEST(one_that_was_deleted_or_set_back_comes_back),
		TEST(one_that_names_no_entry_comes_back),
		TEST(one_that_grew_elsewhere_is_noted_where_it_is),
		TEST(an_entry_of_another_run_is_not_put_in_its_place),
		TEST(what_is_gone_is_named_until_it_is_forgotten),
		TEST(a_record_of_anything_else_brings_nothing),
		TEST(a_record_that_cannot_be_read_is_made_anew),
		TEST(what_was_removed_for_good_stays_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
