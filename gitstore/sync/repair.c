#include "gitstore/git/program.h"
#include "gitstore/sync/repair.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/file.h"
#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"
#include "gitstore/git/loose.h"
#include "gitstore/git/tips.h"
#include "gitstore/journal/restore.h"
#include "gitstore/notes/note.h"
#include "gitstore/notes/note_check.h"
#include "gitstore/sync/sync.h"

/* git holds the lock of a ref for milliseconds: an older one is stale. */
#define OLD_LOCK_SECONDS 10
#define MAX_DEPTH	 8
#define TIDY_WAIT_S	 3600

void repair_release(struct repair *r)
{
	strvec_release(&r->done);
}

/* ---- lock files ---------------------------------------------------------- */

static bool is_old(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       time(NULL) - st.st_mtime > OLD_LOCK_SECONDS;
}

static void clear_lock(struct repair *r, const char *path)
{
	if (is_old(path) && unlink(path) == 0)
		strvec_pushf(&r->done, "removed the stale lock %s", path);
}

/* Does not follow links: lstat says what is a folder. */
static void clear_locks_below(struct repair *r, const char *dir, int depth)
{
	DIR *d = depth < MAX_DEPTH ? opendir(dir) : NULL;

	for (struct dirent *e; d && (e = readdir(d));) {
		cleanup_free char *path = xasprintf("%s/%s", dir, e->d_name);
		struct stat st;

		if (*e->d_name == '.' || lstat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode))
			clear_locks_below(r, path, depth + 1);
		else if (ends_with(path, ".lock"))
			clear_lock(r, path);
	}
	if (d)
		closedir(d);
}

static void clear_locks(struct repair *r, const struct gitstore *g)
{
	static const char *const below[] = {"refs/avogit", "refs/heads/avo",
					    "refs/avogit-sync",
					    "refs/avogit-fetched"};
	static const char *const one[] = {NOTES_REF, SYNC_NOTES_REF,
					  FETCHED_NOTES_REF};

	for (size_t i = 0; i < ARRAY_SIZE(below); i++) {
		cleanup_free char *dir =
			xasprintf("%s%s", g->git_dir, below[i]);

		clear_locks_below(r, dir, 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(one); i++) {
		cleanup_free char *path =
			xasprintf("%s%s.lock", g->git_dir, one[i]);

		clear_lock(r, path);
	}
}

/* ---- broken refs ------------------------------------------------------- */

/* Is it "ID" or "ref: NAME"? After a power cut a ref may be neither. */
static bool says_something(const char *path)
{
	cleanup_buf struct buf b = BUF_INIT(4096);
	cleanup_error struct error *err = file_read(&b, path);

	return err || starts_with(b.data, "ref: ") ||
	       strspn(b.data, "0123456789abcdef") == GIT_OID_HEXSZ;
}

static bool can_be_computed(const struct gitstore *g, const char *ref)
{
	const char *leaf = strrchr(ref, '/') + 1;

	if (starts_with(ref, JOURNAL_REFS))
		return tips_has(g, ref);
	return !starts_with(ref, BRANCH_REFS) || branch_is_ours(leaf);
}

/* Removes it: the steps below make it again. */
static void clear_ref(struct repair *r, const struct gitstore *g,
		      const char *ref)
{
	cleanup_free char *path = xasprintf("%s%s", g->git_dir, ref);
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    ends_with(ref, ".lock") || says_something(path))
		return;
	if (!can_be_computed(g, ref))
		strvec_pushf(
			&r->done,
			"left alone %s, which names no object: remove %s, "
			"and `avogit sync` brings it from a clone that has "
			"it",
			ref, path);
	else if (unlink(path) == 0)
		strvec_pushf(&r->done, "removed %s, which named no object",
			     ref);
}

static void clear_refs_below(struct repair *r, const struct gitstore *g,
			     const char *folder, int depth)
{
	cleanup_free char *dir = xasprintf("%s%s", g->git_dir, folder);
	DIR *d = depth < MAX_DEPTH ? opendir(dir) : NULL;

	for (struct dirent *e; d && (e = readdir(d));) {
		cleanup_free char *ref = xasprintf("%s/%s", folder, e->d_name);
		cleanup_free char *path = xasprintf("%s%s", g->git_dir, ref);
		struct stat st;

		if (*e->d_name == '.' || lstat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode))
			clear_refs_below(r, g, ref, depth + 1);
		else
			clear_ref(r, g, ref);
	}
	if (d)
		closedir(d);
}

static void clear_refs(struct repair *r, const struct gitstore *g)
{
	clear_refs_below(r, g, "refs/avogit", 0);
	clear_refs_below(r, g, "refs/avogit-sync", 0);
	clear_refs_below(r, g, "refs/avogit-fetched", 0);
	clear_refs_below(r, g, "refs/heads/avo", 0);
	clear_ref(r, g, NOTES_REF);
	clear_ref(r, g, SYNC_NOTES_REF);
	clear_ref(r, g, FETCHED_NOTES_REF);
}

/* "RUN.PID": the unfinished file of a process that is gone. */
static void clear_cache(struct repair *r, const struct gitstore *g)
{
	cleanup_free char *dir = xasprintf("%scache", g->private_dir);
	DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));) {
		cleanup_free char *path = xasprintf("%s/%s", dir, e->d_name);
		const char *dot = strrchr(e->d_name, '.');
		char *end = NULL;
		long pid = dot ? strtol(dot + 1, &end, 10) : 0;

		if (pid <= 0 || *end || !is_old(path) ||
		    kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		if (unlink(path) == 0)
			strvec_pushf(&r->done, "removed %s, half written",
				     path);
	}
	if (d)
		closedir(d);
}

/* ---- unfinished work --------------------------------------------------- */

static struct error *finish_sync(struct repair *r, struct gitstore *g)
{
	cleanup_sync_taken struct sync_taken t = {.journals = 0};
	cleanup_strvec struct strvec left = STRVEC_INIT;
	git_oid notes;

	TRY(ref_names(&left, g, SYNC_REFS));
	TRY(ref_read(&notes, g, SYNC_NOTES_REF));
	if (!left.n && git_oid_is_zero(&notes))
		return NULL;
	TRY(sync_take(&t, g));
	strvec_pushf(&r->done, "finished a sync: took in %zu journals%s",
		     t.journals, t.notes ? " and notes" : "");
	for (size_t i = 0; i < t.refused.n; i++)
		strvec_pushf(&r->done, "not taken: %s", t.refused.v[i]);
	return NULL;
}

static struct error *mend_journals(struct repair *r, struct gitstore *g)
{
	cleanup_tips_mended struct tips_mended m = {.back = STRVEC_INIT};
	size_t forgotten;

	TRY(tips_mend(&m, g));
	for (size_t i = 0; i < m.back.n; i++)
		strvec_pushf(&r->done, "brought back %s", m.back.v[i]);
	TRY(tips_forget_gone(&forgotten, g));
	if (forgotten)
		strvec_pushf(&r->done,
			     "forgot %zu journals whose commits are gone",
			     forgotten);
	return NULL;
}

/* After a merge without this check, git's gc and pushes fail. */
static struct error *examine_notes(struct repair *r, struct gitstore *g)
{
	cleanup_error struct error *err = NULL;
	git_oid tip, tree, none = {{0}};

	TRY(notes_tree(&tip, &tree, g));
	if (git_oid_is_zero(&tip))
		return NULL;
	err = note_check(g, &tip, &none);
	if (err)
		strvec_pushf(
			&r->done,
			"left alone " NOTES_REF ", which is not a tree of "
			"notes (%s): `git update-ref -d " NOTES_REF
			"` and `avogit doctor --repair` make it again from "
			"the journals",
			error_message(err));
	return NULL;
}

static struct error *mend_notes(struct repair *r, struct gitstore *g)
{
	cleanup_free char *checked = xasprintf("%schecked", g->private_dir);
	cleanup_strvec struct strvec unread = STRVEC_INIT;
	size_t restored;

	/* Checks all of them, even those that were in order before. */
	unlink(checked);
	TRY(gitstore_mend_notes(&restored, &unread, g));
	if (restored)
		strvec_pushf(&r->done, "put back %zu notes", restored);
	for (size_t i = 0; i < unread.n; i++)
		strvec_pushf(&r->done, "left alone %s", unread.v[i]);
	return NULL;
}

static struct error *list_branches(struct strvec *out, struct gitstore *g,
				   const char *run)
{
	cleanup_free char *prefix = xasprintf(BRANCH_REFS "%s/", run);
	cleanup_strvec struct strvec names = STRVEC_INIT;

	TRY(ref_names(&names, g, prefix));
	for (size_t i = 0; i < names.n; i++) {
		struct commit_id hex;
		git_oid id;

		TRY(ref_read(&id, g, names.v[i]));
		hex = oid_hex(&id);
		strvec_pushf(out, "%s %s", names.v[i], hex.hex);
	}
	return NULL;
}

static bool same_list(const struct strvec *a, const struct strvec *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (!str_eq(a->v[i], b->v[i]))
			return false;
	return a->n == b->n;
}

static struct error *point_branches(struct repair *r, struct gitstore *g,
				    const char *run)
{
	cleanup_strvec struct strvec before = STRVEC_INIT, after = STRVEC_INIT;
	cleanup_population struct population p = {0};

	TRY(gitstore_population(&p, g, run));
	TRY(list_branches(&before, g, run));
	TRY(gitstore_branches(g, &p));
	TRY(list_branches(&after, g, run));
	if (!same_list(&before, &after))
		strvec_pushf(&r->done, "pointed the branches of run %s again",
			     run);
	return NULL;
}

static struct error *point_all(struct repair *r, struct gitstore *g)
{
	cleanup_strvec struct strvec runs = STRVEC_INIT;

	TRY(gitstore_runs(&runs, g));
	/* A journal that cannot be read is reported with its notes. */
	for (size_t i = 0; i < runs.n; i++)
		if (!gitstore_run_holder(g, runs.v[i]))
			TRY(gitstore_pass_over(
				point_branches(r, g, runs.v[i])));
	return NULL;
}

struct error *gitstore_repair(struct repair *out, struct gitstore *g)
{
	cleanup_repair struct repair r = {.done = STRVEC_INIT};
	cleanup_store_lock struct gitstore *held = NULL;
	size_t swept = 0;

	clear_locks(&r, g);
	if (gc_guard_clear(g))
		strvec_push(&r.done, "removed the gc.pid of a dead process");
	TRY(store_lock(&held, g));
	clear_refs(&r, g);
	clear_cache(&r, g);
	TRY(workspaces_sweep(&swept, g));
	if (swept)
		strvec_pushf(&r.done, "removed %zu abandoned workspaces",
			     swept);
	TRY(mend_journals(&r, g));
	TRY(finish_sync(&r, g));
	TRY(mend_notes(&r, g));
	TRY(examine_notes(&r, g));
	TRY(point_all(&r, g));
	*out = r;
	r = (struct repair){.done = STRVEC_INIT};
	return NULL;
}

void gitstore_damaged(struct strvec *damaged, size_t *n, const char **mend,
		      const struct gitstore *g)
{
	*mend = loose_mend;
	loose_examine(damaged, n, g->repo);
}

/* ---- packing ------------------------------------------------------------- */

/* In the foreground: a process in the background would be killed with this
 * one's group, or would block the next command with gc.pid. */
void gitstore_tidy(struct gitstore *g)
{
	cleanup_free char *dir = xasprintf("--git-dir=%s", g->git_dir);
	const char *words[] = {dir,  "-c",     "gc.autoDetach=false",
			       "gc", "--auto", "--quiet",
			       NULL};
	cleanup_process_result struct process_result r = {0};
	cleanup_git_named struct git_named named = {.keys = STRVEC_INIT};
	cleanup_error struct error *err = gitstore_named(&named, g, GIT_INSIDE);

	/* Some settings cannot be overridden by any other. */
	if (err || named.keys.n)
		return;
	err = git_run(&r, GIT_INSIDE, NULL, words, TIDY_WAIT_S, BUF_LIMIT_TEXT);
	if (!err)
		err = git_check(git_odb_refresh(g->odb), "objects");
}
