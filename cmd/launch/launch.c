#include "cmd/launch/launch.h"

#include "cmd/launch/command.h"
#include "cmd/launch/request.h"
#include "cmd/launch/slurm.h"
#include "cmd/ui/out.h"
#include "cmd/ui/stop.h"
#include "core/base/file.h"
#include "core/run/job.h"
#include "gitstore/sync/bundle.h"

struct launching {
	struct pending *p;
	const char *name;
	struct launch_way way;
	struct score_job job;
	size_t beyond; /* candidates that this job has no room for */
	struct strvec runs;
	/* Open until the answer is written; those of `runs`. */
	struct pending_run *run;
	char *folder; /* the request is made there */
	size_t answered;
};

static void launching_release(struct launching *l)
{
	for (size_t i = 0; l->run && i < l->runs.n; i++)
		pending_run_release(&l->run[i]);
	free(l->run);
	if (l->folder)
		error_free(dir_remove(l->folder));
	free(l->folder);
	launch_way_release(&l->way);
	job_release(&l->job);
	strvec_release(&l->runs);
}
DEFINE_RELEASE(launching, struct launching, launching_release)

/* ---- the job ------------------------------------------------------------- */

struct answer_wanted {
	const struct identity *identity;
	const char *launch;
};

/* Has this launch measured these sources by this task and scorer? */
static bool is_answer(const struct measurement *m, void *arg)
{
	const struct answer_wanted *w = arg;
	const char *launch = measurement_get(m, LAUNCH_KEY);

	return launch && str_eq(launch, w->launch) &&
	       str_eq(m->identity.task, w->identity->task) &&
	       str_eq(m->identity.sources, w->identity->sources) &&
	       str_eq(m->identity.scorer, w->identity->scorer) &&
	       m->verdict != VERDICT_NOT_RUN && m->verdict != VERDICT_UNUSABLE;
}

static struct error *identify(struct identity *out, struct pending_run *r,
			      const struct commit_id *id)
{
	struct archive *archive = r->session.archive;
	struct evaluator *evaluator = r->session.evaluator;
	cleanup_candidate struct candidate c = {0};

	TRY(archive->load(archive, &c, id->hex));
	evaluator->identify(evaluator, out, &c);
	return NULL;
}

static struct error *add_attempt(struct launching *l, struct pending_run *r,
				 const struct attempt *a)
{
	cleanup_free char *note = NULL;
	cleanup_measurement struct measurement *m = NULL;
	struct identity identity;
	struct answer_wanted wanted = {&identity, l->name};

	TRY(identify(&identity, r, &a->id));
	TRY(gitstore_note(&note, r->session.git, a->id.hex));
	if (note)
		m = measurement_note_find(note, is_answer, &wanted);
	if (m && is_answer(m, &wanted))
		return NULL;
	if (l->job.n == JOB_MAX)
		l->beyond++;
	else
		job_add(&l->job, r->name, &a->id);
	return NULL;
}

/* A run that cannot be read, or that another process extends, is left out. */
static struct error *add_run(struct launching *l, struct pending_run *r)
{
	struct error *err = pending_run_open(r, NULL);

	if (err) {
		cleanup_free char *why = xstrdup(error_message(err));

		TRY(gitstore_pass_over(err));
		fprintf(stderr, "avogit: left out: %s\n", why);
		return NULL;
	}
	if (gitstore_run_holder(r->session.git, r->name)) {
		fprintf(stderr,
			"avogit: run %s is being extended here and left to "
			"that\n",
			r->name);
		return NULL;
	}
	for (size_t i = 0; i < r->population.n && r->session.evaluator; i++)
		TRY(add_attempt(l, r, &r->population.attempt[i]));
	return NULL;
}

static struct error *make_job(struct launching *l)
{
	l->run = xcalloc(MAX(l->runs.n, 1), sizeof *l->run);
	for (size_t i = 0; i < l->runs.n; i++) {
		l->run[i].p = l->p;
		l->run[i].name = l->runs.v[i];
		TRY(error_wrap(add_run(l, &l->run[i]), "run %s", l->runs.v[i]));
	}
	return NULL;
}

/* The runs that the job is about, as the file `bundle`. */
static struct error *write_bundle(const struct launching *l,
				  const struct gitstore *g)
{
	cleanup_free char *bundle = xasprintf("%s/bundle", l->folder);
	cleanup_strvec struct strvec asked = STRVEC_INIT;

	for (size_t i = 0; i < l->job.n; i++)
		if (!strvec_has(&asked, l->job.candidate[i].run))
			strvec_push(&asked, l->job.candidate[i].run);
	return bundle_write(bundle, g, &asked);
}

/* ---- the answer ---------------------------------------------------------- */

static struct pending_run *run_of(struct launching *l, const char *name)
{
	for (size_t i = 0; i < l->runs.n; i++)
		if (str_eq(l->run[i].name, name))
			return &l->run[i];
	return NULL;
}

/* A job compares with the start of the run and with baselines. Any other
 * comparison would decide on a crown, which is not the far side's to give. */
static bool has_fair_rivals(const struct measurement *m,
			    const struct pending_run *r)
{
	for (size_t i = 0; i < m->n_comparisons; i++) {
		const struct comparison *c = &m->comparisons[i];

		if (c->rival != RIVAL_BASELINE &&
		    (c->rival != RIVAL_START ||
		     !str_eq(c->name, r->start.id.hex)))
			return false;
	}
	return true;
}

static struct error *check_result(struct launching *l,
				  const struct job_result *result)
{
	struct pending_run *r = run_of(l, result->of->run);
	const struct measurement *m = result->measurement;
	struct identity identity;

	TRY(identify(&identity, r, &result->of->id));
	if (!str_eq(m->identity.task, identity.task) ||
	    !str_eq(m->identity.sources, identity.sources))
		return error_new(ERROR_REFUSED,
				 "the measurement of candidate %.12s is of "
				 "another task or other sources",
				 result->of->id.hex);
	if (!str_eq(m->identity.scorer, identity.scorer))
		return error_new(ERROR_REFUSED,
				 "the other side's scorer is of version %s, "
				 "this one of %s: use the same avogit there",
				 m->identity.scorer, identity.scorer);
	if (m->verdict == VERDICT_NOT_RUN || m->verdict == VERDICT_UNUSABLE ||
	    measurement_is_ahead(m) || !*m->identity.machine)
		return error_new(ERROR_REFUSED,
				 "the measurement of candidate %.12s cannot be "
				 "used: %s",
				 result->of->id.hex,
				 m->why ? m->why : "date or machine are wrong");
	if (!has_fair_rivals(m, r))
		return error_new(ERROR_REFUSED,
				 "the measurement of candidate %.12s compares "
				 "with what it was not asked to",
				 result->of->id.hex);
	return NULL;
}

static struct error *keep_result(struct launching *l,
				 const struct job_result *result)
{
	struct pending_run *r = run_of(l, result->of->run);
	const struct attempt *a =
		population_find(&r->population, result->of->id.hex);

	if (!a)
		return error_new(ERROR_INTERNAL, "an attempt went away");
	measurement_set(result->measurement, LAUNCH_KEY, l->name);
	TRY(pending_run_keep(r, a, result->measurement));
	pending_run_say(r, a, result->measurement);
	return NULL;
}

/* All is checked before the first is written. */
static struct error *keep_answer(void *arg, const struct job_answer *a)
{
	struct launching *l = arg;

	if (a->left_out)
		fprintf(stderr,
			"avogit: left out %zu measurements of earlier starts "
			"of the job\n",
			a->left_out);
	for (size_t i = 0; i < a->n; i++)
		TRY(check_result(l, &a->result[i]));
	for (size_t i = 0; i < a->n; i++) {
		TRY(keep_result(l, &a->result[i]));
		l->answered++;
	}
	return NULL;
}

static struct error *not_all(const struct launching *l, const char *why)
{
	return error_new(ERROR_REFUSED,
			 "it answered for %zu of %zu candidates: %s; the same "
			 "command asks for the rest",
			 l->answered, l->job.n, why);
}

/* ---- by a command --------------------------------------------------------- */

static struct error *not_whole(const struct launching *l,
			       const struct job_answer *a,
			       const struct process_result *ran)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	if (ran->stopped)
		return error_new(ERROR_INTERRUPTED, "it was stopped");
	if (a->ended && a->n == l->job.n)
		return NULL;
	request_unanswered(&why, a, ran);
	return not_all(l, why.data);
}

static struct error *send(struct launching *l, const struct gitstore *g)
{
	cleanup_process_result struct process_result ran = {0};
	cleanup_job_answer struct job_answer answer = {.n = 0};
	cleanup_fd int request = -1;

	TRY(write_bundle(l, g));
	TRY(request_write(&request, l->folder, &l->job));
	TRY(dir_remove(l->folder));
	TRY(request_send(&ran, &answer, l->way.command, request, &l->job,
			 stop_now_watch()));
	TRY(keep_answer(l, &answer));
	return not_whole(l, &answer, &ran);
}

/* ---- by Slurm ------------------------------------------------------------- */

static struct error *send_to_slurm(struct launching *l,
				   const struct gitstore *g)
{
	const struct slurm_request request = {
		.settings = &l->way.slurm,
		.launch = l->name,
		.folder = l->folder,
		.job = &l->job,
		.keep = keep_answer,
		.arg = l,
		.stop = stop_now_watch(),
	};
	cleanup_free char *why = NULL;
	cleanup_buf struct buf shown = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(write_bundle(l, g));
	TRY(slurm_measure(&why, &request));
	if (l->answered == l->job.n)
		return NULL;
	out_clean_line(&shown, why ? why : "it does not say why");
	return not_all(l, shown.data);
}

struct error *launch_pending(bool *whole, struct pending *p, const char *name)
{
	CLEANUP(launching) struct launching l = {.p = p, .name = name};
	cleanup_gitstore struct gitstore *g = NULL;
	cleanup_free char *private = NULL;
	const char *shared;
	char writer[WRITER_LEN + 1];

	*whole = true;
	TRY(gitstore_open(&g, "."));
	TRY(launch_way_read(&l.way, g, name));
	TRY(gitstore_runs(&l.runs, g));
	TRY(gitstore_writer(writer, g));
	job_init(&l.job, writer);
	TRY(make_job(&l));
	if (!l.job.n)
		return NULL;
	private = xasprintf("%savogit", gitstore_git_dir(g));
	shared = l.way.slurm.folder;
	TRY(dir_make_temp(&l.folder, shared ? shared : private, "job-"));
	TRY(error_wrap(l.way.command ? send(&l, g) : send_to_slurm(&l, g),
		       "launch %s", name));
	*whole = !l.beyond;
	if (l.beyond)
		fprintf(stderr,
			"avogit: %zu more are pending: the same command sends "
			"them\n",
			l.beyond);
	return NULL;
}
