/*
 * git's own lock on collecting, <git dir>/gc.pid. avogit holds it during each
 * write transaction, because `git gc --prune=now` would remove objects that are
 * written but not yet referenced (and was seen to remove a notes ref with
 * them). If a gc is running, avogit waits for it. It works both ways: git
 * refuses to collect while the file names a live process, and ignores the file
 * when that process is gone. A bare `git prune` checks no lock and cannot be
 * stopped.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "gitstore/git/internal.h"

#define HOST_MAX 256
/* As in git: an older file is ignored. */
#define STALE_SECONDS ((time_t)12 * 3600)
/* A git process holds gc.pid.lock, still empty, while it writes its line. */
#define LOCK_SECONDS 10
/* How long to wait for another git process, and when to name it: its gc may
 * take a while; a process of another machine may be dead. */
#define SAY_SECONDS  1
#define WAIT_SECONDS 60

struct holder {
	intmax_t pid;
	char host[HOST_MAX];
	bool avogit;
	time_t age;
};

static bool read_holder(struct holder *h, const char *path)
{
	cleanup_file FILE *f = fopen(path, "re");
	char line[HOST_MAX + 64] = "", word[16] = "", *end = line;
	struct stat st;

	*h = (struct holder){.pid = 0};
	if (!f || fstat(fileno(f), &st) < 0)
		return false;
	h->age = time(NULL) - st.st_mtime;
	/* Accepts only numbers and bounded words: any other line is stale. */
	if (fgets(line, sizeof line, f))
		h->pid = strtoimax(line, &end, 10);
	if (end == line || sscanf(end, "%255s %15s", h->host, word) < 1)
		h->pid = 0;
	h->avogit = str_eq(word, "avogit");
	return true;
}

/* A process with the store's lock (`alone`) knows that no other avogit of this
 * machine works here: so it does not wait if the number of a dead process was
 * given to a new one. */
static bool is_live(const struct holder *h, bool alone)
{
	char host[HOST_MAX] = "";

	if (h->pid <= 0 || h->age > STALE_SECONDS)
		return false;
	gethostname(host, sizeof host - 1);
	if (!str_eq(host, h->host))
		return true;
	if (h->avogit && alone)
		return false;
	return kill((pid_t)h->pid, 0) == 0 || errno == EPERM;
}

void say_waiting(bool *said, double began, const char *path)
{
	cleanup_buf struct buf holder = BUF_INIT(256);
	cleanup_buf struct buf clean = BUF_INIT(1024);
	cleanup_error struct error *err = NULL;

	if (*said || clock_seconds() - began < SAY_SECONDS)
		return;
	*said = true;
	err = file_read(&holder, path);
	text_add_line(&clean, holder.data, holder.len);
	buf_trim_end(&clean);
	fprintf(stderr, "avogit: waiting for %s%s%s%s\n", path,
		clean.len ? " (it says: " : "", clean.len ? clean.data : "",
		clean.len ? ")" : "");
}

static void wait_a_little(unsigned *tries)
{
	struct timespec pause = {.tv_nsec = 2000000L << MIN(*tries, 6u)};

	(*tries)++;
	nanosleep(&pause, NULL);
}

/* *out is false if the file exists. */
static struct error *create_with(bool *out, const char *path, const char *line)
{
	cleanup_fd int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		     0666);
	struct error *err;

	*out = fd >= 0;
	if (fd < 0)
		return errno == EEXIST ? NULL
				       : error_errno("cannot write %s", path);
	err = write_all(fd, line, strlen(line));
	if (err)
		unlink(path);
	return error_wrap(err, "cannot write %s", path);
}

static bool clear_dead_lock(const char *lock, bool alone)
{
	struct holder h;

	return read_holder(&h, lock) &&
	       (h.pid > 0 ? !is_live(&h, alone) : h.age > LOCK_SECONDS) &&
	       unlink(lock) == 0;
}

/* The lock file gets its line before it appears under its name, so that a
 * killed process always leaves a line that says whose it was. *out is false if
 * another process has the lock right now. */
static struct error *try_lock(bool *out, const char *lock)
{
	cleanup_free char *mine = xasprintf("%s.avogit", lock);
	char host[HOST_MAX] = "", line[HOST_MAX + 64];
	struct error *err = NULL;

	gethostname(host, sizeof host - 1);
	snprintf(line, sizeof line, "%ld %s avogit\n", (long)getpid(), host);
	unlink(mine);
	TRY(create_with(out, mine, line));
	if (!*out)
		return error_new(ERROR_REFUSED, "cannot write %s", mine);
	*out = link(mine, lock) == 0;
	if (!*out && errno != EEXIST) /* no hard links on this file system */
		err = create_with(out, lock, line);
	unlink(mine);
	if (!err && !*out)
		clear_dead_lock(lock, true);
	return err;
}

static struct error *lock_becomes(const char *lock, const char *path)
{
	struct error *err = NULL;

	if (rename(lock, path) < 0) {
		err = error_errno("cannot write %s", path);
		unlink(lock);
	}
	return err;
}

static struct error *give_up(const struct holder *h, const char *path,
			     const char *lock)
{
	if (h->pid <= 0)
		return error_new(ERROR_REFUSED,
				 "%s is there for over %d seconds: another git "
				 "is about to collect, or was killed; if none "
				 "is, remove that file",
				 lock, WAIT_SECONDS);
	return error_new(
		ERROR_REFUSED,
		"process %" PRIdMAX " on '%s' collects in this "
		"repository (%s says so) for over %d seconds: wait for "
		"it, or remove that file if it is not there any more",
		h->pid, h->host, path, WAIT_SECONDS);
}

struct error *gc_guard_take(const struct gitstore *g)
{
	cleanup_free char *path = xasprintf("%sgc.pid", g->git_dir);
	cleanup_free char *lock = xasprintf("%s.lock", path);
	const double began = clock_seconds();
	bool said = false;
	struct holder h = {.pid = 0};

	for (unsigned tries = 0;; wait_a_little(&tries)) {
		bool locked = false;

		TRY(try_lock(&locked, lock));
		if (locked && (!read_holder(&h, path) || !is_live(&h, true)))
			return lock_becomes(lock, path);
		if (locked)
			unlink(lock);
		say_waiting(&said, began, path);
		if (clock_seconds() - began > WAIT_SECONDS)
			return give_up(&h, path, lock);
	}
}

void gc_guard_drop(const struct gitstore *g)
{
	cleanup_free char *path = xasprintf("%sgc.pid", g->git_dir);
	struct holder h;

	if (read_holder(&h, path) && h.avogit && h.pid == getpid())
		unlink(path);
}

bool gc_guard_clear(const struct gitstore *g)
{
	cleanup_free char *path = xasprintf("%sgc.pid", g->git_dir);
	cleanup_free char *lock = xasprintf("%s.lock", path);
	const bool locked = clear_dead_lock(lock, false);
	struct holder h;

	return (read_holder(&h, path) && !is_live(&h, false) &&
		unlink(path) == 0) ||
	       locked;
}
