/* avogit verify: measures a candidate again to check a claim about it. */
#include "cmd/cmd.h"
#include "cmd/session/consent.h"
#include "cmd/ui/out.h"
#include "cmd/session/record.h"
#include "cmd/session/refuted.h"
#include "cmd/ui/report.h"
#include "cmd/session/session.h"
#include "cmd/session/claim.h"
#include "cmd/session/own_benchmark.h"
#include "cmd/session/waits.h"
#include "core/base/clock.h"
#include "gitstore/run/quoted.h"

#define MAX_RIVALS 3

struct verify_options {
	bool json;
	const char *task;
	double seconds;
	const char *in;
	int64_t runs;
	const char *color;
};

static const struct opt options[] = {
	OPT(struct verify_options, task, "task", 0, "FILE",
	    "task file (the nearest avogit.yaml)"),
	OPT(struct verify_options, seconds, "time", 0, "SPAN",
	    "compare for at most so long (20s); a run of COMMAND (10m)"),
	OPT(struct verify_options, in, "in", 0, "COMMAND",
	    "run the project's own benchmark before and after, outside the "
	    "sandbox"),
	OPT(struct verify_options, runs, "runs", 0, "N",
	    "with --in: runs before and after (5)"),
	OPT(struct verify_options, json, "json", 0, NULL, "as JSON"),
	OPT(struct verify_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

struct verification {
	struct session session;
	struct verify_options o;
	struct candidate candidate;
	struct candidate rival[MAX_RIVALS];
	struct rival_request request[MAX_RIVALS];
	size_t n_rivals;
	struct measurement *claim, *today;
	struct measurement *failed; /* found after the claim; NULL: none */
	struct strvec points;
	struct commit_id start; /* of the run, where it was the rival; or "" */
	bool holds;
};

static void verification_release(struct verification *v)
{
	for (size_t i = 0; i < MAX_RIVALS; i++)
		candidate_release(&v->rival[i]);
	candidate_release(&v->candidate);
	measurement_free(v->claim);
	measurement_free(v->failed);
	measurement_free(v->today);
	strvec_release(&v->points);
	session_release(&v->session);
}
DEFINE_RELEASE(verification, struct verification, verification_release)

/* A failure after a pass (a sanitizer's, say) claims no figure: the newest pass
 * is what can be measured again, and the failure is said beside it. */
static struct error *prefer_pass(struct verification *v, const char *id)
{
	cleanup_measurement struct measurement *pass = NULL, *others = NULL;

	if (v->claim->verdict == VERDICT_PASS)
		return NULL;
	TRY(gitstore_note_own(&pass, &others, v->session.git, id,
			      claim_is_pass));
	if (!pass)
		return NULL;
	v->failed = steal(&v->claim);
	v->claim = steal(&pass);
	return NULL;
}

static struct error *read_claim(struct verification *v, const char *id)
{
	cleanup_measurement struct measurement *others = NULL;
	const char *of;

	TRY(gitstore_note_own(&v->claim, &others, v->session.git, id,
			      claim_is));
	if (v->claim)
		return prefer_pass(v, id);
	of = others ? measurement_get(others, "of") : NULL;
	if (others)
		return error_new(ERROR_NOT_FOUND,
				 "nothing is claimed of %.12s itself: its note "
				 "has the scores of %.12s, whose sources are "
				 "others; `avogit score` measures it",
				 id, of ? of : "another commit");
	return error_new(ERROR_NOT_FOUND,
			 "nothing is claimed of %.12s: it has no score yet, "
			 "`avogit score` gives it one",
			 id);
}

/* Loads the commits that the claim says it beats. One that is missing here
 * cannot be measured, and its point of the claim fails. */
static struct error *call_rivals(struct verification *v)
{
	struct archive *archive = v->session.archive;

	for (size_t i = 0; i < v->claim->n_comparisons; i++) {
		const struct comparison *c = &v->claim->comparisons[i];
		struct candidate *rival = &v->rival[v->n_rivals];
		struct error *err;

		if (c->rival == RIVAL_BASELINE ||
		    c->decision != DECISION_FASTER || v->n_rivals == MAX_RIVALS)
			continue;
		err = archive->load(archive, rival, c->name);
		if (error_is(err, ERROR_NOT_FOUND)) {
			error_free(err);
			continue;
		}
		TRY(err);
		v->request[v->n_rivals++] =
			(struct rival_request){c->rival, rival};
	}
	return NULL;
}

static struct error *find_start(struct verification *v,
				const struct commit_id *id, const char *run)
{
	struct gitstore *git = v->session.git;
	cleanup_record struct candidate_record r = {0};

	TRY(record_read(&r, git, id->hex, run));
	return r.number ? record_start(&v->start, git, v->claim, r.run) : NULL;
}

static const char *start_of(const struct verification *v)
{
	return *v->start.hex ? v->start.hex : NULL;
}

/* Most measurements of a failing claim while the machine is unsteady. */
#define MAX_TRIES 3

static struct error *measure(struct verification *v)
{
	struct evaluator *evaluator = v->session.evaluator;
	struct score_request request = {
		.candidate = &v->candidate,
		.rivals = v->request,
		.n_rivals = v->n_rivals,
		.baselines = measurement_against(v->claim, RIVAL_BASELINE,
						 NULL) != NULL,
	};
	cleanup_waits struct waits waits;

	waits_begin(&waits, &v->session,
		    xasprintf("measuring %.10s again", v->candidate.id.hex));
	TRY(scorer_require_device(evaluator));
	TRY(scorer_check_task(evaluator));
	for (size_t i = 0; i < MAX_TRIES; i++) {
		measurement_free(v->today);
		v->today = NULL;
		strvec_release(&v->points);
		TRY(evaluator->score(evaluator, &v->today, &request));
		v->holds = claim_holds(&v->points, v->claim, v->today,
				       start_of(v));
		if (v->holds || !measurement_get(v->today, "unsteady"))
			break;
	}
	measurement_set(v->today, CLAIM_KEY, v->claim->id);
	measurement_set(v->today, "claim", v->holds ? "holds" : "fails");
	TRY(record_keep(v->session.git, v->candidate.id.hex, v->today));
	waits_release(&waits);
	return refuted_tell_runs(v->session.git, v->candidate.id.hex, v->today);
}

static struct error *verify(struct verification *v, const char *rev)
{
	struct session *s = &v->session;
	char run[RUN_NAME_MAX + 1];
	struct commit_id id;

	TRY(session_open(s, v->o.color));
	s->comparison_seconds = v->o.seconds;
	TRY(gitstore_resolve_in(&id, run, s->git, rev));
	TRY(read_claim(v, id.hex));
	TRY(gitstore_pass_over(find_start(v, &id, run)));
	TRY(session_task(s, id.hex, v->o.task));
	TRY(session_require_trust(s, TRUST_LAUNCHER, v->o.task));
	TRY(session_scorer(s, id.hex, NULL));
	TRY(s->archive->load(s->archive, &v->candidate, id.hex));
	TRY(call_rivals(v));
	return measure(v);
}

static void print_measured(const struct verification *v, const char *label,
			   const struct measurement *m)
{
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	char time[21];

	clock_format(time, m->time_us);
	report_headline(&line, m);
	printf("%s%-8s%s%s  %s\n", color_begin(&v->session.color, COLOR_FAINT),
	       label, color_end(&v->session.color, COLOR_FAINT), time,
	       line.data);
}

static void print(const struct verification *v)
{
	const struct palette *p = &v->session.color;
	enum color color = v->holds ? COLOR_GOOD : COLOR_BAD;
	bool elsewhere =
		!str_eq(v->claim->identity.machine, v->today->identity.machine);

	print_measured(v, "claimed", v->claim);
	if (v->failed)
		print_measured(v, "since", v->failed);
	print_measured(v, "today", v->today);
	report_cases(v->today, p, start_of(v));
	report_log(v->today);
	putchar('\n');
	if (elsewhere)
		puts("  the claim is of another kind of machine: its figures "
		     "are not held against today's");
	if (!str_eq(v->claim->identity.task, v->today->identity.task))
		puts("  the claim was made under another task");
	for (size_t i = 0; i < v->points.n; i++) {
		cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

		out_clean_line(&line, v->points.v[i]);
		printf("  %s\n", line.data);
	}
	printf("%sthe claim %s%s\n", color_begin(p, color),
	       v->holds ? "holds" : "does not hold", color_end(p, color));
}

static void print_json(const struct verification *v)
{
	cleanup_json struct json *j = out_json_new();

	json_set_string(j, "commit", v->candidate.id.hex);
	json_set_bool(j, "holds", v->holds);
	json_set(j, "points", json_strings(&v->points));
	json_set(j, "claim", measurement_to_json(v->claim));
	if (v->failed)
		json_set(j, "failed", measurement_to_json(v->failed));
	json_set(j, "measurement", measurement_to_json(v->today));
	out_json(j);
}

static struct error *in_project(struct verification *v, const char *rev)
{
	const struct own_benchmark b = {
		.command = v->o.in,
		.runs = v->o.runs ? v->o.runs : 5,
		.seconds = v->o.seconds > 0 ? v->o.seconds : 600,
		.json = v->o.json,
	};

	if (!v->o.in || v->o.task)
		return error_new(ERROR_USAGE,
				 "verify: --in COMMAND goes with --runs, "
				 "--time, --json and --color only, and --runs "
				 "with --in");
	if (b.runs < 2 || b.runs > 100 || !*b.command)
		return error_new(ERROR_USAGE,
				 "verify: --runs is from 2 to 100, and COMMAND "
				 "is not empty");
	TRY(session_open(&v->session, v->o.color));
	return own_benchmark_run(&b, v->session.git, rev, &v->session.color);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(verification) struct verification v = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;

	TRY(command_parse(self, &v.o, &operands, argv));
	if (v.o.in || v.o.runs)
		return in_project(&v, operands.v[0]);
	TRY(verify(&v, operands.v[0]));
	if (v.o.json)
		print_json(&v);
	else
		print(&v);
	*code = v.holds ? CODE_YES : CODE_NO;
	return NULL;
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "The claim does not hold."},
	{CODE_YES, NULL},
};

const struct command command_verify = {
	.name = "verify",
	.operands = "REV",
	.summary = "measures a candidate again: does its claim hold?",
	.about = "Takes what the newest score of a commit that passed claims "
		 "(whom it beats and by\nhow much; where none passed, the "
		 "newest "
		 "verdict), measures it and those rivals\nagain with today's "
		 "scorer, under the task that the commit itself holds, and "
		 "says\nwhether the claim holds. A failure since then is said "
		 "beside it. The measurement is\nkept beside the claim. Exit "
		 "code 1 if it does not hold.\n"
		 "With --in COMMAND the project's own benchmark is run "
		 "instead, by sh, in a checkout\nof the commit and in one of "
		 "what it began from, in turns; every number that it\nprints "
		 "in all runs is shown before and after. It runs as you, "
		 "OUTSIDE the sandbox,\nand so does the code of both "
		 "commits: read that first (docs/trust.md).",
	.options = options,
	.exits = exits,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
