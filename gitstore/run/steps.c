#include "gitstore/run/steps.h"

#include <errno.h>
#include <unistd.h>

#include "core/base/file.h"
#include "gitstore/git/internal.h"

char *run_step_path(const struct gitstore *g, const char *run)
{
	return xasprintf("%ssteps/%s", g->private_dir, run);
}

static struct error *drop(const char *path)
{
	if (unlink(path) < 0 && errno != ENOENT && errno != ENOTDIR)
		return error_errno("cannot remove %s", path);
	return NULL;
}

struct error *run_step_save(const struct gitstore *g, const char *run,
			    const char *text)
{
	cleanup_free char *path = run_step_path(g, run);
	cleanup_free char *folder = xasprintf("%ssteps", g->private_dir);
	cleanup_buf struct buf all = BUF_INIT(SIZE_MAX / 2);

	TRY(run_name_check(run));
	if (!text)
		return drop(path);
	TRY(dir_make(folder));
	buf_addf(&all, "%s\n%s", g->writer, text);
	return file_write_private(path, all.data, all.len);
}

struct error *run_step_load(struct buf *out, const struct gitstore *g,
			    const char *run)
{
	cleanup_free char *path = run_step_path(g, run);
	cleanup_buf struct buf all = BUF_INIT(out->limit);
	char own[WRITER_LEN + 1] = "";
	size_t len = WRITER_LEN;
	struct error *err;

	TRY(run_name_check(run));
	buf_clear(out);
	err = file_read(&all, path);
	if (error_is(err, ERROR_NOT_FOUND)) {
		error_free(err);
		return NULL;
	}
	TRY(err);
	if (store_writer(own, g) && all.len > len &&
	    memcmp(all.data, own, len) == 0 && all.data[len] == '\n')
		buf_add(out, all.data + len + 1, all.len - len - 1);
	return NULL;
}
