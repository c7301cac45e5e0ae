#include "cmd/session/start_flags.h"

#include "cmd/session/consent.h"
#include "cmd/session/session.h"
#include "cmd/session/waits.h"
#include "cmd/ui/out.h"
#include "cmd/ui/report.h"

struct start_flags {
	struct pick *p;
	struct session session;
	struct strvec own, start; /* that the sources choose */
	struct candidate candidate, base;
	struct measurement *m;
	double seconds;
};

static void start_flags_release(struct start_flags *f)
{
	strvec_release(&f->own);
	strvec_release(&f->start);
	candidate_release(&f->candidate);
	candidate_release(&f->base);
	measurement_free(f->m);
	session_release(&f->session);
}
DEFINE_RELEASE(start_flags, struct start_flags, start_flags_release)

static struct error *read_task(struct start_flags *f)
{
	struct session *s = &f->session;
	cleanup_population struct population run = {0};

	TRY(session_open(s, NULL));
	if (*f->p->run)
		TRY(gitstore_recent(&run, s->git, f->p->run, 1));
	return session_run_task(s, f->p->base.hex, run.record.task_path);
}

static struct error *chosen(struct strvec *out, const struct start_flags *f,
			    const char *commit)
{
	const struct session *s = &f->session;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_fileset struct fileset files = FILESET_INIT;
	const char *path;
	size_t line;

	task_source_patterns(&patterns, s->at.task);
	TRY(gitstore_files(&files, s->git, commit, &patterns));
	path = task_chosen_flags(out, &line, s->at.task, &files);
	(void)path; /* where they are chosen does not matter here */
	return NULL;
}

static char *words(const struct strvec *flags)
{
	cleanup_buf struct buf b = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < flags->n; i++)
		buf_addf(&b, "%s%s", i ? " " : "", flags->v[i]);
	out_clean_line(&clean, b.len ? b.data : "none");
	return buf_take(&clean);
}

/* The same task, in which all is compiled with the flags of the start. */
static struct error *measure(struct start_flags *f)
{
	struct session *s = &f->session;
	struct rival_request rival = {RIVAL_START, &f->base};
	const struct score_request request = {.candidate = &f->candidate,
					      .rivals = &rival,
					      .n_rivals = 1,
					      .confirm = true};
	cleanup_waits struct waits waits = {.shown = false};

	TRY(session_require_trust(s, TRUST_LAUNCHER, NULL));
	s->comparison_seconds = f->seconds;
	s->at.task->fixed_flags = true;
	strvec_extend(&s->at.task->flags, &f->start);
	TRY(session_scorer(s, f->p->base.hex, NULL));
	TRY(scorer_require_device(s->evaluator));
	TRY(s->archive->load(s->archive, &f->candidate, f->p->commit.hex));
	TRY(s->archive->load(s->archive, &f->base, f->p->base.hex));
	waits_begin(&waits, s,
		    xstrdup("scoring it under the flags of the start"));
	return s->evaluator->score(s->evaluator, &f->m, &request);
}

/* Whether the flags that the sources choose cost more than they bring. */
static bool is_faster_without(const struct start_flags *f,
			      const struct comparison *without)
{
	const struct measurement *m = f->p->measurement;
	const struct comparison *with =
		m ? measurement_against(m, RIVAL_START, NULL) : NULL;

	/* The first champion's incumbent was the start. */
	if (m && !with)
		with = measurement_against(m, RIVAL_INCUMBENT, f->p->base.hex);
	return with && with->decision == DECISION_FASTER &&
	       without->decision == DECISION_FASTER &&
	       without->ratio95.lo > with->ratio95.hi;
}

static void say_measured(const struct start_flags *f)
{
	const struct measurement *m = f->m;
	const struct comparison *c = measurement_against(m, RIVAL_START, NULL);
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	if (m->verdict != VERDICT_PASS || !c) {
		report_headline(&line, m);
		printf("under the flags of the start: %s\n", line.data);
	} else if (c->decision == DECISION_NONE) {
		printf("under the flags of the start: %s beside the start\n",
		       decision_name(c->decision, c->ratio95));
	} else {
		printf("under the flags of the start: %.3fx the speed of the "
		       "start [%.3fx, %.3fx], %s\n",
		       c->ratio, c->ratio95.lo, c->ratio95.hi,
		       decision_name(c->decision, c->ratio95));
	}
	if (!c || c->decision != DECISION_FASTER)
		puts("  what won are the flags: build the project with them, "
		     "or it is not this winner");
	else if (is_faster_without(f, c))
		puts("  it is faster so than with the flags that it chooses: "
		     "take their line out of its sources, and score that");
}

/* What the start is compiled with: the task's flags, and those that its sources
 * choose behind them, each once, without a level that another overrides. */
static char *all_of_start(const struct start_flags *f)
{
	cleanup_strvec struct strvec all = STRVEC_INIT;
	const struct strvec *task = &f->session.at.task->flags;

	for (size_t i = 0; i < task->n; i++)
		if (!flag_is_replaced(task->v[i], &f->start) &&
		    !strvec_has(&all, task->v[i]))
			strvec_push(&all, task->v[i]);
	strvec_extend(&all, &f->start);
	return words(&all);
}

/* The lines may differ all the same: one may choose what the task has already. */
static bool are_same(const struct start_flags *f)
{
	cleanup_strvec struct strvec own = STRVEC_INIT, start = STRVEC_INIT;

	task_flags_in_force(&own, f->session.at.task, &f->own);
	task_flags_in_force(&start, f->session.at.task, &f->start);
	return strvec_equal(&own, &start);
}

static struct error *say_difference(struct start_flags *f, bool wanted)
{
	cleanup_free char *own = NULL, *start = NULL, *all = NULL;

	TRY(read_task(f));
	TRY(chosen(&f->own, f, f->p->commit.hex));
	TRY(chosen(&f->start, f, f->p->base.hex));
	if (are_same(f))
		return NULL;
	own = words(&f->own);
	start = words(&f->start);
	all = all_of_start(f);
	printf("  its sources choose %s, those of the start %s (it is "
	       "compiled with %s): your build has to, too\n",
	       own, start, all);
	fflush(stdout);
	if (!wanted)
		return NULL;
	TRY(measure(f));
	say_measured(f);
	return pick_tell_without(f->p, f->session.git, all, f->m);
}

struct error *start_flags_say(struct pick *p, bool wanted, double seconds)
{
	CLEANUP(start_flags)
	struct start_flags f = {.p = p, .seconds = seconds};
	const char *flags = p->measurement
				    ? measurement_get(p->measurement, "flags")
				    : NULL;
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	struct error *err;

	if (flags && *flags) {
		out_clean_line(&line, flags);
		printf("measured with %s\n", line.data);
	}
	err = say_difference(&f, wanted);
	if (!err || error_is(err, ERROR_INTERRUPTED))
		return err;
	buf_clear(&line);
	out_clean_line(&line, error_message(err));
	printf("not measured under the flags of the start: %s\n", line.data);
	error_free(err);
	return NULL;
}
