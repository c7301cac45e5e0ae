/* Commits on their way to another machine, without what it has. */
#include <sys/stat.h>

#include "gitstore/sync/bundle.h"
#include "gitstore/sync/parcel.h"
#include "tests/unit/gitstore/repository.h"

struct far {
	char *dir;
	struct gitstore *g;
};

static void far_make(struct far *far, const struct world *w)
{
	cleanup_free char *jobs = xasprintf("%s/jobs", w->dir);

	far->dir = xasprintf("%s/far.git", w->dir);
	/* New repositories of this user have ids of SHA-256. */
	setenv("GIT_DEFAULT_HASH", "sha256", 1);
	assert_null(bundle_repository(far->dir));
	unsetenv("GIT_DEFAULT_HASH");
	assert_null(gitstore_open(&far->g, far->dir));
	assert_null(parcel_prepare(w->g, jobs));
}

static void far_release(struct far *far)
{
	gitstore_close(far->g);
	free(far->dir);
}

/* Sends the commit; its size. */
static long long sent(bool *taken, const struct world *w, struct far *far,
		      const char *commit, const char *there)
{
	cleanup_free char *jobs = xasprintf("%s/jobs", w->dir);
	cleanup_free char *path = xasprintf("%s/parcel", w->dir);
	cleanup_strvec struct strvec commits = STRVEC_INIT, has = STRVEC_INIT;
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	struct stat st;

	strvec_push(&commits, commit);
	if (there)
		strvec_push(&has, there);
	assert_null(parcel_write(path, jobs, &commits, &has));
	assert_int_equal(stat(path, &st), 0);
	assert_null(parcel_take(taken, &why, far->g, path));
	assert_int_equal(*taken, why.len == 0);
	gitstore_close(far->g);
	far->g = NULL;
	assert_null(gitstore_open(&far->g, far->dir));
	return (long long)st.st_size;
}

static char *commit_all(const struct world *w, const char *message)
{
	do_in(w,
	      "git add k.c big 2>/dev/null; git commit -q --allow-empty -m "
	      "'%s'",
	      message);
	return out_of(w, "git rev-parse HEAD");
}

static void the_second_is_sent_without_what_the_first_brought(void **state)
{
	struct world *w = *state;
	struct far far;
	cleanup_free char *first = NULL, *second = NULL, *refs = NULL;
	bool taken;

	far_make(&far, w);
	do_in(w, "head -c 200000 /dev/urandom >big && echo 1 >k.c");
	first = commit_all(w, "first");
	do_in(w, "echo 2 >k.c");
	second = commit_all(w, "second");
	assert_true(sent(&taken, w, &far, first, NULL) > 200000);
	assert_true(taken && parcel_has(far.g, first));
	assert_false(parcel_has(far.g, second));
	assert_true(sent(&taken, w, &far, second, first) < 1000);
	assert_true(taken && parcel_has(far.g, second));
	/* Nothing is left to send. */
	assert_int_equal(sent(&taken, w, &far, second, second), 0);
	assert_true(taken);
	/* The user's repository has no ref more than before. */
	refs = out_of(w, "git for-each-ref --format='%(refname)'");
	assert_string_equal(refs, "refs/heads/main");
	far_release(&far);
}

static void what_builds_on_missing_commits_is_not_taken(void **state)
{
	struct world *w = *state;
	struct far far;
	cleanup_free char *first = NULL, *second = NULL;
	bool taken;

	far_make(&far, w);
	do_in(w, "echo 1 >k.c");
	first = commit_all(w, "first");
	do_in(w, "echo 2 >k.c");
	second = commit_all(w, "second");
	sent(&taken, w, &far, second, first);
	assert_false(taken);
	assert_false(parcel_has(far.g, second));
	sent(&taken, w, &far, second, NULL);
	assert_true(taken && parcel_has(far.g, second));
	far_release(&far);
}

static void what_is_no_parcel_is_not_taken(void **state)
{
	struct world *w = *state;
	struct far far;
	cleanup_free char *path = xasprintf("%s/parcel", w->dir);
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	bool taken = true;

	far_make(&far, w);
	assert_null(file_write(path, "rubbish", 7, false));
	assert_null(parcel_take(&taken, &why, far.g, path));
	assert_false(taken);
	assert_true(why.len > 0);
	far_release(&far);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_second_is_sent_without_what_the_first_brought,
			make_world, end_world),
		cmocka_unit_test_setup_teardown(
			what_builds_on_missing_commits_is_not_taken, make_world,
			end_world),
		cmocka_unit_test_setup_teardown(what_is_no_parcel_is_not_taken,
						make_world, end_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
