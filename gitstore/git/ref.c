/* Refs: moved by compare-and-swap, by one process at a time under the lock. */
#include <time.h>
#include <unistd.h>

#include "core/base/random.h"
#include "gitstore/git/internal.h"
#include "gitstore/git/tips.h"

/* The first pause; the longest ones are 64 times as long. */
#define PAUSE_NS	1000000ULL
#define PAUSE_DOUBLINGS 6

/* Follows git's core.fsync: by default refs are flushed, and objects only if
 * the user asks for `committed` or `loose-object`. libgit2 has one switch for
 * both. */
static void flush_begin(const struct gitstore *g)
{
	if (g->fsync_objects && g->lock_fd >= 0)
		syncfs(g->lock_fd);
	git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, g->fsync_refs);
}

static void flush_end(void)
{
	git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 0);
}

struct error *ref_read(git_oid *out, struct gitstore *g, const char *name)
{
	int rc = git_reference_name_to_id(out, g->repo, name);

	if (rc == GIT_ENOTFOUND) {
		memset(out, 0, sizeof *out);
		return NULL;
	}
	return git_check(rc, "cannot read %s", name);
}

bool ref_try_again(struct error *err, unsigned *tries)
{
	struct timespec pause = {0};
	struct random random;
	uint64_t most = PAUSE_NS << MIN(*tries, (unsigned)PAUSE_DOUBLINGS);

	if (!error_is(err, ERROR_MOVED) || (*tries)++ == MAX_CAS_TRIES)
		return false;
	error_free(err);
	random_init(&random, random_seed());
	pause.tv_nsec = (long)(most / 2 + random_below(&random, most));
	nanosleep(&pause, NULL);
	return true;
}

struct error *ref_move(struct gitstore *g, const char *name, const git_oid *to,
		       const git_oid *from)
{
	cleanup_store_lock struct gitstore *held = NULL;
	cleanup_git_reference git_reference *ref = NULL;
	struct commit_id hex;
	unsigned tries = 0;
	int rc;

	TRY(object_check(g, to));
	TRY(store_lock(&held, g));
	store_intend(g, name);
	flush_begin(g);
	do {
		rc = git_reference_create_matching(&ref, g->repo, name, to, 1,
						   from, NULL);
	} while (git_transient(rc, &tries));
	flush_end();
	store_intend(g, "");
	/* A ref that vanished counts as moved. */
	if (rc == GIT_EMODIFIED || rc == GIT_ENOTFOUND)
		return error_new(ERROR_MOVED,
				 "%s was moved by another process meanwhile",
				 name);
	TRY(git_check(rc, "cannot move %s", name));
	hex = oid_hex(to);
	tips_keep(g, name, hex.hex);
	return NULL;
}

struct error *ref_delete(struct gitstore *g, const char *name)
{
	cleanup_free char *intent = xasprintf("%s\npacked-refs\n", name);
	cleanup_store_lock struct gitstore *held = NULL;
	unsigned tries = 0;
	int rc;

	TRY(store_lock(&held, g));
	store_intend(g, intent);
	do {
		rc = git_reference_remove(g->repo, name);
	} while (git_transient(rc, &tries));
	store_intend(g, "");
	if (rc != GIT_ENOTFOUND)
		TRY(git_check(rc, "cannot remove %s", name));
	tips_keep(g, name, "");
	return NULL;
}

struct error *ref_names(struct strvec *out, struct gitstore *g,
			const char *prefix)
{
	cleanup_free char *glob = xasprintf("%s*", prefix);
	cleanup_git_ref_iterator git_reference_iterator *it = NULL;
	const char *name;
	int rc = git_reference_iterator_glob_new(&it, g->repo, glob);

	while (rc == 0 && (rc = git_reference_next_name(&name, it)) == 0)
		if (starts_with(name, prefix))
			strvec_push(out, name);
	if (rc != GIT_ITEROVER)
		return git_check(rc, "cannot list refs below %s", prefix);
	strvec_sort(out);
	return NULL;
}

struct error *gitstore_rev_names(struct strvec *out, struct gitstore *g)
{
	static const char *const folders[] = {"refs/heads/", "refs/remotes/",
					      "refs/tags/"};

	for (size_t f = 0; f < ARRAY_SIZE(folders); f++) {
		cleanup_strvec struct strvec names = STRVEC_INIT;

		TRY(ref_names(&names, g, folders[f]));
		for (size_t i = 0; i < names.n; i++)
			strvec_push(out, names.v[i] + strlen(folders[f]));
	}
	return NULL;
}

struct error *gitstore_remote_names(struct strvec *out, struct gitstore *g)
{
	git_strarray names = {0};
	int rc = git_remote_list(&names, g->repo);

	for (size_t i = 0; rc == 0 && i < names.count; i++)
		strvec_push(out, names.strings[i]);
	git_strarray_dispose(&names);
	return git_check(rc, "cannot list the remotes");
}

bool ref_is_checked_out(struct gitstore *g, const char *name)
{
	cleanup_git_reference git_reference *ref = NULL;

	return git_reference_lookup(&ref, g->repo, name) == 0 &&
	       git_branch_is_checked_out(ref) == 1;
}
