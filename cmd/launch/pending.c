#include "cmd/launch/pending.h"

#include "cmd/session/consent.h"
#include "cmd/session/waits.h"
#include "cmd/ui/report.h"

/* ---- one run ------------------------------------------------------------- */

void pending_run_release(struct pending_run *r)
{
	candidate_release(&r->start);
	population_release(&r->population);
	session_release(&r->session);
}

struct error *pending_run_open(struct pending_run *r,
			       const volatile int *stop_now)
{
	struct session *s = &r->session;
	const struct entry *record = &r->population.record;

	TRY(session_open(s, r->p->color));
	TRY(gitstore_population(&r->population, s->git, r->name));
	if (!r->population.has_record)
		return NULL;
	TRY(committed_task_read(&s->at, s, record->base.hex,
				record->task_path));
	TRY(session_require_trust(s, TRUST_LAUNCHER, NULL));
	s->comparison_seconds = r->p->seconds;
	TRY(session_scorer(s, record->base.hex, stop_now));
	TRY(s->archive->load(s->archive, &r->start, record->base.hex));
	return NULL;
}

static struct error *score_here(struct measurement **out, struct pending_run *r,
				const struct attempt *a,
				const struct candidate *c)
{
	struct evaluator *evaluator = r->session.evaluator;
	struct rival_request rival = {RIVAL_START, &r->start};
	const struct score_request request = {
		.candidate = c,
		.rivals = &rival,
		.n_rivals = a->number > 0 ? 1 : 0,
		.baselines = true,
	};
	cleanup_waits struct waits waits;

	waits_begin(&waits, &r->session,
		    xasprintf("scoring %s#%lld", r->name,
			      (long long)a->number));
	if (!r->task_checked)
		TRY(scorer_check_task(evaluator));
	r->task_checked = true;
	return evaluator->score(evaluator, out, &request);
}

struct error *pending_run_keep(struct pending_run *r, const struct attempt *a,
			       const struct measurement *m)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_MEASUREMENT, r->name);
	e.candidate = a->id;
	e.number = a->number;
	e.measurement = measurement_dup(m);
	e.accepted = a->accepted;
	return gitstore_append(r->session.git, &e);
}

struct error *pending_run_measure(struct measurement **out,
				  struct pending_run *r,
				  const struct attempt *a,
				  const struct candidate *c, const char *job)
{
	cleanup_measurement struct measurement *m = NULL;

	TRY(score_here(&m, r, a, c));
	if (m->verdict == VERDICT_NOT_RUN)
		return error_new(ERROR_REFUSED,
				 "kernels of run %s cannot be run here: %s",
				 r->name, m->why ? m->why : "there is no GPU");
	if (job)
		measurement_set(m, JOB_KEY, job);
	TRY(pending_run_keep(r, a, m));
	*out = steal(&m);
	return NULL;
}

void pending_run_say(struct pending_run *r, const struct attempt *a,
		     const struct measurement *m)
{
	const struct palette *palette = &r->session.color;
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	char brief[COMMIT_ID_LEN + 1];

	r->p->measured++;
	r->p->failed += m->verdict != VERDICT_PASS;
	if (r->p->json) {
		struct json *j = json_object();

		json_set_string(j, "commit", a->id.hex);
		json_set_string(j, "run", r->name);
		json_set_bool(j, "recorded", false);
		json_set(j, "measurement", measurement_to_json(m));
		json_push(r->p->scores, j);
		return;
	}
	gitstore_abbreviate(brief, r->session.git, a->id.hex);
	report_headline(&line, m);
	printf("%s%s%s %s#%lld  %s\n", color_begin(palette, COLOR_ID), brief,
	       color_end(palette, COLOR_ID), r->name, (long long)a->number,
	       line.data);
	fflush(stdout);
}

/* ---- all of them, here --------------------------------------------------- */

static struct error *is_known(bool *out, struct pending_run *r,
			      const struct candidate *c)
{
	struct evaluator *evaluator = r->session.evaluator;
	struct archive *archive = r->session.archive;
	cleanup_measurement struct measurement *m = NULL;
	struct identity identity;

	evaluator->identify(evaluator, &identity, c);
	TRY(archive->find(archive, &m, &identity));
	*out = m && m->verdict != VERDICT_NOT_RUN;
	return NULL;
}

static struct error *measure_attempt(struct pending_run *r,
				     const struct attempt *a)
{
	struct archive *archive = r->session.archive;
	cleanup_candidate struct candidate c = {0};
	cleanup_measurement struct measurement *m = NULL;
	bool known;

	TRY(archive->load(archive, &c, a->id.hex));
	TRY(is_known(&known, r, &c));
	if (known)
		return NULL;
	TRY(pending_run_measure(&m, r, a, &c, NULL));
	if (m)
		pending_run_say(r, a, m);
	return NULL;
}

static struct error *measure_run(struct pending *p, const char *name)
{
	cleanup_pending_run struct pending_run r = {.p = p, .name = name};
	struct error *err = pending_run_open(&r, NULL);

	if (err) {
		cleanup_free char *why = xstrdup(error_message(err));

		TRY(gitstore_pass_over(err));
		fprintf(stderr, "avogit: left out: %s\n", why);
		return NULL;
	}
	if (gitstore_run_holder(r.session.git, name)) {
		fprintf(stderr,
			"avogit: run %s is being extended here and left to "
			"that\n",
			name);
		return NULL;
	}
	for (size_t i = 0; i < r.population.n && r.session.evaluator; i++)
		TRY(measure_attempt(&r, &r.population.attempt[i]));
	return NULL;
}

struct error *pending_measure(struct pending *p)
{
	cleanup_gitstore struct gitstore *g = NULL;
	cleanup_strvec struct strvec runs = STRVEC_INIT;

	TRY(gitstore_open(&g, "."));
	TRY(gitstore_runs(&runs, g));
	for (size_t i = 0; i < runs.n; i++)
		TRY(error_wrap(measure_run(p, runs.v[i]), "run %s", runs.v[i]));
	return NULL;
}
