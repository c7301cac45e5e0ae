/* avogit gate: does a change make a kernel slower or wrong? */
#include <errno.h>

#include "cmd/cmd.h"
#include "cmd/gate/gate.h"
#include "cmd/ui/out.h"

struct gate_options {
	const char *task;
	const char *allow, *claim;
	bool head_task;
	bool bisect;
	double seconds;
	bool json;
};

static const struct opt options[] = {
	OPT(struct gate_options, task, "task", 0, "FILE",
	    "only the kernel of this task file (every avogit.yaml of BASE)"),
	OPT(struct gate_options, allow, "allow", 0, "PERCENT",
	    "let a loss of so much pass (0)"),
	OPT(struct gate_options, claim, "claim", 0, "RATIO",
	    "hold HEAD to this speed relative to BASE (1.2); 1: faster at all"),
	OPT(struct gate_options, head_task, "head-task", 0, NULL,
	    "measure with HEAD's task, reference and tests, which you read"),
	OPT(struct gate_options, bisect, "bisect", 0, NULL,
	    "for git bisect run: exit code 125 where nothing is decided"),
	OPT(struct gate_options, seconds, "time", 0, "SPAN",
	    "compare for at most so long each time (20s)"),
	OPT(struct gate_options, json, "json", 0, NULL, "as JSON"),
	OPT_END,
};

/* A number with one of these letters after it, or none. */
static struct error *read_number(double *out, const char *text,
				 const char *unit, double least, double most)
{
	char *end;

	errno = 0;
	*out = strtod(text, &end);
	if (end == text || errno || (*end && !str_eq(end, unit)) ||
	    !(*out >= least && *out < most))
		return error_new(ERROR_USAGE,
				 "gate: '%s' must be a number from %g and "
				 "below %g%s",
				 text, least, most, unit);
	return NULL;
}

static struct error *read_rules(struct gate_rules *rules,
				const struct gate_options *o)
{
	double percent = 0;

	if (o->bisect && o->head_task)
		return error_new(ERROR_USAGE,
				 "gate: --bisect measures every commit with "
				 "the task of BASE, so not --head-task");
	if (o->allow)
		TRY(read_number(&percent, o->allow, "%", 0, 100));
	if (o->claim)
		TRY(read_number(&rules->claim, o->claim, "x", 1, 1e6));
	rules->allow = percent / 100;
	rules->head_task = o->head_task;
	rules->ignore_trusted = o->bisect;
	rules->seconds = o->seconds;
	return NULL;
}

static struct error *decide(struct gate_change *g, const struct gate_options *o,
			    const struct gate_rules *rules,
			    const struct strvec *revs)
{
	cleanup_session struct session s = {0};

	TRY(session_open(&s, NULL));
	TRY(gitstore_resolve(&g->base, s.git, revs->v[0]));
	TRY(gitstore_resolve(&g->head, s.git,
			     revs->n > 1 ? revs->v[1] : "HEAD"));
	TRY(gate_find(g, &s, o->task));
	for (size_t i = 0; i < g->n; i++)
		TRY(gate_measure(&g->kernel[i], g, rules));
	return NULL;
}

/* `git bisect run` takes 125 for "this commit cannot be tested". */
static enum exit_code code_of(const struct gate_change *g, bool bisect)
{
	enum gate_answer answer = gate_answer(g);
	bool builds = true;

	for (size_t i = 0; i < g->n; i++)
		builds &= !g->kernel[i].does_not_build;
	if (bisect && (answer == GATE_OPEN || !builds))
		return CODE_UNTESTED;
	if (answer == GATE_YES)
		return CODE_YES;
	return answer == GATE_NO ? CODE_NO : CODE_OPEN;
}

/* `git bisect run` takes 2 for "bad", so that a wrong command line would make
 * every commit a bad one; at 128 it stops. */
static struct error *usage_stops_bisect(struct error *err, char **argv)
{
	cleanup_error struct error *usage = err;

	for (; error_is(usage, ERROR_USAGE) && *argv; argv++)
		if (str_eq(*argv, "--bisect"))
			return error_new(ERROR_REFUSED, "%s",
					 error_message(usage));
	return steal(&usage);
}

static struct error *gate_run(enum exit_code *code, const struct command *self,
			      char **argv)
{
	struct gate_options o = {.task = NULL};
	struct gate_rules rules = {.allow = 0};
	cleanup_strvec struct strvec revs = STRVEC_INIT;
	cleanup_gate_change struct gate_change g = {.n = 0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(command_parse(self, &o, &revs, argv));
	TRY(read_rules(&rules, &o));
	TRY(decide(&g, &o, &rules, &revs));
	*code = code_of(&g, o.bisect);
	if (o.json) {
		cleanup_json struct json *j = gate_json(&g);

		json_set_int(j, "exit_code", *code);
		out_json(j);
		return NULL;
	}
	gate_markdown(&text, &g, &rules);
	fputs(text.data, stdout);
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	return usage_stops_bisect(gate_run(code, self, argv), argv);
}

static const struct exit_meaning exits[] = {
	{CODE_YES, "The change is not slower, right, and a claim holds."},
	{CODE_NO, "The change is slower or wrong, or a claim does not hold."},
	{CODE_OPEN,
	 "It is open which of these holds, or the command line is wrong."},
	{CODE_UNTESTED, "With --bisect, what git bisect passes over: neither "
			"good nor bad was shown."},
	{CODE_YES, NULL},
};

const struct command command_gate = {
	.name = "gate",
	.operands = "BASE [HEAD]",
	.summary = "does a change make a kernel slower or wrong?",
	.about = "Finds the kernels that differ between BASE and HEAD, "
		 "measures each against that of\nBASE in one session, and "
		 "prints a verdict in Markdown. Task file, reference and\n"
		 "everything else that measures come from BASE; a change of "
		 "those is said and leaves\nthe answer open, until "
		 "--head-task asks for it. No figure of HEAD's author is\n"
		 "read, and nothing is recorded (docs/gate.md). What decides "
		 "nothing is measured\nagain, up to eight times.\n\n"
		 "Exit code 0: not slower, right, and a claim holds; 1: "
		 "slower, wrong, or a claim does\nnot hold; 2: open. With "
		 "--bisect, for `git bisect run avogit gate --bisect GOOD`:\n"
		 "125 where it is open or HEAD does not build, and 128 for a "
		 "wrong command line.",
	.options = options,
	.exits = exits,
	.min_operands = 1,
	.max_operands = 2,
	.run = run,
};
