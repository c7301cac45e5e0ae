/* avogit doctor: what this machine has and lacks, with remedies. */
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/doctor/doctor.h"
#include "cmd/session/session.h"
#include "cmd/session/tuning.h"
#include "cmd/ui/out.h"
#include "core/task/hidden.h"
#include "gitstore/gitstore.h"
#include "gitstore/journal/restore.h"
#include "gitstore/sync/repair.h"
#include "scorer/build/build.h"
#include "scorer/device/gpu.h"
#include "scorer/device/toolkit.h"

/* ---- runs ---------------------------------------------------------------- */

/* Examines the runs of a repository and reports those that cannot be read. */

/* session_open has already reported the journals that came back. */
static void examine_tips(struct diagnosis *d, struct gitstore *g)
{
	cleanup_tips_mended struct tips_mended m = {.back = STRVEC_INIT};
	cleanup_error struct error *err = tips_mend(&m, g);

	for (size_t i = 0; !err && i < m.gone.n; i++)
		diagnosis_add(d, STATE_WARN, "runs",
			      xasprintf("a journal is gone, and so is what it "
					"led to: %s",
					m.gone.v[i]),
			      "`avogit sync` or `git fetch` from a clone that "
			      "has it; `avogit doctor --repair` forgets it");
}

static void examine_objects(struct diagnosis *d, struct gitstore *g)
{
	cleanup_strvec struct strvec damaged = STRVEC_INIT;
	const char *mend;
	size_t n;

	gitstore_damaged(&damaged, &n, &mend, g);
	for (size_t i = 0; i < damaged.n; i++)
		diagnosis_add(d, STATE_WARN, "objects", xstrdup(damaged.v[i]),
			      mend);
	if (!damaged.n)
		diagnosis_add(d, STATE_OK, "objects",
			      xasprintf("%zu loose, all whole", n), NULL);
}

/* Adds a finding for each damaged run. */
static void runs_examine(struct diagnosis *d, struct gitstore *g)
{
	cleanup_strvec struct strvec runs = STRVEC_INIT;
	struct error *err = gitstore_runs(&runs, g);

	examine_objects(d, g);
	examine_tips(d, g);
	if (err)
		diagnosis_add_error(d, STATE_WARN, "runs", err, NULL);
	for (size_t i = 0; i < runs.n; i++) {
		cleanup_population struct population p = {0};
		cleanup_free char *mend = NULL;

		err = gitstore_population(&p, g, runs.v[i]);
		if (!err)
			continue;
		mend = xasprintf("`avogit sync` or `git fetch` from a clone "
				 "that has it; `avogit rm %s` lets go of it",
				 runs.v[i]);
		diagnosis_add_error(d, STATE_WARN, "runs", err, mend);
	}
}

/* ---- avogit doctor ------------------------------------------------------- */

struct doctor_options {
	bool ceilings;
	bool again;
	bool repair;
	bool json;
	const char *color;
};

static const struct opt options[] = {
	OPT(struct doctor_options, ceilings, "ceilings", 0, NULL,
	    "what the GPU can do at most, measured once"),
	OPT(struct doctor_options, again, "again", 0, NULL,
	    "with --ceilings: measure again"),
	OPT(struct doctor_options, repair, "repair", 0, NULL,
	    "finish what killed processes left in this repository"),
	OPT(struct doctor_options, json, "json", 0, NULL, "as JSON"),
	OPT(struct doctor_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

struct examination {
	struct session session;
	struct diagnosis found;
};

static void examination_release(struct examination *x)
{
	diagnosis_release(&x->found);
	session_release(&x->session);
}
DEFINE_RELEASE(examination, struct examination, examination_release)

/* The first line of the program's version; an error if it does not run. */
static struct error *version_of(char **out, const char *program)
{
	cleanup_free char *text = NULL;

	TRY(tool_version(&text, program));
	*out = xstrndup(text, strcspn(text, "\n"));
	return NULL;
}

/* The compiler of the task at HEAD, or the default. */
static const char *compiler(const struct examination *x)
{
	return x->session.at.task ? x->session.at.task->compiler : "cc";
}

static bool is_cuda(const struct examination *x)
{
	return x->session.at.task &&
	       x->session.at.task->language == LANGUAGE_CUDA;
}

/* Runs nvcc as a build does, in the sandbox (examined earlier). */
static struct error *nvcc_version(char **out, const struct examination *x)
{
	cleanup_toolkit struct toolkit t = {0};

	TRY(toolkit_find(&t));
	if (!x->session.sandbox)
		return version_of(out, t.nvcc);
	return compiler_version_cuda(out, x->session.sandbox, &t);
}

/* A task in C needs no nvcc, so its absence is not reported. */
static void examine_nvcc(struct examination *x)
{
	char *version = NULL;
	struct error *err = nvcc_version(&version, x);

	if (!err)
		diagnosis_add(&x->found, STATE_OK, "nvcc", version, NULL);
	else if (is_cuda(x))
		diagnosis_add_error(
			&x->found, STATE_MISSING, "nvcc", err,
			"install the CUDA toolkit, or set CUDA_HOME to "
			"its folder");
	else
		error_free(err);
}

static void examine_compiler(struct examination *x)
{
	char *version = NULL;
	struct error *err;

	if (is_cuda(x) ||
	    (x->session.at.task && task_is_reported(x->session.at.task)))
		return;
	err = version_of(&version, compiler(x));
	if (err)
		diagnosis_add_error(&x->found, STATE_MISSING, "compiler", err,
				    "apt-get install build-essential, or name "
				    "another by build.compiler in avogit.yaml");
	else
		diagnosis_add(&x->found, STATE_OK, "compiler", version, NULL);
}

/* `use` says, if there are several GPUs, whether this one is used; else "". */
static void examine_one_gpu(struct examination *x, const struct gpu *g,
			    int cuda, const char *use)
{
	cleanup_gpu_state struct gpu_condition now = {0};
	char arch[GPU_ARCH_SIZE];

	gpu_arch(arch, g);
	gpu_state_read(&now, g->uuid);
	diagnosis_add(&x->found, now.mend ? STATE_WARN : STATE_OK, "gpu",
		      xasprintf("%s%s%s%s, %s, %.0f GiB, CUDA %d.%d; %s",
				g->name, *use ? ", " : "", *use ? g->uuid : "",
				use, arch,
				(double)g->memory / (double)((uint64_t)1 << 30),
				cuda / 1000, cuda % 1000 / 10, now.text),
		      now.mend);
}

/* Reports all GPUs; `used` are those visible to programs here. */
static void examine_gpus(struct examination *x, const struct gpus *all,
			 const struct gpus *used)
{
	for (size_t i = 0; i < all->n; i++) {
		const char *use = "";

		if (all->n > 1 && used->n)
			use = str_eq(all->gpu[i].uuid, used->gpu[0].uuid)
				      ? " (used)"
				      : " (not used: CUDA_VISIBLE_DEVICES "
					"chooses)";
		examine_one_gpu(x, &all->gpu[i], all->cuda, use);
	}
}

/* Reports on the GPU that is used. */
static void examine_reach(struct examination *x, enum gpu_reach r)
{
	if (r != REACH_OWN)
		diagnosis_add(
			&x->found, STATE_WARN, "gpu",
			xasprintf("its kernels reach ordinary memory (%s), a "
				  "launcher's too: whatever is scored is of "
				  "class isolated, and nothing is profiled or "
				  "sanitized",
				  gpu_reach_name(r)),
			gpu_reach_mend(r));
}

static void examine_gpu(struct examination *x)
{
	cleanup_free struct gpus *gpus = xcalloc(1, sizeof *gpus);
	cleanup_free struct gpus *all = xcalloc(1, sizeof *all);
	struct error *err = gpu_probe(gpus);

	if (!err)
		err = gpu_probe_all(all);
	if (err) {
		diagnosis_add_error(&x->found, STATE_WARN, "gpu", err, NULL);
		return;
	}
	examine_gpus(x, all, gpus);
	examine_reach(x, gpus->gpu[0].reach);
	if (!gpus->n)
		diagnosis_add(
			&x->found, is_cuda(x) ? STATE_WARN : STATE_OK, "gpu",
			xasprintf("no GPU: %s", gpus->why),
			is_cuda(x) ? "kernels in CUDA are compiled here, not "
				     "run: install the driver, or score where "
				     "there is a GPU"
				   : NULL);
}

/* For a task that is not in CUDA, missing tools are not reported. */
static void examine_profiler(struct examination *x)
{
	cleanup_buf struct buf have = BUF_INIT(1024);
	cleanup_buf struct buf lack = BUF_INIT(1024);

	cuda_tools(&have, &lack);
	if (!have.len && !is_cuda(x))
		return;
	if (!lack.len || !is_cuda(x))
		diagnosis_add(&x->found, STATE_OK, "profiler",
			      xstrdup(have.data), NULL);
	else
		diagnosis_add(
			&x->found, STATE_WARN, "profiler",
			xasprintf("%s%sno %s", have.data, have.len ? "; " : "",
				  lack.data),
			"install them from the CUDA toolkit: avogit profile "
			"runs ncu, its --sass a disassembler");
}

static void examine_sandbox(struct examination *x)
{
	struct error *err = sandbox_probe(&x->session.sandbox);
	const struct sandbox *s = x->session.sandbox;

	if (err)
		diagnosis_add_error(&x->found, STATE_WARN, "sandbox", err,
				    NULL);
	else
		diagnosis_add(&x->found,
			      sandbox_level(s) < SANDBOX_BWRAP ? STATE_WARN
							       : STATE_OK,
			      "sandbox", xstrdup(sandbox_describe(s)),
			      sandbox_mend(s));
}

static void examine_git(struct examination *x)
{
	char *version = NULL;
	struct error *err = version_of(&version, "git");

	if (err)
		diagnosis_add_error(
			&x->found, STATE_WARN, "git", err,
			"apt-get install git: avogit works without, but "
			"its results are read with it");
	else
		diagnosis_add(&x->found, STATE_OK, "git", version, NULL);
}

/* The most that a tunable may be, of those with numbers; NULL: none. */
static const struct tunable *largest(int64_t *value, const struct tunables *t)
{
	const struct tunable *found = NULL;

	*value = 0;
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->tunable[i].n_values; k++)
			if (t->tunable[i].is_integer[k] &&
			    t->tunable[i].number[k] > *value) {
				*value = t->tunable[i].number[k];
				found = &t->tunable[i];
			}
	return found;
}

/* A kernel that forgets the rest behind its last whole block is right at every
 * size that is smaller than a block. */
static void examine_blocks(struct examination *x)
{
	const struct task *t = x->session.at.task;
	cleanup_tunables struct tunables all = {0};
	cleanup_error struct error *err = tuning_read(&all, &x->session);
	const struct tunable *block;
	int64_t value, high = 0;

	for (size_t i = 0; i < t->symbols.n; i++)
		high = MAX(high, t->hidden[i].high);
	block = err ? NULL : largest(&value, &all);
	if (block && value > high)
		diagnosis_add(
			&x->found, STATE_WARN, "sizes",
			xasprintf("%s may be %jd, and no hidden size of %s is "
				  "larger than %jd: a rest behind a block of "
				  "that size is never checked",
				  block->name, (intmax_t)value, t->path,
				  (intmax_t)high),
			"if it is a size of blocks, let `hidden:` reach beyond "
			"twice that (docs/task.md, Cases)");
}

/* The largest size of a case, of which all symbols count, or of a hidden one. */
static int64_t largest_size(const struct task *t)
{
	int64_t most = 0;

	for (size_t s = 0; s < t->symbols.n; s++) {
		most = MAX(most, t->hidden[s].high);
		for (size_t i = 0; i < t->n_cases; i++)
			most = MAX(most, t->cases[i].value[s]);
	}
	return most;
}

#define NUMBERS_SAID 4
#define A_SIZE	     (INT64_C(1) << 24) /* what is larger is seldom one */

/* What a source takes sizes by, or holds them against, may be the end of a table
 * that only larger sizes come to. What a tunable may be is examine_blocks'. */
static void examine_numbers(struct examination *x)
{
	const struct committed_task *at = &x->session.at;
	cleanup_hidden_numbers struct hidden_numbers all = {0};
	cleanup_buf struct buf beyond = BUF_INIT(BUF_LIMIT_TEXT);
	int64_t most = largest_size(at->task);
	size_t n = 0;

	hidden_numbers_reached(&all, at->task, &at->files);
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].rank == HIDDEN_STEP && all.v[i].size >= most &&
		    all.v[i].size <= A_SIZE && n++ < NUMBERS_SAID)
			buf_addf(&beyond, "%s%jd", beyond.len ? ", " : "",
				 (intmax_t)all.v[i].size);
	if (n)
		diagnosis_add(
			&x->found, STATE_WARN, "numbers",
			xasprintf("the sources have %s%s, and no size of the "
				  "cases and of `hidden` in %s is larger",
				  beyond.data, n > NUMBERS_SAID ? ", ..." : "",
				  at->task->path),
			"if one is the size of a table or a block, let "
			"`hidden:` reach beyond it (docs/task.md, Cases)");
}

static void examine_task(struct examination *x)
{
	const struct task *t = x->session.at.task;
	size_t guesses = committed_task_guesses(&x->session.at);

	diagnosis_add(&x->found, STATE_OK, "task",
		      xasprintf("%s (%s)", t->name, t->path), NULL);
	if (guesses)
		diagnosis_add(&x->found, STATE_WARN, "guesses",
			      xasprintf("%zu of the lines of %s still marked "
					"GUESS",
					guesses, t->path),
			      "correct what is wrong there, and take the marks "
			      "out");
	if (!t->hidden && !task_is_reported(t))
		diagnosis_add(&x->found, STATE_WARN, "sizes",
			      xasprintf("%s draws no others: what is right at "
					"its own sizes only passes",
					t->path),
			      "add `hidden:` (docs/task.md, Cases)");
	if (!t->hidden)
		return;
	examine_blocks(x);
	examine_numbers(x);
}

static void examine_repository(struct examination *x)
{
	struct gitstore *git = x->session.git;

	if (gitstore_has_identity(git))
		diagnosis_add(&x->found, STATE_OK, "identity", xstrdup("set"),
			      NULL);
	else
		diagnosis_add(&x->found, STATE_WARN, "identity",
			      xstrdup("git knows no name and mail for you: "
				      "candidates are committed under a stated "
				      "fallback"),
			      "git config --global user.name NAME; "
			      "git config --global user.email MAIL");
	if (x->session.at.task)
		examine_task(x);
}

/* Opens the repository and its task, if they exist. */
static void open_repository(struct examination *x)
{
	struct commit_id head;
	struct error *err = session_open(&x->session, NULL);

	if (err) {
		diagnosis_add_error(
			&x->found, STATE_WARN, "repository", err,
			"start avogit inside the repository of the kernel");
		return;
	}
	diagnosis_add(&x->found, STATE_OK, "repository",
		      xstrdup(gitstore_git_dir(x->session.git)), NULL);
	err = gitstore_resolve(&head, x->session.git, "HEAD");
	if (!err)
		err = session_task(&x->session, head.hex, NULL);
	if (err)
		diagnosis_add_error(&x->found, STATE_WARN, "task", err, NULL);
}

/* Repairs without the other checks, which measure the noise for a while. */
static struct error *repair(const struct doctor_options *o)
{
	cleanup_session struct session s = {0};
	cleanup_repair struct repair r = {.done = STRVEC_INIT};
	cleanup_json struct json *j = out_json_new();
	struct json *list = json_array();

	json_set(j, "repaired", list);
	TRY(session_open(&s, o->color));
	TRY(gitstore_repair(&r, s.git));
	for (size_t i = 0; i < r.done.n; i++) {
		json_push_string(list, r.done.v[i]);
		if (!o->json)
			out_text("", r.done.v[i]);
	}
	if (o->json)
		out_json(j);
	else if (!r.done.n)
		puts("nothing to repair");
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(examination) struct examination x = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_free char *configured = NULL;
	struct doctor_options o = {0};

	TRY(command_parse(self, &o, &operands, argv));
	if (o.again && !o.ceilings)
		return error_new(ERROR_USAGE, "--again goes with --ceilings");
	if (o.repair && o.ceilings)
		return error_new(ERROR_USAGE,
				 "--repair and --ceilings exclude each other");
	if (o.ceilings) {
		TRY(palette_init(&x.session.color, o.color, NULL,
				 STDOUT_FILENO));
		return ceilings_tell(o.again, o.json, &x.session.color);
	}
	if (o.repair)
		return repair(&o);
	open_repository(&x);
	if (x.session.git)
		configured = gitstore_config(x.session.git, "color.ui");
	TRY(palette_init(&x.session.color, o.color, configured, STDOUT_FILENO));
	examine_compiler(&x);
	examine_sandbox(&x);
	examine_nvcc(&x);
	examine_gpu(&x);
	examine_profiler(&x);
	examine_git(&x);
	if (x.session.git) {
		examine_repository(&x);
		runs_examine(&x.found, x.session.git);
	}
	machine_fitness(&x.found, compiler(&x));
	if (o.json)
		diagnosis_print_json(&x.found);
	else
		diagnosis_print(&x.found, &x.session.color);
	if (diagnosis_any(&x.found, STATE_MISSING))
		*code = CODE_NO;
	return NULL;
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "Something that is needed is missing."},
	{CODE_YES, NULL},
};

const struct command command_doctor = {
	.name = "doctor",
	.operands = "",
	.summary = "says what this machine has and lacks",
	.about = "Looks at the compiler, the sandbox, git and how quiet the "
		 "machine is, and says how\nto mend what is not well. Exit "
		 "code 1 if something that is needed is missing.\n\n"
		 "With --repair it only finishes what a killed process left "
		 "in this repository: locks,\nworkspaces, branches, missing "
		 "notes.\n\n"
		 "With --ceilings it says what the GPU can do at most (copying "
		 "memory, products of\nmatrices): scores are shown as a share "
		 "of that. It is measured once for a card and\nits driver.",
	.options = options,
	.exits = exits,
	.run = run,
};
