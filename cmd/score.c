/* avogit score: scores commits or the work tree. */
#include "agent/operators.h"
#include "cmd/cmd.h"
#include "cmd/launch/launch.h"
#include "cmd/launch/serve.h"
#include "cmd/session/consent.h"
#include "cmd/session/evolving.h"
#include "cmd/session/record.h"
#include "cmd/session/refuted.h"
#include "cmd/session/session.h"
#include "cmd/session/waits.h"
#include "cmd/ui/exit_code.h"
#include "cmd/ui/live.h"
#include "cmd/ui/out.h"
#include "cmd/ui/report.h"
#include "core/base/clock.h"
#include "core/base/error.h"

/* ---- an attempt of a run ------------------------------------------------- */

/* Scores the work tree as the next attempt of a run. */

struct attempt_options {
	const char *run, *message, *task;
	const struct strvec *again; /* attempts to measure again; may be NULL */
	bool pending;		    /* only what is in flight */
	double seconds; /* most for a comparison; 0: the scorer's own */
	const char *color;
};

/* Reads the work tree's sources, as the task of the run names them. */
static struct error *read_sources(struct fileset *out, const struct session *s)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_error struct error *unborn = NULL;
	struct commit_id head;

	if (!gitstore_work_dir(s->git))
		return error_new(ERROR_REFUSED,
				 "a bare repository has no work tree to score");
	unborn = gitstore_resolve(&head, s->git, "HEAD");
	if (unborn)
		head = s->at.commit;
	task_source_patterns(&patterns, s->at.task);
	return gitstore_work_files(out, s->git, head.hex, &patterns);
}

/* The attempt of this call; NULL if these sources were measured before. */
static const struct attempt *newest(const struct evolving *e)
{
	const struct population *p = &e->population;

	return p->n > e->attempts_before + 1 && p->n > 1 ? &p->attempt[p->n - 1]
							 : NULL;
}

static void say_nothing_new(void)
{
	puts("nothing new: the work tree is what the run goes on from, or an "
	     "attempt of it; what -m says is not kept: give it again with a "
	     "change");
}

static void report(enum exit_code *code, const struct evolving *e,
		   const struct attempt *a)
{
	if (!a) {
		say_nothing_new();
		return;
	}
	if (!a->measurement) {
		puts("it builds, and nothing can be run here: `avogit sync`, "
		     "then `avogit score --pending`, or `avogit evolve`, on "
		     "a machine with a GPU measures it");
	} else {
		report_cases(a->measurement, &e->session.color,
			     e->population.attempt[0].id.hex);
		*code = a->measurement->verdict == VERDICT_PASS ? CODE_YES
								: CODE_NO;
	}
}

/* Has it these sources, and is it in flight or passed? One that is not in this
 * clone is taken for another. */
static bool has_sources(const struct evolving *e, const struct attempt *a,
			const char *sources_id)
{
	struct archive *archive = e->evolve.archive;
	cleanup_candidate struct candidate c = {0};
	cleanup_error struct error *err = NULL;

	if (a->measurement)
		return a->measurement->verdict == VERDICT_PASS &&
		       strncmp(a->measurement->identity.sources, sources_id,
			       IDENTITY_HEX_LEN) == 0;
	err = archive->load(archive, &c, a->id.hex);
	return !err && str_eq(c.sources_id, sources_id);
}

/* Where something can be run such an attempt has the figures of the first at
 * once; here it would wait for a machine, to be the same. */
static struct error *is_proposed_again(bool *out, const struct evolving *e,
				       const struct fileset *sources)
{
	cleanup_population struct population p = {0};
	char sources_id[FILESET_ID_LEN + 1];

	*out = false;
	if (!e->evolve.proposes || !e->resumed)
		return NULL;
	TRY(gitstore_population(&p, e->session.git, e->evolve.run));
	fileset_id(sources_id, sources);
	for (size_t i = p.n; !*out && i-- > 0;)
		*out = has_sources(e, &p.attempt[i], sources_id);
	return NULL;
}

/* Begins the run at HEAD if it is new. CODE_NO if the candidate fails. */
static struct error *attempt_score(enum exit_code *code,
				   const struct attempt_options *o)
{
	struct evolve_options evolve = {.run = o->run,
					.attempts = 1,
					.as_it_is = true,
					.task = o->task,
					.color = o->color};
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_evolving struct evolving e = {.say = stdout};
	enum ending ending;
	bool again;

	e.session.comparison_seconds = o->seconds;
	TRY(hand_new(&e.operator_, &sources, o->message));
	TRY(evolving_prepare(&e, &evolve));
	TRY(read_sources(&sources, &e.session));
	TRY(is_proposed_again(&again, &e, &sources));
	if (again) {
		say_nothing_new();
		return NULL;
	}
	TRY(gitstore_resolve(&e.evolve.made_from, e.session.git, "HEAD"));
	e.evolve.listener = &e.progress.listener;
	TRY(error_wrap(evolve_run(&ending, &e.population, &e.evolve), "run %s",
		       e.evolve.run));
	live_end();
	report(code, &e, newest(&e));
	evolving_print_left(&e.session, &e.population);
	if (ending == ENDING_INTERRUPTED)
		*code = CODE_INTERRUPTED;
	return NULL;
}

/* ---- attempts of a run, again -------------------------------------------- */

/* The attempt whose sources the work tree has. */
static struct error *find_by_sources(struct commit_id *id,
				     const struct evolving *e)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;
	const struct population *p = &e->before;
	char sources_id[FILESET_ID_LEN + 1];
	const char *run = e->evolve.run;

	TRY(read_sources(&sources, &e->session));
	fileset_id(sources_id, &sources);
	for (size_t i = p->n; i-- > 0;) {
		const struct measurement *m = p->attempt[i].measurement;

		if (!m || strncmp(m->identity.sources, sources_id,
				  IDENTITY_HEX_LEN) != 0)
			continue;
		*id = p->attempt[i].id;
		return NULL;
	}
	return error_new(ERROR_NOT_FOUND,
			 "the work tree is no attempt of run %s that was "
			 "measured: name one (%s#3), or make it one (score "
			 "--run %s -m TEXT)",
			 run, run, run);
}

static struct error *find_again(struct strvec *ids, const struct evolving *e,
				const struct strvec *revs)
{
	char run[RUN_NAME_MAX + 1];
	struct commit_id id;

	for (size_t i = 0; i < revs->n; i++) {
		TRY(gitstore_resolve_in(&id, run, e->session.git, revs->v[i]));
		strvec_push(ids, id.hex);
	}
	if (ids->n)
		return NULL;
	TRY(find_by_sources(&id, e));
	strvec_push(ids, id.hex);
	return NULL;
}

static size_t in_flight(const struct population *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += !attempt_is_measured(&p->attempt[i]);
	return n;
}

/* Measures attempts of a run once more, against its champion; before them, or
 * instead of them, those that are in flight, as a run does when it goes on. */
static struct error *attempts_again(enum exit_code *code,
				    const struct attempt_options *o)
{
	struct evolve_options evolve = {.run = o->run,
					.as_it_is = true,
					.keep_before = true,
					.task = o->task,
					.color = o->color};
	cleanup_strvec struct strvec ids = STRVEC_INIT;
	cleanup_fileset struct fileset none = FILESET_INIT;
	cleanup_evolving struct evolving e = {.say = stdout};
	enum ending ending;

	e.session.comparison_seconds = o->seconds;
	TRY(hand_new(&e.operator_, &none, "measured again"));
	TRY(evolving_prepare(&e, &evolve));
	TRY(scorer_require_device(e.session.evaluator));
	if (o->again)
		TRY(find_again(&ids, &e, o->again));
	if (o->pending && !in_flight(&e.before)) {
		live_end();
		puts("nothing is pending");
		return NULL;
	}
	population_release(&e.before);
	e.evolve.listener = &e.progress.listener;
	e.evolve.again = &ids;
	TRY(error_wrap(evolve_run(&ending, &e.population, &e.evolve), "run %s",
		       e.evolve.run));
	live_end();
	for (size_t i = 0; i < ids.n; i++)
		report(code, &e, population_find(&e.population, ids.v[i]));
	evolving_print_left(&e.session, &e.population);
	if (ending == ENDING_INTERRUPTED)
		*code = CODE_INTERRUPTED;
	return NULL;
}

/* ---- avogit score -------------------------------------------------------- */

struct score_options {
	bool again;
	bool sanitize;
	bool check_runner;
	bool pending;
	bool job;
	bool json;
	const char *launch;
	const char *against;
	const char *run;
	const char *message;
	const char *task;
	const char *arch;
	double seconds;
	const char *color;
};

static const struct opt options[] = {
	OPT(struct score_options, again, "again", 0, NULL,
	    "measure again what was measured before"),
	OPT(struct score_options, pending, "pending", 0, NULL,
	    "what of the runs was never measured on this kind of machine"),
	OPT(struct score_options, launch, "launch", 0, "NAME",
	    "with --pending: on the machine that this launch leads to"),
	OPT(struct score_options, job, "job", 0, NULL,
	    "what another machine's --launch asks for on stdin"),
	OPT(struct score_options, against, "against", 0, "REV",
	    "compare with this commit, in the same minutes"),
	OPT(struct score_options, run, "run", 'r', "NAME",
	    "score the work tree as the next attempt of this run"),
	OPT(struct score_options, message, "message", 'm', "TEXT",
	    "with --run: what was tried, an empty line, why it should help"),
	OPT(struct score_options, sanitize, "sanitize", 0, NULL,
	    "play what passes under compute-sanitizer, too"),
	OPT(struct score_options, check_runner, "check-runner", 0, NULL,
	    "only check whether the task's runner keeps the protocol"),
	OPT(struct score_options, task, "task", 0, "FILE",
	    "task file (the nearest avogit.yaml)"),
	OPT(struct score_options, arch, "arch", 0, "NAME",
	    "compile for this architecture (sm_90a); nothing is recorded"),
	OPT(struct score_options, seconds, "time", 0, "SPAN",
	    "compare for at most so long (20s)"),
	OPT(struct score_options, json, "json", 0, NULL, "as JSON"),
	OPT(struct score_options, color, "color", 0, "WHEN",
	    "always, never or auto"),
	OPT_END,
};

struct score_command {
	struct session session;
	struct score_options o;
	struct candidate rival; /* --against */
	bool task_checked;
	bool known_not_run; /* the candidate at hand is recorded as not run */
	size_t passed, failed, not_run;
};

static void score_command_release(struct score_command *s)
{
	candidate_release(&s->rival);
	session_release(&s->session);
}
DEFINE_RELEASE(score_command, struct score_command, score_command_release)

/* The sanitizers that the task chose, else the default ones. */
static unsigned sanitizers(const struct score_command *s)
{
	unsigned chosen = s->session.at.task->sanitizers;

	return chosen ? chosen : SANITIZERS_DEFAULT;
}

static bool was_clean(const struct measurement *m, unsigned tools)
{
	const char *clean = measurement_get(m, "sanitized");

	for (unsigned i = 0; i < SANITIZER_COUNT; i++)
		if (tools & 1U << i &&
		    (!clean ||
		     !strstr(clean, sanitizer_name((enum sanitizer_tool)i))))
			return false;
	return true;
}

static struct error *find_recorded(struct score_command *s,
				   struct measurement **out,
				   const struct candidate *c)
{
	struct evaluator *evaluator = s->session.evaluator;
	struct archive *archive = s->session.archive;
	cleanup_measurement struct measurement *m = NULL;
	struct identity identity;

	s->known_not_run = false;
	if (s->o.again || s->o.arch)
		return NULL;
	evaluator->identify(evaluator, &identity, c);
	TRY(archive->find(archive, &m, &identity));
	/* A GPU may be present now, and a build is cheap. */
	s->known_not_run = m && m->verdict == VERDICT_NOT_RUN;
	if (s->known_not_run)
		return NULL;
	/* A pass without the sanitizers says nothing about their faults. */
	if (m && s->o.sanitize && m->verdict == VERDICT_PASS &&
	    !was_clean(m, sanitizers(s)))
		return NULL;
	if (m && (!s->o.against ||
		  measurement_against(m, RIVAL_INCUMBENT, s->rival.id.hex)))
		*out = steal(&m);
	return NULL;
}

static struct error *measure(struct score_command *s, struct measurement **out,
			     const struct candidate *c)
{
	struct evaluator *evaluator = s->session.evaluator;
	cleanup_measurement struct measurement *m = NULL;
	struct rival_request rival = {RIVAL_INCUMBENT, &s->rival};
	struct score_request request = {
		.candidate = c,
		.rivals = &rival,
		.n_rivals = s->o.against ? 1 : 0,
		.baselines = true,
		.confirm = s->o.against != NULL,
		.sanitizers = s->o.sanitize ? sanitizers(s) : 0,
	};
	cleanup_waits struct waits waits;

	waits_begin(&waits, &s->session, xasprintf("scoring %.10s", c->id.hex));
	if (!s->task_checked)
		TRY(scorer_check_task(evaluator));
	s->task_checked = true;
	TRY(evaluator->score(evaluator, &m, &request));
	if (!s->o.arch && (!s->known_not_run || m->verdict != VERDICT_NOT_RUN))
		TRY(record_keep(s->session.git, c->id.hex, m));
	*out = steal(&m);
	return NULL;
}

static void print(const struct score_command *s, const char *id,
		  const struct measurement *m, bool recorded)
{
	const struct palette *p = &s->session.color;
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	enum color color = m->verdict == VERDICT_PASS ? COLOR_GOOD : COLOR_BAD;
	char brief[COMMIT_ID_LEN + 1], time[21];

	gitstore_abbreviate(brief, s->session.git, id);
	clock_format(time, m->time_us);
	report_headline(&line, m);
	printf("%s%s%s  %s%s%s\n", color_begin(p, COLOR_ID), brief,
	       color_end(p, COLOR_ID), color_begin(p, color), line.data,
	       color_end(p, color));
	if (recorded)
		printf("%s  measured before, at %s: --again measures it "
		       "again%s\n",
		       color_begin(p, COLOR_FAINT), time,
		       color_end(p, COLOR_FAINT));
	report_cases(m, p, NULL);
	report_resources(m, p);
	report_log(m);
}

static struct json *score_json(const char *id, const struct measurement *m,
			       bool recorded)
{
	struct json *j = json_object();

	json_set_string(j, "commit", id);
	json_set_bool(j, "recorded", recorded);
	json_set(j, "measurement", measurement_to_json(m));
	return j;
}

static struct error *score(struct score_command *s, struct json *scores,
			   const char *id)
{
	struct archive *archive = s->session.archive;
	cleanup_candidate struct candidate c = {0};
	cleanup_measurement struct measurement *m = NULL;
	bool recorded;

	TRY(archive->load(archive, &c, id));
	TRY(find_recorded(s, &m, &c));
	recorded = m != NULL;
	if (!m)
		TRY(measure(s, &m, &c));
	if (m->verdict == VERDICT_PASS)
		s->passed++;
	else
		s->failed++;
	if (m->verdict == VERDICT_NOT_RUN)
		s->not_run++;
	if (s->o.json)
		json_push(scores, score_json(id, m, recorded));
	else
		print(s, id, m, recorded);
	return s->o.arch ? NULL : refuted_tell_runs(s->session.git, id, m);
}

/* Resolves all names first: a wrong one must not cost a measurement. */
static struct error *resolve(struct strvec *ids, struct commit_id *rival,
			     struct score_command *s, const struct strvec *revs)
{
	struct commit_id id;

	if (s->o.against)
		TRY(gitstore_resolve(rival, s->session.git, s->o.against));
	for (size_t i = 0; i < revs->n; i++) {
		TRY(gitstore_resolve(&id, s->session.git, revs->v[i]));
		strvec_push(ids, id.hex);
	}
	if (!revs->n) {
		TRY(session_snapshot(&id, &s->session, "score"));
		strvec_push(ids, id.hex);
	}
	return NULL;
}

static void say_check(void *arg, bool ok, const char *what, const char *why)
{
	struct score_command *s = arg;
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	s->failed += !ok;
	printf("%s  %s\n", ok ? "ok    " : "not ok", what);
	if (ok || !why)
		return;
	out_clean_line(&line, why);
	printf("        %s\n", line.data);
}

static struct error *check_runner(struct score_command *s, const char *id)
{
	const struct runner_check_report report = {say_check, s};
	struct session *session = &s->session;
	cleanup_candidate struct candidate c = {0};

	TRY(session->archive->load(session->archive, &c, id));
	return scorer_check_runner(session->evaluator, &c, &report);
}

/* A pass says no more than the task asks, and what init guessed may ask little:
 * one row, or sizes of which nothing depends. */
static void say_guesses(const struct score_command *s)
{
	const struct committed_task *at = &s->session.at;
	size_t n = s->passed && !s->o.json ? committed_task_guesses(at) : 0;

	if (n)
		printf("\n%zu line%s of %s %s still marked GUESS: correct what "
		       "is wrong there, and take the mark%s out\n",
		       n, n == 1 ? "" : "s", at->task->path,
		       n == 1 ? "is" : "are", n == 1 ? "" : "s");
}

static struct error *score_all(struct score_command *s, struct json *scores,
			       const struct strvec *revs)
{
	struct session *session = &s->session;
	cleanup_strvec struct strvec ids = STRVEC_INIT;
	struct commit_id head, rival;

	TRY(session_open(session, s->o.color));
	session->arch = s->o.arch;
	session->comparison_seconds = s->o.seconds;
	TRY(gitstore_resolve(&head, session->git, "HEAD"));
	TRY(session_task(session, head.hex, s->o.task));
	TRY(session_require_trust(session, TRUST_LAUNCHER, s->o.task));
	TRY(resolve(&ids, &rival, s, revs));
	TRY(session_scorer(session, head.hex, NULL));
	if (s->o.sanitize)
		TRY(scorer_require_sanitizer(session->evaluator));
	if (s->o.against)
		TRY(session->archive->load(session->archive, &s->rival,
					   rival.hex));
	if (s->o.check_runner)
		return check_runner(s, ids.v[0]);
	for (size_t i = 0; i < ids.n; i++) {
		if (i && !s->o.json)
			putchar('\n');
		TRY(score(s, scores, ids.v[i]));
	}
	say_guesses(s);
	return NULL;
}

static struct error *into_run(enum exit_code *code,
			      const struct score_options *o,
			      const struct strvec *revs)
{
	const struct attempt_options attempt = {
		.run = o->run,
		.message = o->message,
		.task = o->task,
		.again = o->again ? revs : NULL,
		.pending = o->pending,
		.seconds = o->seconds,
		.color = o->color,
	};

	if (!o->run || !!o->message + o->again + o->pending != 1 ||
	    (revs->n && !o->again) || o->against || o->json || o->sanitize ||
	    o->arch)
		return error_new(
			ERROR_USAGE,
			"score --run NAME -m TEXT makes the work tree "
			"the next attempt of a run, score --run NAME "
			"--again [REV...] measures attempts of it "
			"again, score --run NAME --pending those that "
			"never were; each goes with --task, --time and "
			"--color only");
	return o->message ? attempt_score(code, &attempt)
			  : attempts_again(code, &attempt);
}

static struct error *score_pending(struct score_command *s, struct json *scores)
{
	struct pending p = {
		.seconds = s->o.seconds,
		.color = s->o.color,
		.json = s->o.json,
		.scores = scores,
	};

	bool whole = true;

	if (s->o.job)
		return serve_job(&p);
	TRY(s->o.launch ? launch_pending(&whole, &p, s->o.launch)
			: pending_measure(&p));
	s->failed = p.failed + !whole;
	if (!p.measured && !s->o.json)
		puts("nothing is pending");
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(score_command) struct score_command s = {0};
	cleanup_strvec struct strvec revs = STRVEC_INIT;
	cleanup_json struct json *j = out_json_new();
	struct json *scores = json_array();

	json_set(j, "scores", scores);
	TRY(command_parse(self, &s.o, &revs, argv));
	s.o.pending = s.o.pending || s.o.job;
	if ((s.o.launch && !s.o.pending) ||
	    (s.o.job && (s.o.launch || s.o.json)) ||
	    ((s.o.job || s.o.launch) && s.o.run))
		return error_new(ERROR_USAGE,
				 "score: --launch goes with --pending, --job "
				 "with neither it nor --json, and both without "
				 "--run");
	if (s.o.pending && !s.o.run &&
	    (revs.n || s.o.again || s.o.against || s.o.task || s.o.sanitize ||
	     s.o.message || s.o.arch))
		return error_new(ERROR_USAGE,
				 "score: --pending chooses itself what to "
				 "measure: no REV, --again, --against, --task, "
				 "--sanitize, -m, --arch");
	if (s.o.check_runner &&
	    (revs.n > 1 || s.o.again || s.o.pending || s.o.against ||
	     s.o.sanitize || s.o.run || s.o.message || s.o.arch || s.o.json))
		return error_new(ERROR_USAGE,
				 "score: --check-runner goes with one REV at "
				 "most, and with --task only");
	if (s.o.run || s.o.message)
		return into_run(code, &s.o, &revs);
	TRY(s.o.pending ? score_pending(&s, scores)
			: score_all(&s, scores, &revs));
	if (s.o.json)
		out_json(j);
	if (s.not_run)
		out_error("nothing was run: there is no GPU here that could; "
			  "what the compiler knows is all that was found out");
	*code = s.failed ? CODE_NO : CODE_YES;
	return NULL;
}

static const struct exit_meaning exits[] = {
	{CODE_NO, "A kernel fails or could not be run."},
	{CODE_YES, NULL},
};

const struct command command_score = {
	.name = "score",
	.operands = "[REV...]",
	.summary = "scores commits, or the work tree",
	.about = "Builds each commit's kernel, holds what it computes against "
		 "the reference, and\ntimes it against the task's baselines. "
		 "Without REV the work tree is scored, as a\ncommit of its "
		 "own. The task is that of HEAD. The score is kept as a note "
		 "on the\ncommit. Where there is no GPU a kernel in CUDA is "
		 "built, not run: it says so.\n--arch compiles for another "
		 "architecture than the task's or the card's, and runs that "
		 "where\nthe card can; it records nothing.\n--sanitize plays "
		 "one launch of "
		 "the smallest case and of "
		 "a hidden one under\nmemcheck, racecheck and initcheck "
		 "(docs/sanitize.md); what they find is a failure.\n"
		 "compute-sanitizer is taken from AVOGIT_COMPUTE_SANITIZER, "
		 "the PATH or where CUDA\nis; where there is none --sanitize "
		 "is refused.\n--check-runner only plays through what a runner "
		 "of "
		 "another language must do\n(docs/runner-protocol.md), with "
		 "sources that are right.\nWith --run and -m the work tree "
		 "becomes the "
		 "next attempt of a run (a new one begins\nat HEAD): what was "
		 "tried and why is kept with its figures, failures too.\nWith "
		 "--run and --pending attempts of the run that were never "
		 "measured meet its\nchampion, and may be crowned.\n"
		 "--pending --launch NAME has another machine measure: the "
		 "host avogit.launch.NAME.ssh\nof your git configuration, a "
		 "cluster, .slurm, or by a command, .command "
		 "(docs/launch.md).\n"
		 "Exit "
		 "code 1 if any kernel fails or could not be run.",
	.options = options,
	.exits = exits,
	.max_operands = SIZE_MAX,
	.run = run,
};
