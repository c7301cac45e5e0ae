/*
 * The private folder <git dir>/avogit/ and the lock on writing. Everything in it
 * can be deleted while no avogit runs: it is made again.
 *
 *   lock        held (flock) while refs move; names the ref that is moving
 *   writer      this clone's id as a writer of journals
 *   tips        where the journals ended: tips.h
 *   config      keeps libgit2 from writing reflogs for avogit's refs
 *   RUN.lock    held while a process extends the run; its pid, and below that
 *               what it does now
 *   RUN.turn    whose turn it is, of several that extend it: turn.c
 *   ws/         workspaces
 *   placed/     which workspaces are elsewhere
 *
 * flock(2) ends with the process that holds it, so a killed process holds none
 * of these. It may leave git's own REF.lock: see clear_leftover.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/random.h"
#include "gitstore/git/internal.h"

/* Bytes of what a process says of what it does. */
#define DOING_MAX 4096
/* A sync of a hundred thousand candidates takes half a minute. */
#define LOCK_WAIT_SECONDS 600

static const char no_reflogs[] = "# Written by avogit: its refs are "
				 "journals of their own.\n"
				 "[core]\n\tlogAllRefUpdates = false\n";

static struct error *cannot_write(struct gitstore *g, struct error *err)
{
	return error_wrap(err, "avogit has to write below %s", g->git_dir);
}

static struct error *refuse_links(const char *path)
{
	DIR *d = opendir(path);
	struct error *err = NULL;

	for (struct dirent *e; d && !err && (e = readdir(d));) {
		struct stat st;

		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ==
			    0 &&
		    S_ISLNK(st.st_mode))
			err = error_new(ERROR_REFUSED,
					"%s%s is a link, and avogit makes "
					"none: remove it",
					path, e->d_name);
	}
	if (d)
		closedir(d);
	return err;
}

/* A repository from an archive brings this folder too: a link in it would cause
 * files elsewhere to be removed or overwritten. */
struct error *private_check(const struct gitstore *g)
{
	cleanup_free char *cache = xasprintf("%scache/", g->private_dir);
	size_t len = strlen(g->private_dir) - 1;
	cleanup_free char *folder = xstrndup(g->private_dir, len);
	struct stat st;

	if (lstat(folder, &st) < 0)
		return NULL; /* it is made when needed */
	if (!S_ISDIR(st.st_mode))
		return error_new(
			ERROR_REFUSED,
			"%s is not a folder: remove it, avogit makes its "
			"own",
			folder);
	TRY(refuse_links(g->private_dir));
	return refuse_links(cache);
}

static struct error *open_lock(int *out, const char *path)
{
	*out = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	return *out < 0 ? error_errno("cannot open %s", path) : NULL;
}

/* A level above the repository's own config, for this process only. */
static struct error *stop_reflogs(struct gitstore *g)
{
	cleanup_free char *path = xasprintf("%sconfig", g->private_dir);
	cleanup_git_config git_config *config = NULL;

	if (!file_exists(path))
		TRY(file_write_atomic(path, no_reflogs, strlen(no_reflogs)));
	TRY(git_check(git_repository_config(&config, g->repo),
		      "cannot read git's configuration"));
	return git_check(git_config_add_file_ondisk(config, path,
						    GIT_CONFIG_LEVEL_APP,
						    g->repo, 1),
			 "cannot read %s", path);
}

/* ---- the writer ----------------------------------------------------------*/

/* The id, and the inode of the folder for which it was drawn: a copied
 * repository must be another writer, because otherwise two clones would write
 * to one journal. */
static bool parse_writer(char out[WRITER_LEN + 1], const char *text,
			 uintmax_t inode)
{
	if (strspn(text, "0123456789abcdef") != WRITER_LEN ||
	    text[WRITER_LEN] != ' ' ||
	    strtoumax(text + WRITER_LEN, NULL, 10) != inode)
		return false;
	memcpy(out, text, WRITER_LEN);
	out[WRITER_LEN] = '\0';
	return true;
}

static struct error *inode_of(uintmax_t *out, const struct gitstore *g)
{
	struct stat st;

	if (stat(g->private_dir, &st) < 0)
		return error_errno("cannot read %s", g->private_dir);
	*out = (uintmax_t)st.st_ino;
	return NULL;
}

static struct error *draw_writer(struct gitstore *g)
{
	cleanup_free char *path = xasprintf("%swriter", g->private_dir);
	cleanup_free char *text = NULL;
	char id[WRITER_LEN + 1];
	uintmax_t inode = 0;

	TRY(inode_of(&inode, g));
	random_hex(id, WRITER_LEN);
	text = xasprintf("%s %ju\n", id, inode);
	TRY(file_write_atomic(path, text, strlen(text)));
	memcpy(g->writer, id, sizeof id);
	return NULL;
}

static struct error *read_writer(struct gitstore *g)
{
	cleanup_free char *path = xasprintf("%swriter", g->private_dir);
	cleanup_buf struct buf b = BUF_INIT(256);
	uintmax_t inode = 0;
	struct error *err;

	TRY(inode_of(&inode, g));
	err = file_read(&b, path);
	if (!err && parse_writer(g->writer, b.data, inode))
		return NULL;
	error_free(err);
	return draw_writer(g);
}

bool store_writer(char out[WRITER_LEN + 1], const struct gitstore *g)
{
	cleanup_free char *path = xasprintf("%swriter", g->private_dir);
	cleanup_buf struct buf b = BUF_INIT(256);
	uintmax_t inode = 0;
	cleanup_error struct error *err = inode_of(&inode, g);

	if (!err)
		err = file_read(&b, path);
	return !err && parse_writer(out, b.data, inode);
}

/* Another process of this clone may have done this already. */
struct error *store_new_writer(struct gitstore *g)
{
	cleanup_store_lock struct gitstore *held = NULL;
	char before[WRITER_LEN + 1];

	TRY(store_lock(&held, g));
	memcpy(before, g->writer, sizeof before);
	TRY(read_writer(g));
	return str_eq(before, g->writer) ? draw_writer(g) : NULL;
}

bool gitstore_is_writer(const struct gitstore *g, const char *writer)
{
	char own[WRITER_LEN + 1];

	return store_writer(own, g) && str_eq(own, writer);
}

struct error *gitstore_writer(char out[WRITER_LEN + 1], struct gitstore *g)
{
	TRY(store_prepare(g));
	memcpy(out, g->writer, sizeof g->writer);
	return NULL;
}

static struct error *prepare(struct gitstore *g)
{
	cleanup_free char *path = xasprintf("%slock", g->private_dir);
	cleanup_store_lock struct gitstore *held = NULL;

	TRY(dir_make(g->private_dir));
	TRY(open_lock(&g->lock_fd, path));
	TRY(store_lock(&held, g));
	TRY(stop_reflogs(g));
	return read_writer(g);
}

struct error *store_prepare(struct gitstore *g)
{
	if (*g->writer)
		return NULL;
	if (g->lock_fd >= 0)
		close(steal_fd(&g->lock_fd));
	return cannot_write(g, prepare(g));
}

/* ---- the lock ----------------------------------------------------------- */

void store_intend(struct gitstore *g, const char *ref)
{
	/* Only a hint for the next process that takes the lock: if it cannot be
	 * written, that does no harm while this process lives. */
	if (ftruncate(g->lock_fd, 0) == 0 && *ref &&
	    pwrite(g->lock_fd, ref, strlen(ref), 0) < 0)
		return;
}

/* A git process holds the lock of a ref for milliseconds; a dead one would hold
 * it for ever. The process that died was moving exactly this ref. */
static void remove_ref_lock(const struct gitstore *g, const char *ref)
{
	cleanup_free char *path = xasprintf("%s%s.lock", g->git_dir, ref);
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};

	for (int i = 0; i < 10 && file_exists(path); i++)
		nanosleep(&pause, NULL);
	unlink(path);
}

static void clear_leftover(struct gitstore *g)
{
	char intent[REF_NAME_MAX + 64];
	char *save = NULL;
	ssize_t n = pread(g->lock_fd, intent, sizeof intent - 1, 0);

	if (n <= 0)
		return;
	intent[n] = '\0';
	for (char *ref = strtok_r(intent, "\n", &save); ref;
	     ref = strtok_r(NULL, "\n", &save))
		if (path_is_safe(ref) &&
		    (starts_with(ref, JOURNAL_REFS) ||
		     starts_with(ref, BRANCH_REFS) || str_eq(ref, NOTES_REF) ||
		     starts_with(ref, SYNC_REFS) ||
		     starts_with(ref, FETCHED_REFS) ||
		     str_eq(ref, SYNC_NOTES_REF) ||
		     str_eq(ref, FETCHED_NOTES_REF) ||
		     str_eq(ref, "packed-refs")))
			remove_ref_lock(g, ref);
	store_intend(g, "");
}

/* Others hold it for milliseconds; a sync holds it while it takes in what it
 * has fetched. */
static struct error *wait_for_lock(const struct gitstore *g)
{
	cleanup_free char *path = xasprintf("%slock", g->private_dir);
	const struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};
	const double began = clock_seconds();
	bool said = false;

	while (flock(g->lock_fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EINTR && errno != EWOULDBLOCK)
			return error_errno("cannot lock %s", path);
		say_waiting(&said, began, path);
		if (clock_seconds() - began > LOCK_WAIT_SECONDS)
			return error_new(
				ERROR_REFUSED,
				"another avogit holds %s for over %d seconds: "
				"wait for it, or end it (`fuser %s` names it)",
				path, LOCK_WAIT_SECONDS, path);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

struct error *store_lock(struct gitstore **held, struct gitstore *g)
{
	struct error *err;

	if (g->lock_fd < 0)
		TRY(store_prepare(g));
	if (g->lock_depth == 0) {
		TRY(wait_for_lock(g));
		clear_leftover(g);
		err = gc_guard_take(g);
		if (err) {
			flock(g->lock_fd, LOCK_UN);
			return err;
		}
	}
	g->lock_depth++;
	*held = g;
	return NULL;
}

void store_unlock(struct gitstore *g)
{
	if (!g || --g->lock_depth > 0)
		return;
	gc_guard_drop(g);
	flock(g->lock_fd, LOCK_UN);
}

/* ---- runs --------------------------------------------------------------- */

static void holder(char out[24], int fd)
{
	ssize_t n = pread(fd, out, 23, 0);

	out[n > 0 ? n : 0] = '\0';
	out[strspn(out, "0123456789")] = '\0';
}

/* Of several that extend a run the one that came last may have left. */
static bool is_alive(const char *pid)
{
	return *pid &&
	       (kill((pid_t)strtol(pid, NULL, 10), 0) == 0 || errno == EPERM);
}

long gitstore_run_holder(const struct gitstore *g, const char *run)
{
	cleanup_free char *path = xasprintf("%s%s.lock", g->private_dir, run);
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char pid[24];

	/* A shared lock, for a moment only: see try_lock. */
	if (fd < 0 ||
	    (flock(fd, LOCK_SH | LOCK_NB) == 0 && !turn_is_shared(g, run)))
		return 0;
	holder(pid, fd);
	return is_alive(pid) ? strtol(pid, NULL, 10) : -1;
}

/* A process that only checks (gitstore_run_holder) releases the lock at once,
 * so this tries again. */
static bool try_lock(int fd, int how)
{
	const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};

	for (int i = 0; i < 5; i++) {
		if (flock(fd, how | LOCK_NB) == 0)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* The descriptor by which this store has locked that file; -1: it has not. A
 * lock belongs to an open file, so that a second one of the same process would
 * be refused as another process is. */
static int held_by(const struct gitstore *g, const struct stat *wanted)
{
	struct stat held;

	for (size_t i = 0; i < g->n_run_locks; i++)
		if (fstat(g->run_lock[i], &held) == 0 &&
		    held.st_dev == wanted->st_dev &&
		    held.st_ino == wanted->st_ino)
			return g->run_lock[i];
	return -1;
}

static bool holds(const struct gitstore *g, int fd)
{
	struct stat wanted;

	return fstat(fd, &wanted) == 0 && held_by(g, &wanted) >= 0;
}

/* One write, so that whoever reads it meanwhile has the old or the new lines. */
void gitstore_say_doing(struct gitstore *g, const char *run, const char *text)
{
	cleanup_free char *path = xasprintf("%s%s.lock", g->private_dir, run);
	cleanup_free char *all = xasprintf("%ld\n%s", (long)getpid(), text);
	size_t len = MIN(strlen(all), (size_t)DOING_MAX);
	struct stat st;
	int fd = stat(path, &st) == 0 ? held_by(g, &st) : -1;

	if (fd >= 0 && pwrite(fd, all, len, 0) == (ssize_t)len &&
	    ftruncate(fd, (off_t)len) < 0)
		return; /* older lines below the new ones do no harm */
}

void gitstore_run_doing(struct buf *out, const struct gitstore *g,
			const char *run)
{
	cleanup_free char *path = xasprintf("%s%s.lock", g->private_dir, run);
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char text[DOING_MAX + 1];
	ssize_t n = fd < 0 ? -1 : pread(fd, text, DOING_MAX, 0);
	const char *line;

	if (n <= 0)
		return;
	text[n] = '\0';
	line = strchr(text, '\n');
	if (line)
		buf_adds(out, line + 1);
}

struct error *gitstore_lock_run(struct gitstore *g, const char *run)
{
	return run_lock_take(g, run, false);
}

struct error *run_lock_take(struct gitstore *g, const char *run, bool shared)
{
	cleanup_free char *path = NULL;
	cleanup_fd int fd = -1;
	char pid[24];

	TRY(run_name_check(run));
	TRY(store_prepare(g));
	path = xasprintf("%s%s.lock", g->private_dir, run);
	TRY(open_lock(&fd, path));
	if (holds(g, fd))
		return NULL;
	if (!try_lock(fd, shared ? LOCK_SH : LOCK_EX)) {
		holder(pid, fd);
		return error_new(ERROR_REFUSED,
				 "another avogit (process %s) extends run '%s' "
				 "right now: wait for it, stop it, or choose "
				 "another name with --run",
				 is_alive(pid) ? pid : "unknown", run);
	}
	snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
	if (ftruncate(fd, 0) < 0)
		return error_errno("cannot write %s", path);
	TRY(error_wrap(write_all(fd, pid, strlen(pid)), "cannot write %s",
		       path));
	GROW(g->run_lock, g->n_run_locks, g->cap_run_locks);
	g->run_lock[g->n_run_locks++] = steal_fd(&fd);
	return NULL;
}
