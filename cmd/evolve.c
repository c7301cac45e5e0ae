/* avogit evolve: starts a run, or goes on with it. */
#include "cmd/session/evolving.h"

#include "agent/llm/prompt.h"
#include "cmd/cmd.h"
#include "cmd/session/summary.h"
#include "gitstore/sync/repair.h"

static const struct opt options[] = {
	OPT(struct evolve_options, run, "run", 'r', "NAME",
	    "name of the run (the task's name); auto: the first of NAME, "
	    "NAME-2 ... that is free"),
	OPT(struct evolve_options, attempts, "attempts", 'n', "N",
	    "stop after N attempts from now"),
	OPT(struct evolve_options, seconds, "time", 't', "SPAN",
	    "stop after 90s, 30m, 1h30m from now"),
	OPT(struct evolve_options, steps, "steps", 0, "N",
	    "stop when a model gave N replies in this run"),
	OPT(struct evolve_options, tokens, "tokens", 0, "N",
	    "stop when the run took N tokens, in and out"),
	OPT(struct evolve_options, money, "money", 0, "USD",
	    "stop when the run cost so many dollars"),
	OPT(struct evolve_options, gpu_seconds, "gpu-time", 0, "SPAN",
	    "stop when the run used a GPU for so long"),
	OPT(struct evolve_options, choice.operator_name, "operator", 0, "NAME",
	    "who varies the kernel: llm, tuner, command or replay (the task's, "
	    "else llm where a model and its key are configured, else tuner)"),
	OPT(struct evolve_options, choice.model, "model", 0, "NAME",
	    "model to ask; where no --operator is named, that is llm"),
	OPT(struct evolve_options, choice.provider, "provider", 0, "NAME",
	    "protocol it is asked by: anthropic or openai"),
	OPT(struct evolve_options, choice.replay, "replay", 0, "FILE",
	    "play a recording instead of asking a model"),
	OPT(struct evolve_options, choice.record, "record", 0, "FILE",
	    "record the model's replies"),
	OPT(struct evolve_options, prompts, "print-prompts", 0, "DIR",
	    "write what a model is told into DIR, to be changed, and no more"),
	OPT(struct evolve_options, from, "from", 0, "REV",
	    "begin at this commit, whatever the work tree holds (HEAD)"),
	OPT(struct evolve_options, base, "base", 0, "REV",
	    "an earlier commit that the winner will be a change to (where it "
	    "begins)"),
	OPT(struct evolve_options, seed, "seed", 0, "N",
	    "seed of a new run's draws (a fresh one)"),
	OPT(struct evolve_options, task, "task", 0, "FILE",
	    "task file (the nearest avogit.yaml)"),
	OPT(struct evolve_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_evolving struct evolving e = {.say = stdout};
	struct evolve_options o = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	enum ending ending;

	TRY(command_parse(self, &o, &operands, argv));
	if (o.prompts)
		return prompts_write(o.prompts);
	TRY(evolving_prepare(&e, &o));
	e.evolve.listener = &e.progress.listener;
	TRY(error_wrap(evolve_run(&ending, &e.population, &e.evolve), "run %s",
		       e.evolve.run));
	summary_print(&e.session, &e.population);
	fflush(stdout);
	gitstore_tidy(e.session.git);
	if (ending != ENDING_DONE)
		*code = ending == ENDING_FAILED ? CODE_NO : CODE_INTERRUPTED;
	return NULL;
}

const struct command command_evolve = {
	.name = "evolve",
	.operands = "",
	.summary = "starts a run of evolution, or goes on with it",
	.about =
		"Varies the kernel, scores every version and keeps what is "
		"faster, until a budget\nis spent, nothing is left to try, or "
		"Ctrl-C: once finishes the attempt and stops,\ntwice stops "
		"now; either way the exit code is 130 and the same command "
		"goes\non. Every version is a commit with its score as a note; "
		"your branch, index and\nwork tree stay as they are.",
	.options = options,
	.run = run,
};
