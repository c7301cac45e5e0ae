/*
 * Logs that are being written: files in <git dir>/avogit/logs/RUN/, which are
 * there after a kill -9 too. The folder belongs to who holds the run's lock,
 * so whatever lies in it when the first log is opened is of a process that is
 * gone. After that several may be open at a time.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gitstore/git/internal.h"
#include "gitstore/run/logs.h"

char *run_log_folder(const struct gitstore *g, const char *run)
{
	return xasprintf("%slogs/%s", g->private_dir, run);
}

/* The folder, made where it is not there; a link is not followed. */
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
