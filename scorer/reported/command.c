#include "scorer/reported/command.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"

/* The descriptor of the memfd that is the command's standard output. */
#define OUTPUT_FD  9
#define LOG_LIMIT  ((size_t)64 << 10)
#define FILE_BYTES ((uint64_t)1 << 30)
#define PROCESSES  512
#define FILES	   1024

/* The copy may be written to; the task's folder, then the words. */
static const char script[] =
	"mkdir \"$TMPDIR/run\" && cp -R . \"$TMPDIR/run\" && "
	"cd \"$TMPDIR/run\" && mkdir -p \"$1\" && cd \"$1\" && shift && "
	"exec \"$@\" >&9 9>&-";

struct error *reported_files(struct fileset *out, const struct task *task,
			     const struct fileset *candidate,
			     const struct build *built)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_buf struct buf object = BUF_INIT(BUILD_OBJECT_LIMIT);
	cleanup_free char *path = NULL;

	for (size_t i = 0; i < candidate->n; i++) {
		const struct file_entry *f = &candidate->file[i];

		TRY(fileset_put(&files, f->path, f->data, f->len,
				f->executable));
	}
	if (task->project.object) {
		path = task_path(task, task->project.object);
		TRY(file_read_fd(&object, built->object_fd, path));
		TRY(fileset_put(&files, path, object.data, object.len, true));
	}
	*out = files;
	files = (struct fileset)FILESET_INIT;
	return NULL;
}

/* Takes `why`. */
static void say(struct reported *out, enum verdict v, char *why)
{
	reported_release(out);
	out->verdict = v;
	out->why = why;
}

/* The last line of the log that is not empty. free() disposes. */
static char *last_line(const struct buf *log)
{
	size_t end = log->len, begin;

	while (end && strchr(" \t\r\n", log->data[end - 1]))
		end--;
	for (begin = end; begin && log->data[begin - 1] != '\n'; begin--)
		;
	return xstrndup(log->data + begin, MIN(end - begin, REPORTED_WHY_MAX));
}

static void judge_end(struct reported *out, const struct task *t,
		      const struct process_result *r)
{
	cleanup_free char *last = last_line(&r->output);

	if (r->timed_out)
		say(out, VERDICT_TIMED_OUT,
		    xasprintf("score.command was still running after %g s",
			      t->timeout_seconds));
	else if (r->signal)
		say(out, VERDICT_CRASHED,
		    xasprintf("score.command was ended by signal %d (%s)",
			      r->signal, strsignal(r->signal)));
	else if (r->exit_code)
		say(out, VERDICT_CRASHED,
		    xasprintf("score.command ended with exit code %d%s%s",
			      r->exit_code, *last ? ": " : "", last));
}

static struct error *judge_output(struct reported *out, int fd)
{
	cleanup_buf struct buf text = BUF_INIT(REPORTED_OUTPUT_MAX);
	cleanup_free char *why = NULL;
	struct stat st;

	if (fstat(fd, &st) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return error_errno("cannot read what score.command printed");
	if (st.st_size > (off_t)REPORTED_OUTPUT_MAX) {
		say(out, VERDICT_WRONG,
		    xasprintf("score.command printed more than %zu KiB",
			      REPORTED_OUTPUT_MAX >> 10));
		return NULL;
	}
	TRY(file_read_fd(&text, fd, "what score.command printed"));
	why = reported_parse(out, text.data, text.len);
	if (why)
		say(out, VERDICT_WRONG,
		    xasprintf("what score.command printed is not a score: %s",
			      why));
	return NULL;
}

static void push_words(struct strvec *argv, const struct task *t)
{
	strvec_pushl(argv, "sh", "-c", script, "sh", NULL);
	strvec_pushf(argv, "./%s", t->prefix);
	strvec_extend(argv, &t->score.command);
}

struct error *reported_run(struct reported *out, char **log, double *seconds,
			   const struct reported_command *c,
			   const struct fileset *files)
{
	const struct task *t = c->task;
	cleanup_process_result struct process_result r = {0};
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	cleanup_fd int fd = memfd_create("score", MFD_CLOEXEC);
	struct sandbox_spec spec = {
		.profile = SANDBOX_BUILD,
		.files = files,
		.limits = {.wall_seconds = t->timeout_seconds,
			   .memory_bytes = t->memory_bytes,
			   .file_bytes = FILE_BYTES,
			   .processes = PROCESSES,
			   .open_files = FILES},
		.folders = (const char *const *)t->score.folders.v,
		.inherit = {{fd, OUTPUT_FD}},
		.n_inherit = 1,
		.network = t->score.network,
		.stop_now = c->stop_now,
	};

	*out = (struct reported){.name = STRVEC_INIT};
	*log = NULL;
	if (fd < 0)
		return error_errno("memfd");
	push_words(&argv, t);
	spec.argv = (const char *const *)argv.v;
	TRY(sandbox_run(&r, c->sandbox, &spec, LOG_LIMIT));
	*seconds += r.seconds;
	judge_end(out, t, &r);
	if (out->verdict == VERDICT_PASS)
		TRY(judge_output(out, fd));
	if (out->verdict != VERDICT_PASS)
		*log = xstrndup(r.output.data ? r.output.data : "",
				r.output.len);
	return NULL;
}
