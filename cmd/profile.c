/* avogit profile: shows where a kernel's time goes. */
#include "cmd/cmd.h"
#include "cmd/session/consent.h"
#include "cmd/session/profile_log.h"
#include "cmd/session/session.h"
#include "cmd/session/which_run.h"
#include "cmd/ui/out.h"
#include "scorer/inspect/profile.h"

struct profile_options {
	bool sass;
	bool ptx;
	bool json;
	bool every;
	bool keep;
	const char *run;
	const char *case_name;
	const char *kernel;
	const char *task;
	const char *arch;
	const char *color;
};

static const struct opt options[] = {
	OPT(struct profile_options, case_name, "case", 0, "CASE",
	    "its name or number in the task (1)"),
	OPT(struct profile_options, kernel, "kernel", 0, "NAME",
	    "of the launch's kernels one with NAME in its name (the longest)"),
	OPT(struct profile_options, every, "every", 0, NULL,
	    "every figure that was counted, after the table"),
	OPT(struct profile_options, sass, "sass", 0, NULL,
	    "the hot loop in the card's own instructions"),
	OPT(struct profile_options, ptx, "ptx", 0, NULL,
	    "what the compiler hands to the assembler"),
	OPT(struct profile_options, keep, "keep", 0, NULL,
	    "keep the figures with the run that REV is an attempt of: `report` "
	    "shows them"),
	OPT(struct profile_options, run, "run", 'r', "NAME",
	    "with --keep: the run"),
	OPT(struct profile_options, task, "task", 0, "FILE",
	    "task file (the nearest avogit.yaml)"),
	OPT(struct profile_options, arch, "arch", 0, "NAME",
	    "compile for this architecture (sm_90a)"),
	OPT(struct profile_options, json, "json", 0, NULL, "as JSON"),
	OPT(struct profile_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

struct profiling {
	struct session session;
	struct profile_options o;
	struct candidate candidate;
	struct profile_result found;
	char *kept; /* the run of --keep */
};

static void profiling_release(struct profiling *p)
{
	free(p->kept);
	profiled_release(&p->found);
	candidate_release(&p->candidate);
	session_release(&p->session);
}
DEFINE_RELEASE(profiling, struct profiling, profiling_release)

/* Of --keep, before anything is measured. */
static struct error *find_run(struct profiling *p, const struct commit_id *id)
{
	cleanup_population struct population run = {0};
	struct session *s = &p->session;

	TRY(which_run(&p->kept, s, p->o.run));
	TRY(gitstore_population(&run, s->git, p->kept));
	if (!population_find(&run, id->hex))
		return error_new(ERROR_NOT_FOUND,
				 "profile: %.12s is not an attempt of the run "
				 "'%s', so that --keep cannot keep its figures "
				 "there: `avogit log` has those that are",
				 id->hex, p->kept);
	return NULL;
}

static struct error *keep(struct profiling *p)
{
	const struct task *t = p->session.at.task;
	const char *name = NULL;
	size_t number = 1;

	if (!p->kept || p->found.failed)
		return NULL;
	json_get_string(p->found.json, "case", &name);
	for (size_t i = 0; i < t->n_cases; i++)
		if (name && str_eq(t->cases[i].name, name))
			number = i + 1;
	return profile_log_keep(p->session.git, p->kept, p->candidate.id.hex,
				number, p->found.json);
}

static struct error *profile(struct profiling *p, const char *rev)
{
	struct session *s = &p->session;
	struct commit_id head, id;
	struct profile_request r = {
		.candidate = &p->candidate,
		.kind = p->o.sass  ? PROFILE_SASS
			: p->o.ptx ? PROFILE_PTX
				   : PROFILE_COUNTERS,
		.case_name = p->o.case_name,
		.kernel = p->o.kernel,
		.every = p->o.every,
	};

	TRY(session_open(s, p->o.color));
	s->arch = p->o.arch;
	TRY(gitstore_resolve(&head, s->git, "HEAD"));
	TRY(session_task(s, head.hex, p->o.task));
	TRY(session_require_trust(s, TRUST_LAUNCHER, p->o.task));
	if (rev)
		TRY(gitstore_resolve(&id, s->git, rev));
	else
		TRY(session_snapshot(&id, s, "profile"));
	if (p->o.keep)
		TRY(find_run(p, &id));
	TRY(session_scorer(s, head.hex, NULL));
	TRY(s->archive->load(s->archive, &p->candidate, id.hex));
	TRY(scorer_profile(&p->found, s->evaluator, &r));
	return keep(p);
}

static void print_json(struct profiling *p)
{
	cleanup_json struct json *j = out_json_new();

	json_set_string(j, "commit", p->candidate.id.hex);
	json_set_string(j, "failed", p->found.failed);
	if (!p->found.failed)
		json_set_string(j, "kept", p->kept);
	if (p->found.json)
		json_set(j, "profile", steal(&p->found.json));
	out_json(j);
}

static struct error *check_keep(const struct profile_options *o, bool has_rev)
{
	if (o->keep && (!has_rev || o->sass || o->ptx))
		return error_new(ERROR_USAGE,
				 "profile: --keep is for the counters of an "
				 "attempt: name it, without --sass and --ptx");
	if (o->run && !o->keep)
		return error_new(ERROR_USAGE,
				 "profile: --run goes with --keep");
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(profiling) struct profiling p = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;

	TRY(command_parse(self, &p.o, &operands, argv));
	if (p.o.sass && p.o.ptx)
		return error_new(ERROR_USAGE, "--sass or --ptx: one at a time");
	TRY(check_keep(&p.o, operands.n > 0));
	TRY(profile(&p, operands.n ? operands.v[0] : NULL));
	*code = p.found.failed ? CODE_NO : CODE_YES;
	if (p.o.json)
		print_json(&p);
	else if (p.found.failed)
		out_error(p.found.failed);
	else
		out_text("", p.found.text);
	if (p.kept && !p.o.json && !p.found.failed)
		printf("kept with the run %s: `avogit report` shows it\n",
		       p.kept);
	return NULL;
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "The kernel does not build or cannot be played."},
	{CODE_YES, NULL},
};

const struct command command_profile = {
	.name = "profile",
	.operands = "[REV]",
	.summary = "says where a kernel's time goes",
	.about = "Builds a commit's kernel in CUDA (without REV the work "
		 "tree's), captures what it\nlaunches for one case, and plays "
		 "that under Nsight Compute: memory and tensor\nthroughput, "
		 "cache hits, bank conflicts, occupancy and its limit, what "
		 "warps wait\nfor; then the likeliest bottlenecks, each with "
		 "the figures that say so and\nsomething to try. --sass and "
		 "--ptx show code instead, and need no GPU.\n"
		 "--keep keeps the figures of an attempt with its run, as a "
		 "log: `avogit report` shows\nthem.\nNsight Compute "
		 "(ncu) is taken from AVOGIT_NCU, the PATH or where CUDA is; "
		 "--sass\nneeds cuobjdump (AVOGIT_CUOBJDUMP) or nvdisasm "
		 "(AVOGIT_NVDISASM).\nExit code 1 if the kernel does not build "
		 "or cannot be played; 128 where there is\nno GPU, no ncu, no "
		 "permission to read the card's counters, or an empty "
		 "capture; 130 if\nit is interrupted.",
	.options = options,
	.exits = exits,
	.max_operands = 1,
	.run = run,
};
