/* avogit export: a candidate as a package that other projects can use, or a run
 * as results that other tuners read. */
#include "cmd/cmd.h"
#include "cmd/export/source.h"
#include "cmd/export/t1.h"
#include "cmd/export/t4.h"
#include "cmd/session/which_run.h"
#include "cmd/ui/out.h"
#include "core/base/file.h"

#define MAX_T4 ((size_t)256 << 20)

struct export_options {
	const char *as;
	const char *run;
	const char *output;
	const char *t1, *t4;
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

static struct error *check_results(const struct export_options *o, bool has_rev)
{
	if (has_rev || o->as || o->output)
		return error_new(ERROR_USAGE,
				 "export: --t4 writes a whole run into its "
				 "FILE and goes with no REV, --as or -o: "
				 "--run NAME chooses the run");
	if (!o->force && file_exists(o->t4))
		return error_new(ERROR_REFUSED,
				 "export: %s is there already: --force "
				 "replaces it",
				 o->t4);
	return NULL;
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
	cleanup_buf struct buf text = BUF_INIT(MAX_T4);
	cleanup_free char *run = NULL;
	struct t4_count count;

	TRY(check_results(o, has_rev));
	TRY(session_open(&s, NULL));
	TRY(which_run(&run, &s, o->run));
	TRY(t4_write(&text, &count, &s, run));
	TRY(file_write_atomic(o->t4, text.data, text.len));
	say_results(&count, run, o->t4);
	return NULL;
}

/* ---- a space ---------------------------------------------------------------- */

static struct error *check_space(const struct export_options *o, bool has_rev)
{
	if (has_rev || o->as || o->output || o->run || o->t4)
		return error_new(ERROR_USAGE,
				 "export: --t1 writes the space of the task at "
				 "HEAD into its FILE and goes with no REV, "
				 "--as, --run, --t4 or -o");
	if (!o->force && file_exists(o->t1))
		return error_new(ERROR_REFUSED,
				 "export: %s is there already: --force "
				 "replaces it",
				 o->t1);
	return NULL;
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
	TRY(find_form(&form, o.as ? o.as : "header"));
	TRY(session_open(&s.session, NULL));
	TRY(export_read(&s, operands.n ? operands.v[0] : NULL, o.run));
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
		 "declare, in their T1.",
	.options = options,
	.max_operands = 1,
	.run = run,
};
