/* avogit import: a kernel repository of a problem in a benchmark's form. */
#include <ctype.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/import/definition.h"
#include "cmd/import/kernelbench.h"
#include "cmd/ui/out.h"
#include "core/base/file.h"
#include "core/task/task.h"

#define TASK_NAME 40

struct import_options {
	const char *output;
	const char *device;
	bool force;
	bool weak;
};

static const struct opt options[] = {
	OPT(struct import_options, output, "output", 'o', "FOLDER",
	    "where the files go (the problem's name)"),
	OPT(struct import_options, force, "force", 'f', NULL,
	    "overwrite files that are there"),
	OPT(struct import_options, device, "device", 0, "cpu|cuda",
	    "what the task is for (cpu)"),
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

static struct error *read_operands(const struct strvec *operands)
{
	if (str_eq(operands->v[0], "flashinfer"))
		return ends_with(operands->v[1], ".json")
			       ? NULL
			       : error_new(ERROR_USAGE,
					   "import: %s is not a Definition "
					   "(NAME.json)",
					   operands->v[1]);
	if (!str_eq(operands->v[0], "kernelbench") || operands->n > 2)
		return error_new(ERROR_USAGE,
				 "import: '%s' is not a form that avogit "
				 "knows: kernelbench FILE.py, or flashinfer "
				 "DEFINITION.json [WORKLOADS.jsonl]",
				 operands->n > 2 ? operands->v[2]
						 : operands->v[0]);
	if (!ends_with(operands->v[1], ".py"))
		return error_new(ERROR_USAGE,
				 "import: %s is not a file in Python (NAME.py)",
				 operands->v[1]);
	return NULL;
}

/* "19_ReLU" of "problems/19_ReLU.py"; what a task's name may not have becomes
 * "_". free() disposes. */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	size_t len = (size_t)(strrchr(file, '.') - file);
	char *name = xstrndup(file, MIN(len, (size_t)TASK_NAME));

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
static bool say_weaknesses(const struct problem *p, const char *path, bool weak)
{
	bool refused = false;

	for (size_t i = 0; i < p->n_weak; i++) {
		cleanup_buf struct buf words = BUF_INIT(BUF_LIMIT_TEXT);
		bool of_check = p->weak[i].kind >= WEAK_OF_CHECK;

		weakness_words(&words, &p->weak[i]);
		fprintf(stderr, "avogit: %s is weak: %s\n", path, words.data);
		refused |= !of_check || !weak;
	}
	return refused;
}

static void say_refused(const struct problem *p)
{
	for (size_t i = 0; i < p->n_weak; i++)
		if (p->weak[i].kind < WEAK_OF_CHECK) {
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
	bool is_definition;
	struct buf text;		    /* of the problem */
	struct bench_definition definition; /* of FlashInfer-Bench; or empty */
	struct problem problem;
	bool cuda;
	struct buf task, candidate, reference;
};

static void imported_release(struct imported *m)
{
	free(m->folder);
	free(m->name);
	buf_release(&m->text);
	if (m->is_definition)
		definition_release(&m->definition);
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

static struct error *make_files(struct imported *m)
{
	const char *slash = strrchr(m->path, '/');

	kernelbench_task(&m->task, &m->problem, m->name,
			 slash ? slash + 1 : m->path, m->cuda);
	kernelbench_candidate(&m->candidate, &m->problem, &m->text, m->cuda);
	kernelbench_reference(&m->reference, &m->problem, &m->text);
	return check_task(m);
}

static struct error *read_text(struct imported *m,
			       const struct strvec *operands)
{
	if (!m->is_definition)
		return file_read(&m->text, m->path);
	TRY(definition_read(&m->definition, m->path,
			    operands->n > 2 ? operands->v[2] : NULL));
	if (m->definition.left_out)
		printf("%zu Workloads have other sizes: the first %d sizes are "
		       "the cases\n",
		       m->definition.left_out, DEFINITION_CASES);
	return definition_problem(&m->text, &m->definition);
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
	TRY(read_operands(&operands));
	TRY(read_device(&m.cuda, o.device));
	m.path = operands.v[1];
	m.name = name_of(m.path);
	m.folder = xstrdup(o.output ? o.output : m.name);
	m.is_definition = str_eq(operands.v[0], "flashinfer");
	TRY(read_text(&m, &operands));
	if (!o.force)
		TRY(refuse_existing(&m));
	TRY(problem_read(&m.problem, m.path, &m.text));
	if (say_weaknesses(&m.problem, m.path, o.weak)) {
		say_refused(&m.problem);
		*code = CODE_NO;
		return NULL;
	}
	if (m.is_definition)
		TRY(definition_apply(&m.problem, &m.definition));
	TRY(make_files(&m));
	TRY(write_files(&m));
	say_next(&m);
	return NULL;
}

const struct command command_import = {
	.name = "import",
	.operands = "kernelbench FILE.py | flashinfer DEFINITION.json "
		    "[WORKLOADS.jsonl]",
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
		"sizes, and Workloads its cases.",
	.options = options,
	.min_operands = 2,
	.max_operands = 3,
	.run = run,
};
