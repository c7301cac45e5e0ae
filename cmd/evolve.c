/* avogit evolve: starts a run, or continues one. */
#include <math.h>

#include "agent/llm/prompt.h"
#include "cmd/cmd.h"
#include "cmd/launch/elsewhere.h"
#include "cmd/session/doing.h"
#include "cmd/session/evolving.h"
#include "cmd/session/nearest.h"
#include "cmd/session/session.h"
#include "cmd/ui/events.h"
#include "cmd/ui/live.h"
#include "cmd/ui/out.h"
#include "cmd/ui/report.h"
#include "cmd/ui/stop.h"
#include "core/base/clock.h"
#include "core/run/outcome.h"
#include "core/run/population.h"
#include "core/run/time_limit.h"
#include "gitstore/sync/repair.h"

/* ---- the summary --------------------------------------------------------- */

/* The result of a run: counts, the champion and its figures, and the git
 * commands that show them. */

static void add_count(struct buf *line, size_t n, const char *what)
{
	if (n)
		buf_addf(line, "%s%zu %s", line->len ? ", " : "", n, what);
}

static void print_counts(const struct population *p)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *span = clock_format_span(p->spent_seconds);
	size_t verdict[VERDICT_COUNT] = {0}, outcome[OUTCOME_COUNT] = {0};

	for (size_t i = 1; i < p->n; i++) {
		const struct attempt *a = &p->attempt[i];
		enum attempt_outcome o = attempt_outcome(p, a);

		if (o == OUTCOME_FAILED)
			verdict[a->measurement->verdict]++;
		else
			outcome[o]++;
	}
	for (size_t o = OUTCOME_CHAMPION; o < OUTCOME_COUNT; o++)
		add_count(&line, outcome[o],
			  outcome_name((enum attempt_outcome)o));
	for (size_t v = VERDICT_PASS + 1; v < VERDICT_COUNT; v++)
		add_count(&line, verdict[v], verdict_name((enum verdict)v));
	add_count(&line, outcome[OUTCOME_IN_FLIGHT],
		  outcome_name(OUTCOME_IN_FLIGHT));
	printf("\n%zu attempt%s in %s%s%s\n", p->n - 1, p->n == 2 ? "" : "s",
	       span, line.len ? ": " : "", line.data);
}

/* Below it no one wonders where the time went. */
#define MUCH_WAITED 0.05

/* Of the time since this command began, which is what --time counts. */
static void print_waited(const struct session *s, double seconds)
{
	cleanup_free char *waited = NULL, *all = NULL;

	if (s->waited < MUCH_WAITED * seconds)
		return;
	waited = clock_format_span(s->waited);
	all = clock_format_span(seconds);
	printf("it waited %s of the last %s for another avogit that was timing "
	       "here; --time counts that\n",
	       waited, all);
}

static void print_speedups(const struct session *s, const struct population *p,
			   const struct attempt *a)
{
	const struct measurement *m = a->measurement;
	const struct comparison *start =
		measurement_against(m, RIVAL_START, p->attempt[0].id.hex);
	char ratio[32];

	if (start) {
		report_against(&s->color, start, "the start", ", side by side");
	} else {
		report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
		printf("  %s the speed of the start (a chain of wins)\n",
		       ratio);
	}
	for (size_t i = 0; i < m->n_comparisons; i++) {
		const struct comparison *c = &m->comparisons[i];

		if (c->rival == RIVAL_BASELINE)
			report_against(&s->color, c, c->name, "");
	}
}

static void print_no_champion(const struct population *p)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *command = nearest_command(p);

	nearest_say(&line, p);
	printf("no champion yet: %s\n", line.data);
	if (command)
		printf("\nmeasure it again, which may crown it:\n  %s\n",
		       command);
}

static void print_maybe(const struct population *p)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *command = NULL;

	nearest_say_maybe(&line, &command, p);
	if (command)
		printf("maybe faster: %s, but the machine was not steady\n"
		       "\nmeasure it again, which may crown it:\n  %s\n",
		       line.data, command);
}

static void print_champion(const struct session *s, const struct population *p)
{
	const struct attempt *a = &p->attempt[p->champion];
	cleanup_buf struct buf subject = BUF_INIT(BUF_LIMIT_TEXT);
	char id[COMMIT_ID_LEN + 1], rate[RATE_TEXT];

	if (!p->champion || !a->measurement) {
		print_no_champion(p);
		return;
	}
	gitstore_abbreviate(id, s->git, a->id.hex);
	measurement_format(rate, sizeof rate, a->measurement,
			   a->measurement->score);
	out_clean_line(&subject, a->subject ? a->subject : "");
	printf("champion %s%s%s #%lld, %s: %s\n",
	       color_begin(&s->color, COLOR_ID), id,
	       color_end(&s->color, COLOR_ID), (long long)a->number, rate,
	       subject.data);
	print_speedups(s, p, a);
	print_maybe(p);
}

static void print_commands(const struct session *s, const struct population *p)
{
	const char *run = p->record.run;
	char base[COMMIT_ID_LEN + 1];

	gitstore_abbreviate(base, s->git, p->record.base.hex);
	if (p->champion)
		printf("\nlook at it, take it:\n"
		       "  git log --graph --notes=avogit "
		       "--branches='avo/%s/*' --not %s\n"
		       "  git cherry-pick avo/%s/winner   # a change to %s\n",
		       run, base, run, base);
}

static void summary_print(const struct session *s, const struct population *p,
			  double seconds)
{
	if (!p->has_record)
		return;
	print_counts(p);
	print_waited(s, seconds);
	print_champion(s, p);
	print_commands(s, p);
	evolving_print_left(s, p);
	if (!p->stop_reason || !str_eq(p->stop_reason, "exhausted"))
		printf("\ngo on with it:\n  avogit evolve --run %s\n",
		       p->record.run);
}

/* ---- avogit evolve ------------------------------------------------------- */

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
	OPT(struct evolve_options, choice.patience, "patience", 0, "SPAN",
	    "wait so long for a model's server that is down (until the run's "
	    "budget ends), or a launch that does not answer (30m)"),
	OPT_WORDS(struct evolve_options, choice.operator_name, "operator", 0,
		  "NAME", "llm tuner command replay",
		  "who varies the kernel: llm, tuner, command or replay (the "
		  "task's, "
		  "else llm where a model and its key are configured, else "
		  "tuner)"),
	OPT(struct evolve_options, agents, "agents", 0, "N",
	    "let N agents work on the run at a time (1)"),
	OPT(struct evolve_options, in_order, "in-order", 0, "K",
	    "let K agents take turns, so that the run depends on what they do "
	    "and not on how long they take"),
	OPT(struct evolve_options, islands, "islands", 0, "N",
	    "let these agents breed in N groups that exchange champions now "
	    "and then (the task's, else 1)"),
	OPT(struct evolve_options, builds, "builds", 0, "M",
	    "build at most M candidates of these agents at a time (one a CPU)"),
	OPT(struct evolve_options, gpus, "gpus", 0, "LIST",
	    "measure on these cards, by number or UUID: 0,1 (the first)"),
	OPT(struct evolve_options, launch, "launch", 0, "NAME",
	    "have another machine measure: the host, cluster or command "
	    "avogit.launch.NAME of your git configuration (docs/launch.md)"),
	OPT(struct evolve_options, choice.model, "model", 0, "NAME",
	    "model to ask; where no --operator is named, that is llm"),
	OPT_WORDS(struct evolve_options, choice.provider, "provider", 0, "NAME",
		  "anthropic openai chat responses",
		  "protocol it is asked by: anthropic, openai, chat or "
		  "responses"),
	OPT_WORDS(struct evolve_options, choice.effort, "effort", 0, "LEVEL",
		  "low medium high xhigh max none default",
		  "how much the model thinks: low to max, none, or default for "
		  "the "
		  "server's own (high)"),
	OPT(struct evolve_options, choice.replay, "replay", 0, "FILE",
	    "play a recording instead of asking a model"),
	OPT(struct evolve_options, choice.record, "record", 0, "FILE",
	    "record the model's replies"),
	OPT(struct evolve_options, prompts, "print-prompts", 0, "DIR",
	    "write the built-in prompts into DIR, to be edited, and end"),
	OPT(struct evolve_options, known, "known", 0, "FILE",
	    "let results of other tuners (T4, a cache of Kernel Tuner) guide "
	    "the tuner"),
	OPT(struct evolve_options, no_earlier, "no-earlier", 0, NULL,
	    "let no earlier run of the same sources guide the tuner"),
	OPT(struct evolve_options, from, "from", 0, "REV",
	    "begin at this commit, whatever the work tree holds (HEAD), or go "
	    "on from this attempt of the run"),
	OPT(struct evolve_options, base, "base", 0, "REV",
	    "an earlier commit that the winner will be a change to (where it "
	    "begins)"),
	OPT(struct evolve_options, seed, "seed", 0, "N",
	    "seed of a new run's draws (a fresh one)"),
	OPT(struct evolve_options, task, "task", 0, "FILE",
	    "task file (the nearest avogit.yaml)"),
	OPT(struct evolve_options, json, "json", 0, NULL,
	    "as JSON, a line an event"),
	OPT(struct evolve_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

static void say_limit(const struct evolving *e, const struct time_limit *limit)
{
	cleanup_free char *attempts = clock_format_span(limit->attempts);
	cleanup_free char *end =
		clock_format_span(limit->all - limit->attempts);
	cleanup_free char *cut = clock_format_span(limit->cut);

	fprintf(e->say,
		"time: attempts begin within %s, %s are for measuring the best "
		"once more; what is at work after %s is cut off\n",
		attempts, end, cut);
	fflush(e->say);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_evolving struct evolving e = {.say = stdout};
	struct evolve_options o = {.elsewhere = &elsewhere_by_launch};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_doing_teller struct doing_teller teller = {.spent = NULL};
	const double since = clock_seconds();
	struct time_limit limit;
	struct events events;
	enum ending ending;
	cleanup_error struct error *err = NULL;

	TRY(command_parse(self, &o, &operands, argv));
	if (o.prompts)
		return prompts_write(o.prompts);
	if (o.launch && o.gpus)
		return error_new(ERROR_USAGE,
				 "evolve: --gpus names cards of this machine, "
				 "and with --launch another one measures: "
				 "leave one of them out");
	/* What is for people then goes beside the events. */
	e.say = o.json ? stderr : stdout;
	TRY(evolving_prepare(&e, &o));
	limit = time_limit_of(e.evolve.budget.seconds);
	if (isfinite(limit.all))
		say_limit(&e, &limit);
	events_init(&events);
	doing_teller_init(&teller,
			  o.json ? &events.listener : &e.progress.listener,
			  e.session.git, e.evolve.run);
	e.evolve.listener = &teller.listener;
	e.evolve.final = true;
	if (isfinite(limit.cut))
		stop_after(limit.cut);
	err = evolve_run(&ending, &e.population, &e.evolve);
	stop_after(0);
	TRY(error_wrap(steal(&err), "run %s", e.evolve.run));
	live_end();
	if (!o.json)
		summary_print(&e.session, &e.population,
			      clock_seconds() - since);
	fflush(stdout);
	gitstore_tidy(e.session.git);
	if (ending != ENDING_DONE)
		*code = ending == ENDING_FAILED ? CODE_NO : CODE_INTERRUPTED;
	return NULL;
}

static const struct exit_meaning exits[] = {
	{CODE_YES, "The run stopped by itself: a budget is spent, or nothing "
		   "is left to try."},
	{CODE_NO,
	 "The operator fails time after time. The same command goes on."},
	{CODE_INTERRUPTED, "Interrupted, even where the attempt at hand was "
			   "finished first. The same command goes on."},
	{CODE_YES, NULL},
};

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
	.exits = exits,
	.run = run,
};
