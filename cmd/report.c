/* avogit report: what a run came to, as one file. */
#include "cmd/cmd.h"
#include "cmd/report/run_story.h"
#include "cmd/session/which_run.h"
#include "cmd/ui/out.h"
#include "core/base/file.h"

#define MAX_REPORT ((size_t)256 << 20)

struct report_options {
	const char *run, *output, *format, *on;
	bool logs;
};

static const struct opt options[] = {
	OPT(struct report_options, run, "run", 'r', "NAME",
	    "of this run (the task's), as RUN"),
	OPT(struct report_options, output, "output", 'o', "FILE",
	    "the file to write (stdout)"),
	OPT(struct report_options, on, "on", 0, "KIND",
	    "of what this kind of machine measured: its id, or a part of its "
	    "name"),
	OPT(struct report_options, logs, "logs", 0, NULL,
	    "with the text of the run's logs (they may be private)"),
	OPT_WORDS(struct report_options, format, "format", 0, "FORM",
		  "html md json svg", "html, md, json or svg (html)"),
	OPT_END,
};

static struct error *make(struct buf *out, const struct run_story *s,
			  const char *format)
{
	if (str_eq(format, "html"))
		return run_story_page(out, s);
	if (str_eq(format, "md")) {
		run_story_markdown(out, s);
	} else if (str_eq(format, "svg")) {
		run_story_svg(out, s, AXIS_ATTEMPTS);
	} else {
		cleanup_json struct json *j = run_story_json(s);
		cleanup_free char *text = json_print(j);

		buf_addf(out, "%s\n", text);
	}
	return NULL;
}

static struct error *check_format(const char *format)
{
	static const char *const formats[] = {"html", "md", "json", "svg"};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (str_eq(format, formats[i]))
			return NULL;
	return error_new(ERROR_USAGE,
			 "report: '%s' is not a form: --format takes html, md, "
			 "json or svg",
			 format);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	struct report_options o = {.format = "html"};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_run_story struct run_story s = {.n_steps = 0};
	cleanup_buf struct buf text = BUF_INIT(MAX_REPORT);
	const char *wanted;

	(void)code;
	TRY(command_parse(self, &o, &operands, argv));
	TRY(check_format(o.format));
	TRY(which_run_named(&wanted, "report", &operands, o.run));
	TRY(run_story_read(&s, wanted, o.on));
	s.with_logs = o.logs;
	TRY(make(&text, &s, o.format));
	if (o.output)
		return file_write_atomic(o.output, text.data, text.len);
	fwrite(text.data, 1, text.len, stdout);
	return NULL;
}

const struct command command_report = {
	.name = "report",
	.operands = "[RUN]",
	.summary = "writes what a run came to as one HTML file",
	.about = "Writes one file that needs nothing else: the trajectory, the "
		 "tree of attempts, the\nsteps to the champion with their "
		 "diffs, its figures for each case, what failed, cost,\n"
		 "environment and caveats. It loads nothing from a network "
		 "(docs/report.md).\n"
		 "Transcripts and other logs of the run can be read in it with "
		 "--logs.\n"
		 "--format md is for a pull request, json for programs, svg "
		 "the trajectory alone.",
	.options = options,
	.max_operands = 1,
	.run = run,
};
