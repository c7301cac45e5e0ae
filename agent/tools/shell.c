/*
 * Runs a command in the sandbox, on a copy of the workspace. Afterwards the
 * sandbox writes its folder as an archive into a file descriptor that it was
 * given. The archive is untrusted: only regular files that are the task's
 * sources are taken from it.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/tools/tar.h"
#include "agent/tools/internal.h"
#include "core/sandbox/sandbox.h"

#define TIMEOUT	      60
#define TIMEOUT_MAX   600
#define ARCHIVE_BYTES ((size_t)96 << 20)
#define COMMAND_MAX   32768
#define ARCHIVE_FD    3

/* If its folder is read-only, the command works in a copy. The archive is
 * written whatever the command's exit code is. */
static const char script[] =
	"if ! [ -w . ]; then cp -R . \"$TMPDIR/box\" && cd \"$TMPDIR/box\" "
	"|| exit 125; fi\n"
	"here=$PWD\n"
	"( exec 3>&-; eval \"$1\" ) 2>&1\n"
	"code=$?\n"
	"cd \"$here\" && tar --format=ustar -cf - . 2>/dev/null >&3\n"
	"exit $code\n";

static struct error *add_file(struct fileset *out, const char *dir,
			      const struct folder_item *item)
{
	cleanup_buf struct buf data = BUF_INIT(FILESET_MAX_BYTES);
	struct error *err = folder_read(&data, dir, item->path);

	if (error_is(err, ERROR_NOT_FOUND)) { /* removed meanwhile */
		error_free(err);
		return NULL;
	}
	TRY(err);
	return fileset_put(out, item->path, data.data, data.len,
			   item->mode & S_IXUSR);
}

/* Reads all regular files except avogit's own output folder. */
static struct error *read_workspace(struct fileset *out, const char *dir)
{
	cleanup_folder_list struct folder_list l = {0};

	TRY(folder_list(&l, dir, ""));
	for (size_t i = 0; i < l.n; i++)
		if (S_ISREG(l.item[i].mode) &&
		    !starts_with(l.item[i].path, TOOL_FOLDER "/"))
			TRY(add_file(out, dir, &l.item[i]));
	return NULL;
}

static struct error *run(struct process_result *r, int *archive_fd,
			 const struct toolbox *b, const struct fileset *files,
			 const char *command, double seconds)
{
	const char *const argv[] = {"sh", "-c", script, "sh", command, NULL};
	struct sandbox_spec spec = {
		.profile = SANDBOX_BUILD,
		.argv = argv,
		.files = files,
		.limits = {.wall_seconds = seconds,
			   .memory_bytes = (uint64_t)8 << 30,
			   .file_bytes = ARCHIVE_BYTES,
			   .processes = 256,
			   .open_files = 1024},
		.n_inherit = 1,
	};
	cleanup_fd int fd = memfd_create("archive", MFD_CLOEXEC);
	struct error *err;

	if (fd < 0)
		return error_errno("memfd");
	spec.inherit[0].fd = fd;
	spec.inherit[0].child_fd = ARCHIVE_FD;
	if (b->v->allowance)
		spec.stop_now = b->v->allowance->stop_now;
	variation_at_rest(b->v, true);
	err = sandbox_run(r, b->v->sandbox, &spec, TOOL_WHOLE_MAX);
	variation_at_rest(b->v, false);
	TRY(err);
	*archive_fd = steal_fd(&fd);
	return NULL;
}

static struct error *read_archive(struct fileset *out, int fd,
				  const struct toolbox *b)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_free char *data = NULL;
	struct stat st;
	size_t len;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return error_errno("memfd");
	len = (size_t)MAX(st.st_size, 0);
	if (len > ARCHIVE_BYTES)
		return error_new(ERROR_TOO_BIG, "they are over %zu MiB",
				 ARCHIVE_BYTES >> 20);
	data = xcalloc(len + 1, 1);
	n = pread(fd, data, len, 0);
	if (n < 0)
		return error_errno("memfd");
	task_source_patterns(&patterns, b->v->task);
	return tar_read(out, data, (size_t)n, &patterns);
}

static bool same_file(const struct file_entry *a, const struct file_entry *b)
{
	return a && b && a->len == b->len &&
	       memcmp(a->data, b->data, a->len) == 0;
}

static struct error *take_back(struct tool_reply *out, struct toolbox *b,
			       const struct fileset *before,
			       const struct fileset *after)
{
	for (size_t i = 0; i < after->n; i++) {
		const struct file_entry *f = &after->file[i];

		if (same_file(f, fileset_get(before, f->path)))
			continue;
		TRY(folder_write(b->dir, f->path, f->data, f->len,
				 f->executable));
		buf_addf(&out->text, "[changed: %s]\n", f->path);
	}
	for (size_t i = 0; i < before->n; i++) {
		const char *path = before->file[i].path;

		if (!tool_is_source(b, path) || fileset_get(after, path))
			continue;
		TRY(folder_remove(b->dir, path));
		buf_addf(&out->text, "[removed: %s]\n", path);
	}
	return NULL;
}

static void add_end(struct tool_reply *out, const struct process_result *r,
		    double seconds)
{
	buf_add(&out->text, r->output.data, r->output.len);
	if (r->output.len && r->output.data[r->output.len - 1] != '\n')
		buf_addc(&out->text, '\n');
	if (r->timed_out)
		buf_addf(&out->text, "[ended: it took longer than %.0f s]\n",
			 seconds);
	else if (r->signal)
		buf_addf(&out->text, "[ended by signal %d]\n", r->signal);
	else if (r->exit_code)
		buf_addf(&out->text, "[exit code %d]\n", r->exit_code);
	else if (!r->output.len)
		buf_adds(&out->text, "[it succeeded and said nothing]\n");
	out->failed = r->timed_out || r->signal || r->exit_code;
}

/* An unusable archive is reported, and the workspace stays as it was. */
static struct error *take(struct tool_reply *out, struct toolbox *b,
			  const struct fileset *before, int archive_fd)
{
	cleanup_fileset struct fileset after = FILESET_INIT;
	struct error *err = read_archive(&after, archive_fd, b);

	if (!err)
		return take_back(out, b, before, &after);
	if (!error_is(err, ERROR_MALFORMED) && !error_is(err, ERROR_TOO_BIG))
		return err;
	buf_addf(&out->text,
		 "[changes of the sources were not taken back: "
		 "%s]\n",
		 error_message(err));
	error_free(err);
	return NULL;
}

static struct error *shell(struct tool_reply *out, struct toolbox *b,
			   const char *command, double seconds)
{
	cleanup_process_result struct process_result r = {0};
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_fd int archive_fd = -1;

	buf_init(&r.output, 0);
	TRY(read_workspace(&files, b->dir));
	TRY(run(&r, &archive_fd, b, &files, command, seconds));
	add_end(out, &r, seconds);
	if (r.timed_out || r.signal) {
		buf_adds(&out->text, "[the workspace is as it was]\n");
		return NULL;
	}
	return take(out, b, &files, archive_fd);
}

TOOL_FUNCTION(tool_shell)
{
	const char *command = tool_string(arguments, "command");
	int64_t seconds =
		tool_int(arguments, "timeout", TIMEOUT, 1, TIMEOUT_MAX);

	if (!b->v->sandbox) {
		tool_fail(out, "there is no sandbox here to run commands in");
		return NULL;
	}
	if (strlen(command) > COMMAND_MAX) {
		tool_fail(out, "a command is at most %d bytes: write a file",
			  COMMAND_MAX);
		return NULL;
	}
	return tool_mend(out, shell(out, b, command, (double)seconds));
}
