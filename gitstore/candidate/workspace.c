/*
 * Workspaces: folders under <git dir>/avogit/ws/ with the files that a build
 * needs and no .git. Each is locked (flock on the folder) while it is in use.
 * So one that a killed process left is distinguished from one in use.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/file.h"
#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"

struct workspaces {
	struct gitstore *g;
	char *root;
	char *place; /* workspaces_place; NULL: below root */
	bool chosen;
	struct {
		char *dir;
		int fd; /* holds the lock */
	} * open;
	size_t n, cap;
};

/* A locked descriptor of the folder; -1 if another process has the lock. */
int workspace_lock(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Removes workspaces that killed processes left. */
static struct error *sweep(size_t *swept, const char *root)
{
	DIR *d = opendir(root);
	struct error *err = NULL;

	*swept = 0;
	for (struct dirent *e; d && !err && (e = readdir(d));) {
		cleanup_free char *dir = NULL;
		cleanup_fd int fd = -1;

		if (*e->d_name == '.')
			continue;
		dir = xasprintf("%s/%s", root, e->d_name);
		fd = workspace_lock(dir);
		if (fd < 0)
			continue;
		err = dir_remove(dir);
		*swept += !err;
	}
	if (d)
		closedir(d);
	return error_wrap(err, "cannot remove an old workspace");
}

struct error *workspaces_sweep(size_t *swept, struct gitstore *g)
{
	cleanup_store_lock struct gitstore *held = NULL;
	cleanup_free char *root = xasprintf("%sws", g->private_dir);

	TRY(store_lock(&held, g));
	TRY(sweep(swept, root));
	return placed_sweep(swept, g);
}

void workspaces_place(struct workspaces *ws, const char *place, bool chosen)
{
	free(ws->place);
	ws->place = xstrdup(place);
	ws->chosen = chosen;
}

struct error *workspaces_new(struct workspaces **out, struct gitstore *g)
{
	struct workspaces *ws = xcalloc(1, sizeof *ws);

	ws->g = g;
	ws->root = xasprintf("%sws", g->private_dir);
	*out = ws;
	return NULL;
}

static struct error *make_locked(char **dir, int *fd, struct workspaces *ws)
{
	cleanup_store_lock struct gitstore *held = NULL;
	size_t swept;

	/* Keeps other processes from sweeping between making and locking. */
	TRY(store_lock(&held, ws->g));
	TRY(dir_make(ws->root));
	TRY(sweep(&swept, ws->root));
	if (ws->place)
		TRY(placed_make(dir, ws->g, ws->place, ws->chosen));
	else
		TRY(dir_make_temp(dir, ws->root, "w"));
	*fd = workspace_lock(*dir);
	return *fd >= 0 ? NULL : error_errno("cannot open %s", *dir);
}

static struct error *remove_dir(struct workspaces *ws, const char *dir)
{
	cleanup_store_lock struct gitstore *held = NULL;

	if (!ws->place)
		return dir_remove(dir);
	TRY(store_lock(&held, ws->g));
	placed_remove(ws->g, dir);
	return NULL;
}

static void forget(struct workspaces *ws, size_t i)
{
	struct error *err = remove_dir(ws, ws->open[i].dir);

	/* The next process that opens a workspace sweeps what remains. */
	error_free(err);
	close(ws->open[i].fd);
	free(ws->open[i].dir);
	ws->open[i] = ws->open[--ws->n];
}

struct error *workspaces_open(char **dir, struct workspaces *ws,
			      const struct fileset *files)
{
	struct error *err;
	char *made = NULL;
	int fd = -1;

	err = make_locked(&made, &fd, ws);
	if (fd >= 0) {
		GROW(ws->open, ws->n, ws->cap);
		ws->open[ws->n].dir = made;
		ws->open[ws->n++].fd = fd;
		err = fileset_write(files, made);
	}
	if (err && fd >= 0)
		forget(ws, ws->n - 1);
	else if (err)
		free(made);
	if (err)
		return error_wrap(err, "cannot make a workspace");
	*dir = xstrdup(made);
	return NULL;
}

void workspaces_close(struct workspaces *ws, const char *dir)
{
	for (size_t i = 0; i < ws->n; i++)
		if (str_eq(ws->open[i].dir, dir)) {
			forget(ws, i);
			return;
		}
}

void workspaces_free(struct workspaces *ws)
{
	if (!ws)
		return;
	while (ws->n)
		forget(ws, 0);
	free(ws->open);
	free(ws->root);
	free(ws->place);
	free(ws);
}
