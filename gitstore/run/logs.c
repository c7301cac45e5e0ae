#include "gitstore/run/logs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gitstore/git/internal.h"

/* The limit ends a damaged or hostile chain. */
#define MAX_CHAIN 10000000

void log_list_release(struct log_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->log[i].name);
	free(l->log);
	*l = (struct log_list){0};
}

static char *logs_ref(const char *run, const char *writer)
{
	return xasprintf(JOURNAL_REFS "%s/logs/%s", run, writer);
}

/* ---- adding -------------------------------------------------------------- */

static struct error *check_name(const char *name)
{
	if (*name && strlen(name) <= LOG_NAME_MAX && !strchr(name, '/') &&
	    path_is_safe(name))
		return NULL;
	return error_new(ERROR_INTERNAL, "'%s' cannot be the name of a log",
			 name);
}

static struct error *tree_with(git_oid *out, struct gitstore *g,
			       const char *name, const git_oid *blob)
{
	cleanup_git_treebuilder git_treebuilder *b = NULL;
	unsigned tries = 0;
	int rc;

	TRY(git_check(git_treebuilder_new(&b, g->repo, NULL),
		      "cannot write a log"));
	TRY(git_check(git_treebuilder_insert(NULL, b, name, blob,
					     GIT_FILEMODE_BLOB),
		      "cannot write a log"));
	do {
		rc = git_treebuilder_write(out, b);
	} while (git_transient(rc, &tries));
	return object_written(rc, g, out, "cannot write a log");
}

static struct error *append_once(struct gitstore *g, const char *ref,
				 const char *name, const git_oid *tree)
{
	cleanup_free char *message = xasprintf("%s\n", name);
	struct commit_spec spec = {.tree = tree, .message = message};
	git_oid tip, id;

	TRY(ref_read(&tip, g, ref));
	if (!git_oid_is_zero(&tip))
		spec.parent[spec.n_parents++] = &tip;
	TRY(commit_write(&id, g, &spec));
	return ref_move(g, ref, &id, &tip);
}

static struct error *append(struct gitstore *g, const char *run,
			    const char *name, const git_oid *blob)
{
	cleanup_store_lock struct gitstore *held = NULL;
	cleanup_free char *ref = NULL;
	struct error *err;
	unsigned tries = 0;
	git_oid tree;

	TRY(store_lock(&held, g));
	ref = logs_ref(run, g->writer);
	TRY(tree_with(&tree, g, name, blob));
	do
		err = append_once(g, ref, name, &tree);
	while (ref_try_again(err, &tries));
	return error_wrap(err, "cannot keep log %s of run '%s'", name, run);
}

struct error *gitstore_log_add_file(struct gitstore *g, const char *run,
				    const char *name, const char *path)
{
	unsigned tries = 0;
	git_oid blob;
	int rc;

	TRY(check_name(name));
	do {
		rc = git_blob_create_from_disk(&blob, g->repo, path);
	} while (git_transient(rc, &tries));
	TRY(object_written(rc, g, &blob, "cannot write a log"));
	return append(g, run, name, &blob);
}

/* ---- reading ------------------------------------------------------------- */

/* The only file of a log's commit. */
static struct error *file_of(git_oid *blob, char **name, const git_commit *c)
{
	cleanup_git_tree git_tree *tree = NULL;
	const git_tree_entry *e;

	TRY(git_check(git_commit_tree(&tree, c), "cannot read a log"));
	e = git_tree_entry_byindex(tree, 0);
	if (!e || !entry_is_file(e))
		return error_new(ERROR_MALFORMED, "a log has no file");
	git_oid_cpy(blob, git_tree_entry_id(e));
	if (name)
		*name = xstrdup(git_tree_entry_name(e));
	return NULL;
}

static struct error *add_log(struct log_list *out, struct gitstore *g,
			     const git_commit *c, const char *writer)
{
	struct log_info log = {.time = git_commit_time(c)};
	git_object_t type;
	size_t bytes = 0;
	git_oid blob;

	TRY(file_of(&blob, &log.name, c));
	/* In a partial clone its size may be unknown; it is dropped as well. */
	if (git_odb_read_header(&bytes, &type, g->odb, &blob) == 0)
		log.bytes = bytes;
	log.id = oid_hex(git_commit_id(c));
	snprintf(log.writer, sizeof log.writer, "%s", writer);
	out->bytes += log.bytes;
	GROW(out->log, out->n, out->cap);
	out->log[out->n++] = log;
	return NULL;
}

/* Splits a chain by time: entries from before `before` are added to *old; the
 * ids of the rest, newest first, to *young, unless that is NULL. */
struct cut {
	int64_t before;
	struct log_list *old;
	struct strvec *young;
};

static struct error *cut_chain(const struct cut *cut, struct gitstore *g,
			       const char *ref)
{
	const char *writer = strrchr(ref, '/') + 1;
	git_oid at;

	TRY(ref_read(&at, g, ref));
	for (size_t i = 0; i < MAX_CHAIN && !git_oid_is_zero(&at); i++) {
		cleanup_git_commit git_commit *c = NULL;
		struct commit_id id;

		TRY(git_check(git_commit_lookup(&c, g->repo, &at),
			      "cannot read %s", ref));
		id = oid_hex(&at);
		if (git_commit_time(c) < cut->before)
			TRY(error_wrap(add_log(cut->old, g, c, writer), "%s",
				       ref));
		else if (cut->young)
			strvec_push(cut->young, id.hex);
		if (!git_commit_parentcount(c))
			break;
		at = *git_commit_parent_id(c, 0);
	}
	return NULL;
}

static struct error *chains(struct strvec *out, struct gitstore *g,
			    const char *run)
{
	cleanup_free char *prefix = logs_ref(run, "");

	return ref_names(out, g, prefix);
}

struct error *gitstore_log_list(struct log_list *out, struct gitstore *g,
				const char *run, int64_t before)
{
	const struct cut cut = {.before = before, .old = out};
	cleanup_strvec struct strvec refs = STRVEC_INIT;

	TRY(chains(&refs, g, run));
	for (size_t i = 0; i < refs.n; i++)
		TRY(cut_chain(&cut, g, refs.v[i]));
	return NULL;
}

struct error *gitstore_log_runs(struct strvec *out, struct gitstore *g)
{
	cleanup_strvec struct strvec refs = STRVEC_INIT;

	TRY(ref_names(&refs, g, JOURNAL_REFS));
	for (size_t i = 0; i < refs.n; i++) {
		const char *run = refs.v[i] + strlen(JOURNAL_REFS);
		size_t len = strcspn(run, "/");
		cleanup_free char *name = xstrndup(run, len);

		if (starts_with(run + len, "/logs/") && !strvec_has(out, name))
			strvec_push(out, name);
	}
	return NULL;
}

/* ---- pruning ------------------------------------------------------------- */

/* Makes the commit again, on another parent (NULL: none). */
static struct error *rewrite(git_oid *out, struct gitstore *g, const char *id,
			     const git_oid *parent)
{
	cleanup_git_commit git_commit *c = NULL;
	struct commit_spec spec = {.n_parents = parent != NULL};

	TRY(commit_lookup(&c, g, id));
	spec.author = git_commit_author(c);
	spec.committer = git_commit_committer(c);
	spec.message = git_commit_message(c);
	spec.tree = git_commit_tree_id(c);
	spec.parent[0] = parent;
	return commit_write(out, g, &spec);
}

/* Makes the chain of these, newest first; zero if there are none. */
static struct error *rebuild(git_oid *tip, struct gitstore *g,
			     const struct strvec *young)
{
	*tip = (git_oid){{0}};
	for (size_t i = young->n; i-- > 0;) {
		git_oid id;

		TRY(rewrite(&id, g, young->v[i],
			    git_oid_is_zero(tip) ? NULL : tip));
		*tip = id;
	}
	return NULL;
}

static struct error *prune_chain(struct log_list *out, struct gitstore *g,
				 const char *ref, int64_t before)
{
	cleanup_strvec struct strvec young = STRVEC_INIT;
	const struct cut cut = {before, out, &young};
	size_t n = out->n;
	git_oid old, tip;

	TRY(ref_read(&old, g, ref));
	TRY(cut_chain(&cut, g, ref));
	if (out->n == n)
		return NULL;
	TRY(rebuild(&tip, g, &young));
	if (git_oid_is_zero(&tip))
		return ref_delete(g, ref);
	return ref_move(g, ref, &tip, &old);
}

struct error *gitstore_log_prune(struct log_list *out, struct gitstore *g,
				 const char *run, int64_t before)
{
	cleanup_strvec struct strvec refs = STRVEC_INIT;
	cleanup_store_lock struct gitstore *held = NULL;

	/* A process that adds a log waits, so that no later log is dropped. */
	TRY(store_lock(&held, g));
	TRY(chains(&refs, g, run));
	for (size_t i = 0; i < refs.n; i++)
		TRY(prune_chain(out, g, refs.v[i], before));
	return NULL;
}

/* ---- being written ---------------------------------------------------------
 *
 * Files in <git dir>/avogit/logs/RUN/, which survive a kill -9. The folder
 * belongs to the process that holds the run's lock. So a file that is in it
 * when the first log is opened was left by a process that has ended. After that
 * several may be open at a time. */

char *run_log_folder(const struct gitstore *g, const char *run)
{
	return xasprintf("%slogs/%s", g->private_dir, run);
}

/* The folder, made if it is missing; does not follow a link. */
static struct error *open_folder(int *out, const struct gitstore *g,
				 const char *run)
{
	cleanup_fd int above =
		open(g->private_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *const parts[] = {"logs", run};

	for (size_t i = 0; i < ARRAY_SIZE(parts) && above >= 0; i++) {
		int fd;

		if (mkdirat(above, parts[i], 0700) < 0 && errno != EEXIST)
			return error_errno("cannot make %slogs",
					   g->private_dir);
		fd = openat(above, parts[i],
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(above);
		above = fd;
	}
	if (above < 0)
		return error_errno("cannot open %slogs/%s", g->private_dir,
				   run);
	*out = steal_fd(&above);
	return NULL;
}

static struct error *keep(struct gitstore *g, int folder, const char *run,
			  const char *name)
{
	cleanup_free char *path =
		xasprintf("%slogs/%s/%s", g->private_dir, run, name);
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return error_errno("cannot keep the log %s", path);
	if (S_ISREG(st.st_mode) && st.st_size)
		TRY(gitstore_log_add_file(g, run, name, path));
	if (!S_ISDIR(st.st_mode) && unlinkat(folder, name, 0) < 0)
		return error_errno("cannot remove %s", path);
	return NULL;
}

static struct error *sweep(struct gitstore *g, int folder, const char *run)
{
	int copy = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	cleanup_strvec struct strvec names = STRVEC_INIT;

	for (struct dirent *e; d && (e = readdir(d));)
		if (*e->d_name != '.' && strlen(e->d_name) <= LOG_NAME_MAX)
			strvec_push(&names, e->d_name);
	if (d)
		closedir(d);
	strvec_sort(&names);
	for (size_t i = 0; i < names.n; i++)
		TRY(keep(g, folder, run, names.v[i]));
	snprintf(g->logs_swept, sizeof g->logs_swept, "%s", run);
	return NULL;
}

struct error *run_log_open(int *out, struct gitstore *g, const char *run,
			   const char *name)
{
	cleanup_fd int folder = -1;
	int fd;

	TRY(run_name_check(run));
	TRY(open_folder(&folder, g, run));
	if (!str_eq(g->logs_swept, run))
		TRY(sweep(g, folder, run));
	fd = openat(folder, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW |
			    O_CLOEXEC,
		    0600);
	if (fd < 0)
		return error_errno("cannot make the log %slogs/%s/%s",
				   g->private_dir, run, name);
	*out = fd;
	return NULL;
}

struct error *run_log_keep(struct gitstore *g, const char *run,
			   const char *name)
{
	cleanup_fd int folder = -1;

	TRY(open_folder(&folder, g, run));
	return keep(g, folder, run, name);
}
