#include "scorer/inspect/sanitizer.h"

#include "core/base/file.h"
#include "core/sandbox/process.h"
#include "scorer/device/gpu.h"
#include "scorer/device/program.h"

#define LOG_LIMIT     ((size_t)1 << 20)
#define LOG_KEPT      ((size_t)16 << 10)
#define OUTPUT_LIMIT  ((size_t)64 << 10)
#define SHOWN	      300
#define FOUND_CODE    86 /* its exit code if it found an error */
#define FOUND_WORD    "86"
#define PRINTED_WORD  "20" /* findings that are written out */
#define LOG_FILE      "log"
#define SHARED_OPTION "--initcheck-address-space"

void sanitizing_release(struct sanitizing *s)
{
	findings_release(&s->found);
	free(s->log);
	s->log = NULL;
}

struct error *sanitizer_find(char **out)
{
	return program_find(out, "compute-sanitizer",
			    "AVOGIT_COMPUTE_SANITIZER");
}

/* ---- asking it ----------------------------------------------------------- */

/* The replay looks up kernels in several modules, so a driver call that returns
 * an error is not a finding. */
static void make_words(struct strvec *argv, const char *sanitizer,
		       enum sanitizer_tool tool, bool shared,
		       const char *const *program, const char *log)
{
	strvec_pushl(argv, sanitizer, "--tool", sanitizer_name(tool),
		     "--error-exitcode", FOUND_WORD, "--print-limit",
		     PRINTED_WORD, "--report-api-errors", "no",
		     "--target-processes", "application-only", "--log-file",
		     log, NULL);
	if (tool == SANITIZER_INITCHECK && shared)
		strvec_pushl(argv, SHARED_OPTION, "all", NULL);
	for (size_t i = 0; program[i]; i++)
		strvec_push(argv, program[i]);
}

static struct error *ask(struct process_result *out, const struct strvec *words,
			 const char *folder, double seconds,
			 const struct gpu *gpu)
{
	cleanup_strvec struct strvec env = STRVEC_INIT;
	struct process_spec spec = {
		.argv = (const char *const *)words->v,
		.dir = folder,
		.limits = {.wall_seconds = seconds},
		.die_with_parent = true,
	};

	strvec_pushl(&env, "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
		     NULL);
	strvec_pushf(&env, "HOME=%s", folder);
	strvec_pushf(&env, "TMPDIR=%s", folder);
	gpu_visible(&env, gpu);
	spec.env = (const char *const *)env.v;
	return process_run(out, &spec, OUTPUT_LIMIT);
}

/* ---- what it says -------------------------------------------------------- */

/* The last line that is not empty. */
static char *last_words(const char *text)
{
	const char *line = text;

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len)
			line = text;
		text += len + (text[len] == '\n');
	}
	return xstrndup(line, MIN(strcspn(line, "\n"), (size_t)SHOWN));
}

static void take_trouble(struct findings *f, const struct process_result *r,
			 double seconds)
{
	cleanup_free char *words = last_words(r->output.data);

	if (f->trouble)
		return;
	if (r->timed_out)
		f->trouble =
			xasprintf("it was still at work after %g s", seconds);
	else if (r->signal)
		f->trouble = xasprintf("it ended by signal %d", r->signal);
	else if (!f->complete)
		f->trouble = xasprintf("it ended without a summary%s%s",
				       *words ? ": " : "", words);
	else if (!f->errors && r->exit_code == FOUND_CODE)
		f->trouble = xstrdup("it found something and does not say "
				     "what");
}

static struct error *take_log(struct sanitizing *out, const char *path)
{
	cleanup_buf struct buf text = BUF_INIT(LOG_LIMIT);
	cleanup_error struct error *err = file_read(&text, path);

	if (error_is(err, ERROR_TOO_BIG)) {
		out->found.trouble = xstrdup("its log is larger than 1 MiB");
		out->log = xstrdup("");
		return NULL;
	}
	if (err && !error_is(err, ERROR_NOT_FOUND))
		return error_wrap(steal(&err), "the log of compute-sanitizer");
	findings_parse(&out->found, text.data, text.len);
	out->log = xstrndup(text.data, MIN(text.len, LOG_KEPT));
	return NULL;
}

static struct error *run_once(struct sanitizing *out, bool *unknown_option,
			      const char *sanitizer, enum sanitizer_tool tool,
			      bool shared, const char *const *program,
			      const char *folder, double seconds,
			      const struct gpu *gpu)
{
	cleanup_free char *log = xasprintf("%s/%s", folder, LOG_FILE);
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	cleanup_process_result struct process_result r = {0};

	make_words(&argv, sanitizer, tool, shared, program, log);
	TRY(dir_remove(log));
	TRY(ask(&r, &argv, folder, seconds, gpu));
	TRY(take_log(out, log));
	*unknown_option = shared && !out->found.complete && !r.timed_out &&
			  strstr(r.output.data, SHARED_OPTION);
	take_trouble(&out->found, &r, seconds);
	return NULL;
}

struct error *sanitizer_run(struct sanitizing *out, const char *sanitizer,
			    enum sanitizer_tool tool,
			    const char *const *program, const char *folder,
			    double seconds, const struct gpu *gpu)
{
	cleanup_sanitizing struct sanitizing s = {0};
	bool unknown = false;

	TRY(run_once(&s, &unknown, sanitizer, tool, true, program, folder,
		     seconds, gpu));
	if (unknown) {
		sanitizing_release(&s);
		TRY(run_once(&s, &unknown, sanitizer, tool, false, program,
			     folder, seconds, gpu));
	}
	*out = s;
	s = (struct sanitizing){0};
	return NULL;
}
