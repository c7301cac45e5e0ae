/* avogit import: a kernel repository of a problem in a benchmark's form. */
#include <ctype.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/import/definition.h"
#include "cmd/import/kernelbench.h"
#include "cmd/import/problem_folder.h"
#include "cmd/import/space.h"
#include "cmd/ui/out.h"
#include "core/base/file.h"
#include "core/task/task.h"

#define TASK_NAME 40

struct import_options {
	const char *output;
	const char *device;
	const char *values;
	bool force;
	bool weak;
};

static const struct opt options[] = {
	OPT(struct import_options, output, "output", 'o', "FOLDER",
	    "where the files go (the problem's name; a space: stdout)"),
	OPT(struct import_options, force, "force", 'f', NULL,
	    "overwrite files that are there"),
	OPT_WORDS(struct import_options, device, "device", 0, "cpu|cuda",
		  "cpu cuda", "what the task is for (cpu)"),
	OPT(struct import_options, values, "values", 0, "NAME=N[,N] ...",
	    "flashinfer: sizes of axes, numbers and ranges (LOW..HIGH)"),
	OPT(struct import_options, weak, "weak", 0, NULL,
	    "import a problem whose own check is blind, though avogit's is "
	    "not"),
	OPT_END,
};

static struct error *read_device(bool *cuda, const char *device)
{
	*cuda = device && str_eq(device, "cuda");
	return !device || *cuda || str_eq(device, "cpu")
		       ? NULL
		       : error_new(ERROR_USAGE,
				   "import: --device %s: it is cpu or cuda",
				   device);
}

/* The forms that a problem may have. */
enum form {
	FORM_KERNELBENCH,
	FORM_FLASHINFER,
	FORM_FOLDER,
	FORM_SPACE,
	FORM_COUNT
};

static const struct {
	const char *word;
	const char *end; /* of the file's name; NULL: it is a folder */
	const char *what;
	size_t operands; /* at most, its word among them */
} forms[FORM_COUNT] = {
	[FORM_KERNELBENCH] = {"kernelbench", ".py",
			      "a file in Python (NAME.py)", 2},
	[FORM_FLASHINFER] = {"flashinfer", ".json", "a Definition (NAME.json)",
			     3},
	[FORM_FOLDER] = {"problem", NULL, NULL, 2},
	[FORM_SPACE] = {"t1", ".json", "a space (NAME.json)", 3},
};

static struct error *read_operands(enum form *out,
				   const struct strvec *operands)
{
	for (int f = 0; f < FORM_COUNT; f++) {
		if (!str_eq(operands->v[0], forms[f].word) ||
		    operands->n > forms[f].operands)
			continue;
		*out = (enum form)f;
		if (!forms[f].end || ends_with(operands->v[1], forms[f].end))
			return NULL;
		return error_new(ERROR_USAGE, "import: %s is not %s",
				 operands->v[1], forms[f].what);
	}
	return error_new(ERROR_USAGE,
			 "import: '%s' is not a form that avogit knows: "
			 "kernelbench FILE.py, flashinfer DEFINITION.json "
			 "[WORKLOADS.jsonl], problem FOLDER, or t1 SPACE.json "
			 "[SOURCE]",
			 operands->n > 2 ? operands->v[2] : operands->v[0]);
}

/* "19_ReLU" of "problems/19_ReLU.py", or of "problems/19_ReLU/"; what a task's name
 * may not have becomes "_". free() disposes. */
static char *name_of(const char *path, bool is_folder)
{
	cleanup_free char *whole = xstrdup(path);
	size_t len = strlen(whole);
	const char *file;
	char *name;

	while (len > 1 && whole[len - 1] == '/')
		whole[--len] = '\0';
	file = strrchr(whole, '/') ? strrchr(whole, '/') + 1 : whole;
	len = is_folder ? strlen(file) : (size_t)(strrchr(file, '.') - file);
	name = xstrndup(file, MIN(len, (size_t)TASK_NAME));
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
			*c = '_';
	if (!isalnum((unsigned char)*name)) {
		char *with = xasprintf("problem%.30s", name);

		free(name);
		return with;
	}
	return name;
}

/* ---- where it is weak ------------------------------------------------------- */

/* Is there something that keeps it from being a task? */
static bool say_weaknesses(const struct problem *p, const char *path, bool weak,
			   const char *own_rule)
{
	bool refused = false;

	for (size_t i = 0; i < p->n_weak; i++) {
		cleanup_buf struct buf words = BUF_INIT(BUF_LIMIT_TEXT);
		enum weakness_kind kind = p->weak[i].kind;

		if (kind < WEAK_OF_CHECK && !problem_is_refused(p, kind))
			continue;
		weakness_words(&words, &p->weak[i], own_rule);
		fprintf(stderr, "avogit: %s is weak: %s\n", path, words.data);
		refused |= kind < WEAK_OF_CHECK || !weak;
	}
	return refused;
}

static void say_refused(const struct problem *p)
{
	for (size_t i = 0; i < p->n_weak; i++)
		if (problem_is_refused(p, p->weak[i].kind)) {
			fputs("avogit: nothing was written: no task can be "
			      "made of it\n",
			      stderr);
			return;
		}
	fputs("avogit: nothing was written: --weak imports it, since avogit "
	      "judges by its own inputs and\nits own rule\n",
	      stderr);
}

/* ---- files ------------------------------------------------------------------ */

struct imported {
	const char *path; /* of the problem, as on the command line */
	char *folder, *name;
	enum form form;
	struct buf text;		      /* of the problem */
	struct bench_definition definition;   /* of its form; or empty */
	struct problem_folder problem_folder; /* of its form; or empty */
	struct problem problem;
	bool cuda;
	struct buf task, candidate, reference;
};

static void imported_release(struct imported *m)
{
	free(m->folder);
	free(m->name);
	buf_release(&m->text);
	if (m->form == FORM_FLASHINFER)
		definition_release(&m->definition);
	if (m->form == FORM_FOLDER)
		problem_folder_release(&m->problem_folder);
	buf_release(&m->task);
	buf_release(&m->candidate);
	buf_release(&m->reference);
}
DEFINE_RELEASE(imported, struct imported, imported_release)
#define cleanup_imported CLEANUP(imported)

static const struct {
	const char *name;
	size_t text; /* in struct imported */
} files[] = {
	{KERNELBENCH_TASK, offsetof(struct imported, task)},
	{KERNELBENCH_CANDIDATE, offsetof(struct imported, candidate)},
	{KERNELBENCH_EAGER, offsetof(struct imported, candidate)},
	{KERNELBENCH_REFERENCE, offsetof(struct imported, reference)},
};

/* A problem's own reference.py would be lost. */
static struct error *refuse_own_folder(const struct imported *m)
{
	struct stat from, to;

	return stat(m->path, &from) == 0 && stat(m->folder, &to) == 0 &&
			       from.st_dev == to.st_dev &&
			       from.st_ino == to.st_ino
		       ? error_new(ERROR_REFUSED,
				   "%s is the problem's own folder: -o FOLDER "
				   "writes elsewhere",
				   m->folder)
		       : NULL;
}

/* Looks at all before it writes one. */
static struct error *refuse_existing(const struct imported *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		cleanup_free char *path =
			xasprintf("%s/%s", m->folder, files[i].name);

		if (file_exists(path))
			return error_new(ERROR_REFUSED,
					 "%s is there already: --force "
					 "overwrites it, -o FOLDER writes "
					 "elsewhere",
					 path);
	}
	return NULL;
}

static struct error *write_files(const struct imported *m)
{
	TRY(dir_make(m->folder));
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		cleanup_free char *path =
			xasprintf("%s/%s", m->folder, files[i].name);
		const struct buf *text =
			(const void *)((const char *)m + files[i].text);

		TRY(file_write_atomic(path, text->data, text->len));
		printf("wrote %s\n", path);
	}
	return NULL;
}

/* What was written is a task, whatever the problem said. */
static struct error *check_task(const struct imported *m)
{
	cleanup_task struct task *task = NULL;

	return error_wrap(task_parse(&task, KERNELBENCH_TASK, m->task.data,
				     m->task.len),
			  "%s: what it says makes no task", m->path);
}

static void say_next(const struct imported *m)
{
	cleanup_buf struct buf folder = BUF_INIT(BUF_LIMIT_TEXT);
	const struct problem *p = &m->problem;

	if (p->state_left)
		printf("the model has %lld tensors of its own, which are too "
		       "many for arguments: they stay in\nthe model, the same "
		       "in every launch\n",
		       (long long)p->state_left);
	for (size_t i = 0; i < p->n_masks; i++)
		printf("`%s` of the model holds two values, as a mask does: it "
		       "stays in the model, the same in\nevery launch\n",
		       p->mask[i]);
	out_shell_word(&folder, m->folder);
	printf("\nthen commit them (`git init` makes a repository) and see "
	       "what the problem's own code is worth:\n"
	       "  cd %s\n"
	       "  git add .\n"
	       "  git commit -m 'a task for avogit'\n"
	       "  avogit score\n"
	       "  avogit evolve\n",
	       folder.data);
}

/* Where the task has the folder's form, a remark is a line of it and of the output. */
static void make_task(struct imported *m)
{
	const char *slash = strrchr(m->path, '/');
	bool is_folder = m->form == FORM_FOLDER;
	const struct kernelbench_heading h = {
		.name = m->name,
		.form = forms[m->form].word,
		.from = slash && slash[1] ? slash + 1 : m->path,
		.cuda = m->cuda,
		.suite = m->form == FORM_KERNELBENCH && !m->cuda,
		.remarks = is_folder ? &m->problem_folder.not_taken : NULL};

	kernelbench_task(&m->task, &m->problem, &h);
	for (size_t i = 0; h.remarks && i < h.remarks->n; i++)
		printf("not taken: %s\n", h.remarks->v[i]);
	if (m->problem.cases_left)
		printf("SHAPES has %lld more: the first %d are the cases\n",
		       (long long)m->problem.cases_left, PROBLEM_CASES);
}

static struct error *make_files(struct imported *m)
{
	make_task(m);
	kernelbench_candidate(&m->candidate, &m->problem, &m->text, m->cuda);
	kernelbench_reference(&m->reference, &m->problem, &m->text);
	return check_task(m);
}

static struct error *read_definition(struct imported *m,
				     const struct strvec *operands,
				     const char *values)
{
	TRY(definition_read(&m->definition, m->path,
			    operands->n > 2 ? operands->v[2] : NULL, values));
	if (m->definition.left_out)
		printf("%zu Workloads have other sizes: the first %d sizes are "
		       "the cases\n",
		       m->definition.left_out, DEFINITION_CASES);
	return definition_problem(&m->text, &m->definition);
}

static struct error *read_folder(struct imported *m)
{
	const struct buf *reference = &m->problem_folder.reference;

	TRY(problem_folder_read(&m->problem_folder, m->path));
	buf_add(&m->text, reference->data, reference->len);
	if (m->problem_folder.name) {
		free(m->name);
		m->name = name_of(m->problem_folder.name, true);
	}
	return NULL;
}

static struct error *read_text(struct imported *m,
			       const struct strvec *operands,
			       const char *values)
{
	switch (m->form) {
	case FORM_FLASHINFER:
		return read_definition(m, operands, values);
	case FORM_FOLDER:
		return read_folder(m);
	default:
		return file_read(&m->text, m->path);
	}
}

static struct error *apply_form(struct imported *m)
{
	switch (m->form) {
	case FORM_FLASHINFER:
		return definition_apply(&m->problem, &m->definition);
	case FORM_FOLDER:
		return problem_folder_apply(&m->problem, &m->problem_folder);
	default:
		return NULL;
	}
}

static struct error *run_problem(struct imported *m)
{
	const struct problem_question *question =
		m->form == FORM_FOLDER ? &m->problem_folder.question : NULL;
	cleanup_error struct error *err =
		problem_read(&m->problem, m->path, &m->text, question);
	const char *name = err && m->form == FORM_FLASHINFER
				   ? definition_any_integers(&m->definition)
				   : NULL;

	if (!name || !strstr(error_message(err), "Error: "))
		return steal(&err);
	return error_new(ERROR_TASK,
			 "%s: import draws `%s` as any numbers, since a "
			 "Definition says no range: give that of indices by "
			 "--values '%s=LOW..HIGH' (what has to be sorted it "
			 "cannot draw)",
			 error_message(err), name, name);
}

static struct error *import_problem(enum exit_code *code, struct imported *m,
				    const struct import_options *o)
{
	bool is_folder = m->form == FORM_FOLDER;

	TRY(refuse_own_folder(m));
	if (!o->force)
		TRY(refuse_existing(m));
	TRY(run_problem(m));
	if (is_folder)
		problem_folder_tolerance(&m->problem, &m->problem_folder);
	if (say_weaknesses(&m->problem, m->path, o->weak,
			   is_folder ? problem_folder_rule() : NULL)) {
		say_refused(&m->problem);
		*code = CODE_NO;
		return NULL;
	}
	TRY(apply_form(m));
	TRY(make_files(m));
	TRY(write_files(m));
	say_next(m);
	return NULL;
}

static struct error *import_space(const struct import_options *o,
				  const struct strvec *operands)
{
	const struct space_request request = {
		.space = operands->v[1],
		.source = operands->n > 2 ? operands->v[2] : NULL,
		.output = o->output,
		.force = o->force,
	};

	if (o->device || o->weak)
		return error_new(ERROR_USAGE,
				 "import: a space goes with no --device and no "
				 "--weak");
	return space_import(&request);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	struct import_options o = {0};
	cleanup_imported struct imported m = {
		.text = BUF_INIT(PROBLEM_LIMIT),
		.task = BUF_INIT(BUF_LIMIT_TEXT),
		.candidate = BUF_INIT(2 * PROBLEM_LIMIT),
		.reference = BUF_INIT(2 * PROBLEM_LIMIT)};

	TRY(command_parse(self, &o, &operands, argv));
	TRY(read_operands(&m.form, &operands));
	if (o.values && (m.form != FORM_FLASHINFER || operands.n > 2))
		return error_new(ERROR_USAGE,
				 "import: --values stands for the file of "
				 "Workloads of a Definition: it goes with "
				 "`flashinfer DEFINITION.json` alone");
	if (m.form == FORM_SPACE)
		return import_space(&o, &operands);
	TRY(read_device(&m.cuda, o.device));
	m.path = operands.v[1];
	m.name = name_of(m.path, m.form == FORM_FOLDER);
	TRY(read_text(&m, &operands, o.values));
	m.folder = xstrdup(o.output ? o.output : m.name);
	return import_problem(code, &m, &o);
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "The problem's own check would accept what is wrong: nothing "
		  "was written."},
	{CODE_YES, NULL},
};

const struct command command_import = {
	.name = "import",
	.operands = "kernelbench FILE.py | flashinfer DEFINITION.json "
		    "[WORKLOADS.jsonl] | problem FOLDER | t1 SPACE.json "
		    "[SOURCE]",
	.summary = "makes a task of a benchmark's problem",
	.about =
		"Makes a folder of a problem in the form of KernelBench "
		"(Model, "
		"get_inputs,\nget_init_inputs): the task, the problem's own "
		"code as the first candidate and as\nthe baseline `eager`, and "
		"as the reference, in double. The problem runs in "
		"the\nsandbox, "
		"on the CPU. Where its own check would accept what is wrong, "
		"import says so\nand writes nothing (exit code 1).\n\n"
		"Of a Definition of FlashInfer-Bench it makes the same: its "
		"reference is the problem,\naxes that vary are the task's "
		"sizes, and Workloads its cases.\n\n"
		"So it does of a folder with problem.yaml, reference.py and "
		"shapes.py: what SHAPES\ngives are the cases, and formulas and "
		"tolerances are those of problem.yaml.\n\n"
		"Of a space in T1, the JSON of the autotuning association, it "
		"makes declarations for\nthe tuner: the source, with them, on "
		"stdout or in the file of -o.",
	.options = options,
	.exits = exits,
	.min_operands = 2,
	.max_operands = 3,
	.run = run,
};
