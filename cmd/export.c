/* avogit export: a candidate as a package that other projects can use, or a run
 * as results that other tuners read. */
#include "cmd/cmd.h"
#include "cmd/export/exported_run.h"
#include "cmd/export/source.h"
#include "cmd/export/t1.h"
#include "cmd/export/t4.h"
#include "cmd/session/which_run.h"
#include "cmd/ui/out.h"
#include "core/base/file.h"

/* Of what is written of a whole run. */
#define MAX_RESULTS ((size_t)256 << 20)

struct export_options {
	const char *as;
	const char *run;
	const char *output;
	const char *t1, *t4;
	const char *trace, *tensorboard, *openmetrics;
	bool force;
};

static const struct opt options[] = {
	OPT_WORDS(struct export_options, as, "as", 0, "FORM",
		  "header torch flashinfer hub",
		  "header, torch, flashinfer or hub (header)"),
	OPT(struct export_options, run, "run", 'r', "NAME",
	    "the champion of this run (the task's)"),
	OPT(struct export_options, output, "output", 'o', "DIR",
	    "the folder to make (avogit_TASK-FORM)"),
	OPT(struct export_options, t1, "t1", 0, "FILE",
	    "the space of the task's tunables for other tuners, and no "
	    "package"),
	OPT(struct export_options, t4, "t4", 0, "FILE",
	    "the run's results for other tuners, and no package"),
	OPT(struct export_options, trace, "trace", 0, "FILE",
	    "the run's attempts, a line of JSON each, and no package"),
	OPT(struct export_options, tensorboard, "tensorboard", 0, "DIR",
	    "the run as an event file of TensorBoard, in a folder of DIR, and "
	    "no package"),
	OPT(struct export_options, openmetrics, "openmetrics", 0, "FILE",
	    "what the run is now as OpenMetrics, and no package"),
	OPT(struct export_options, force, "force", 'f', NULL,
	    "replace an export that is there"),
	OPT_END,
};

static const struct export_form {
	const char *name;
	struct error *(*make)(struct export_source *s);
} forms[] = {
	{"header", export_header},
	{"torch", export_torch},
	{"flashinfer", export_flashinfer},
	{"hub", export_hub},
};

/* Python is not compiled, which is what the other forms are about. */
static struct error *check_language(const struct export_source *s,
				    const struct export_form *form)
{
	if (!s->task->python || form->make == export_torch ||
	    form->make == export_flashinfer)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "export: a kernel in Python cannot be exported as "
			 "%s: use --as torch or flashinfer",
			 form->name);
}

static struct error *find_form(size_t *out, const char *name)
{
	cleanup_buf struct buf list = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (str_eq(forms[i].name, name)) {
			*out = i;
			return NULL;
		}
		buf_addf(&list, "%s%s", i ? ", " : "", forms[i].name);
	}
	return error_new(ERROR_USAGE,
			 "export: '%s' is not a form: --as takes %s", name,
			 list.data);
}

static void say(const struct export_source *s, const char *dir,
		const char *form)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);
	char id[COMMIT_ID_LEN + 1];

	gitstore_abbreviate(id, s->session.git, s->pick.of.hex);
	out_clean_line(&clean, dir);
	printf("exported %s as %s: %s/README.md says how it is used\n", id,
	       form, clean.data);
	if (!s->licence_file && !s->licence)
		puts("  the repository has no LICENSE file: the export says "
		     "that none is stated");
}

/* ---- results ------------------------------------------------------------- */

static struct error *check_alone(const struct export_options *o, bool has_rev)
{
	const struct {
		const char *name, *value;
	} all[] = {{"--t4", o->t4},
		   {"--trace", o->trace},
		   {"--tensorboard", o->tensorboard},
		   {"--openmetrics", o->openmetrics}};
	const char *option = NULL;
	size_t n = 0;

	for (size_t i = ARRAY_SIZE(all); i-- > 0;)
		if (all[i].value) {
			option = all[i].name;
			n++;
		}
	if (has_rev || o->as || o->output)
		return error_new(ERROR_USAGE,
				 "export: %s writes a whole run and goes with "
				 "no REV, --as or -o: --run NAME chooses the "
				 "run",
				 option);
	if (n > 1)
		return error_new(ERROR_USAGE,
				 "export: one of --t4, --trace, --tensorboard "
				 "and --openmetrics at a time");
	return NULL;
}

static struct error *check_free(const struct export_options *o,
				const char *path)
{
	return o->force ? NULL : out_check_free("export", path);
}

static void say_results(const struct t4_count *count, const char *run,
			const char *file)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&clean, file);
	printf("exported %zu results of the run %s to %s\n", count->written,
	       run, clean.data);
	if (count->other_code)
		printf("  left out: %zu whose code differs from the best in "
		       "more than tunables\n",
		       count->other_code);
	if (count->other_machine)
		printf("  left out: %zu measured on another kind of machine\n",
		       count->other_machine);
	if (count->no_result)
		printf("  left out: %zu without a result\n", count->no_result);
}

static struct error *write_results(const struct export_options *o, bool has_rev)
{
	cleanup_session struct session s = {0};
	cleanup_buf struct buf text = BUF_INIT(MAX_RESULTS);
	cleanup_free char *run = NULL;
	struct t4_count count;

	TRY(check_alone(o, has_rev));
	TRY(check_free(o, o->t4));
	TRY(session_open(&s, NULL));
	TRY(which_run(&run, &s, o->run));
	TRY(t4_write(&text, &count, &s, run));
	TRY(file_write_atomic(o->t4, text.data, text.len));
	say_results(&count, run, o->t4);
	return NULL;
}

/* ---- for those who watch ------------------------------------------------- */

static bool is_stdout(const char *path)
{
	return str_eq(path, "-");
}

static struct error *write_text(const struct exported_run *w,
				const struct buf *text, const char *path)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	if (text->truncated)
		return error_new(ERROR_TOO_BIG,
				 "export: the run %s is larger than %zu MiB",
				 w->run, text->limit >> 20);
	if (is_stdout(path)) {
		fwrite(text->data, 1, text->len, stdout);
		return NULL;
	}
	TRY(file_write_atomic(path, text->data, text->len));
	out_clean_line(&clean, path);
	printf("exported %zu attempt%s of the run %s to %s\n", w->p.n - 1,
	       w->p.n == 2 ? "" : "s", w->run, clean.data);
	return NULL;
}

static struct error *write_trace(const struct export_options *o,
				 const struct exported_run *w, struct buf *text)
{
	if (!is_stdout(o->trace))
		TRY(check_free(o, o->trace));
	TRY(exported_run_lines(text, w));
	return write_text(w, text, o->trace);
}

/* A folder for each run is what TensorBoard takes for a run. Of the same run it
 * is the same file again. */
static struct error *write_events(const struct export_options *o,
				  const struct exported_run *w,
				  struct buf *text)
{
	cleanup_free char *dir = xasprintf("%s/%s", o->tensorboard, w->run);
	cleanup_free char *path =
		xasprintf("%s/events.out.tfevents.%lld.avogit", dir,
			  (long long)(w->p.attempt[0].time_us / 1000000));

	TRY(check_free(o, path));
	TRY(exported_run_tensorboard(text, w));
	TRY(dir_make(dir));
	return write_text(w, text, path);
}

/* Replaces what it wrote before without being told to: a timer calls it. */
static struct error *check_metrics(const struct export_options *o)
{
	static const char mark[] = "# TYPE avogit_";
	cleanup_buf struct buf old = BUF_INIT(MAX_RESULTS);

	if (o->force || is_stdout(o->openmetrics) ||
	    !file_exists(o->openmetrics))
		return NULL;
	TRY(file_read(&old, o->openmetrics));
	if (strncmp(old.data, mark, strlen(mark)) == 0)
		return NULL;
	return check_free(o, o->openmetrics);
}

static struct error *write_metrics(const struct export_options *o,
				   const struct exported_run *w,
				   struct buf *text)
{
	TRY(check_metrics(o));
	TRY(exported_run_openmetrics(text, w));
	return write_text(w, text, o->openmetrics);
}

static struct error *write_watched(const struct export_options *o, bool has_rev)
{
	cleanup_session struct session s = {0};
	cleanup_exported_run struct exported_run w = {0};
	cleanup_buf struct buf text = BUF_INIT(MAX_RESULTS);
	cleanup_free char *run = NULL;

	TRY(check_alone(o, has_rev));
	TRY(session_open(&s, NULL));
	TRY(which_run(&run, &s, o->run));
	TRY(exported_run_read(&w, &s, run));
	if (o->trace)
		return write_trace(o, &w, &text);
	if (o->tensorboard)
		return write_events(o, &w, &text);
	return write_metrics(o, &w, &text);
}

/* ---- a space ---------------------------------------------------------------- */

static struct error *check_space(const struct export_options *o, bool has_rev)
{
	if (has_rev || o->as || o->output || o->run || o->t4 || o->trace ||
	    o->tensorboard || o->openmetrics)
		return error_new(ERROR_USAGE,
				 "export: --t1 writes the space of the task at "
				 "HEAD into its FILE and goes with no REV, "
				 "--as, --run, --t4 or -o");
	return check_free(o, o->t1);
}

static struct error *write_space(const struct export_options *o, bool has_rev)
{
	cleanup_session struct session s = {0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);
	struct commit_id head;
	size_t parameters = 0;

	TRY(check_space(o, has_rev));
	TRY(session_open(&s, NULL));
	TRY(gitstore_resolve(&head, s.git, "HEAD"));
	TRY(session_task(&s, head.hex, NULL));
	TRY(t1_write(&text, &parameters, &s));
	TRY(file_write_atomic(o->t1, text.data, text.len));
	out_clean_line(&clean, o->t1);
	printf("exported %zu tunable%s of the task %s to %s\n", parameters,
	       parameters == 1 ? "" : "s", s.at.task->name, clean.data);
	return NULL;
}

/* ---- the command --------------------------------------------------------- */

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_export_source struct export_source s = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	struct export_options o = {0};
	cleanup_free char *usual = NULL;
	size_t form = 0;

	(void)code;
	TRY(command_parse(self, &o, &operands, argv));
	if (o.t1)
		return write_space(&o, operands.n > 0);
	if (o.t4)
		return write_results(&o, operands.n > 0);
	if (o.trace || o.tensorboard || o.openmetrics)
		return write_watched(&o, operands.n > 0);
	TRY(find_form(&form, o.as ? o.as : "header"));
	TRY(session_open(&s.session, NULL));
	TRY(export_read(&s, operands.n ? operands.v[0] : NULL, o.run));
	TRY(check_language(&s, &forms[form]));
	TRY(forms[form].make(&s));
	TRY(export_put_facts(&s, forms[form].name));
	usual = xasprintf("%s-%s", s.package, forms[form].name);
	if (!o.output)
		o.output = usual;
	TRY(export_write(&s, o.output, o.force));
	say(&s, o.output, forms[form].name);
	return NULL;
}

const struct command command_export = {
	.name = "export",
	.operands = "[REV]",
	.summary = "writes a candidate as a package for other projects",
	.about = "Writes a candidate (the champion without REV) into a folder "
		 "of its own, with what\nthose who use it must know: score, "
		 "machine, commit, licence, and the shapes that it\nwas made "
		 "for and checked at. A candidate that failed is refused.\n\n"
		 "--as header: the sources, a header for C and C++ (CUDA: for "
		 "nvcc too), and the\ncommands that compile them.\n"
		 "--as torch: an operator of PyTorch, with a test "
		 "against the reference.\n"
		 "--as flashinfer: the Definition, Solution and Traces of "
		 "FlashInfer-Bench.\n"
		 "--as hub: a project of the kernel hub of Hugging Face.\n\n"
		 "--t4 FILE: the results of a whole run in the JSON of the "
		 "autotuning association (T4),\nwhich Kernel Tuner and "
		 "others read.\n--t1 FILE: the space that the task's sources "
		 "declare, in their T1.\n"
		 "--trace FILE: a line of JSON an attempt. --tensorboard DIR: "
		 "the same for TensorBoard.\n--openmetrics FILE: what the run "
		 "is now, for Prometheus; called again by a timer it\n"
		 "replaces its own FILE. `-` is stdout.",
	.options = options,
	.max_operands = 1,
	.run = run,
};
