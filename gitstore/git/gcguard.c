/*
 * git's own lock on collecting, <git dir>/gc.pid: held round each write
 * transaction, since `git gc --prune=now` would take objects that are written
 * and not yet pointed at (and was seen to take a notes ref with it). A gc that
 * is under way is waited for. It works both ways: git refuses to collect while
 * the file names a live process, and forgets it when that is gone. A bare `git
 * prune` asks nobody and cannot be held off.
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
/* As git has it: older than this it means nothing. */
#define STALE_SECONDS ((time_t)12 * 3600)
/* A process holds gc.pid.lock while it writes a line. */
#define LOCK_SECONDS 60
/* Another process of git is waited for so long, and named after the first of
 * them: its gc may take a while, one of another machine may be dead. */
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
	/* Only numbers and bounded words: a line that is none is stale. */
	if (fgets(line, sizeof line, f))
		h->pid = strtoimax(line, &end, 10);
	if (end == line || sscanf(end, "%255s %15s", h->host, word) < 1)
		h->pid = 0;
	h->avogit = str_eq(word, "avogit");
	return true;
}

/* Who holds the store's lock knows that no other avogit is at work here. */
static bool is_live(const struct holder *h)
{
	char host[HOST_MAX] = "";

	if (h->pid <= 0 || h->age > STALE_SECONDS)
		return false;
	gethostname(host, sizeof host - 1);
	if (!str_eq(host, h->host))
		return true;
	return !h->avogit && (kill((pid_t)h->pid, 0) == 0 || errno == EPERM);
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

static void clear_old_lock(const char *lock)
{
	struct stat st;

	if (lstat(lock, &st) == 0 && time(NULL) - st.st_mtime > LOCK_SECONDS)
		unlink(lock);
}

/* *out -1 where another process has it right now. */
static struct error *try_lock(int *out, const char *lock)
{
	*out = open(lock, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    0666);
	if (*out >= 0)
		return NULL;
	if (errno != EEXIST)
		return error_errno("cannot write %s", lock);
	clear_old_lock(lock);
	return NULL;
}

static struct error *write_holder(int fd, const char *lock, const char *path)
{
	char host[HOST_MAX] = "", line[HOST_MAX + 64];
	struct error *err;

	gethostname(host, sizeof host - 1);
	snprintf(line, sizeof line, "%ld %s avogit\n", (long)getpid(), host);
	err = write_all(fd, line, strlen(line));
	if (!err && rename(lock, path) < 0)
		err = error_errno("cannot write %s", path);
	if (err)
		unlink(lock);
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
		cleanup_fd int fd = -1;

		TRY(try_lock(&fd, lock));
		if (fd >= 0 && (!read_holder(&h, path) || !is_live(&h)))
			return write_holder(fd, lock, path);
		if (fd >= 0)
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
	struct holder h;

	return read_holder(&h, path) && !is_live(&h) && unlink(path) == 0;
}
