#include "cmd/launch/serve_order.h"

#include "cmd/session/consent.h"
#include "cmd/session/record.h"
#include "gitstore/sync/repair.h"

struct ordered {
	const struct score_job *job;
	struct session session;
	struct candidate candidate, rival[ORDER_RIVALS];
};

static void ordered_release(struct ordered *o)
{
	candidate_release(&o->candidate);
	for (size_t i = 0; i < ORDER_RIVALS; i++)
		candidate_release(&o->rival[i]);
	session_release(&o->session);
}
DEFINE_RELEASE(ordered, struct ordered, ordered_release)

static struct error *open_session(struct ordered *o, const struct pending *p,
				  const volatile int *stop)
{
	const struct score_order *order = &o->job->order;
	struct session *s = &o->session;

	TRY(session_open(s, p->color));
	TRY(committed_task_read(&s->at, s, order->base.hex, order->task));
	TRY(session_require_trust(s, TRUST_LAUNCHER, NULL));
	s->comparison_seconds = p->seconds;
	TRY(session_scorer(s, order->base.hex, stop));
	return scorer_require_device(s->evaluator);
}

static struct error *load(struct ordered *o)
{
	const struct score_order *order = &o->job->order;
	struct archive *archive = o->session.archive;

	TRY(archive->load(archive, &o->candidate, o->job->candidate[0].id.hex));
	for (size_t i = 0; i < order->n_rivals; i++)
		TRY(archive->load(archive, &o->rival[i],
				  order->rival[i].id.hex));
	return NULL;
}

/* ---- what machine it is ---------------------------------------------------- */

/* Checks the task, too, which the other side does not when it scores here. */
static struct error *say_machine(char **line, struct ordered *o,
				 int64_t restart)
{
	struct evaluator *e = o->session.evaluator;
	cleanup_buf struct buf about = BUF_INIT(BUF_LIMIT_TEXT);
	struct far_machine machine = {.name = NULL};
	struct identity identity;

	TRY(scorer_check_task(e));
	e->identify(e, &identity, &o->candidate);
	snprintf(machine.kind, sizeof machine.kind, "%s", identity.machine);
	machine.name = xstrdup(e->machine_name(e));
	if (e->machine_about)
		e->machine_about(e, &about);
	machine.about = buf_take(&about);
	*line = job_machine_line(o->job, restart, &machine);
	far_machine_release(&machine);
	return NULL;
}

/* ---- a score ---------------------------------------------------------------- */

struct recorded {
	const char *job;
	struct identity identity;
	struct measurement *found;
};

static void find_of_job(void *arg, const struct entry *e)
{
	struct recorded *r = arg;
	const struct measurement *m = e->measurement;
	const char *job = m ? measurement_get(m, JOB_KEY) : NULL;

	if (e->kind != ENTRY_MEASUREMENT || !job || !str_eq(job, r->job) ||
	    m->verdict == VERDICT_UNUSABLE ||
	    !identity_equal(&m->identity, &r->identity))
		return;
	measurement_free(r->found);
	r->found = measurement_dup(m);
}

/* What an earlier start of this job measured, and could not answer. */
static struct error *find_recorded(struct measurement **out, struct ordered *o)
{
	struct evaluator *e = o->session.evaluator;
	struct recorded r = {.job = o->job->id};
	struct error *err;

	e->identify(e, &r.identity, &o->candidate);
	err = gitstore_read_about(o->session.git, "@", o->candidate.id.hex,
				  find_of_job, &r);
	*out = r.found;
	return err;
}

static struct error *measure(struct measurement **out,
			     struct rival_failure *failure, struct ordered *o)
{
	const struct score_order *order = &o->job->order;
	struct evaluator *e = o->session.evaluator;
	struct rival_request rivals[ORDER_RIVALS];
	const struct score_request request = {
		.candidate = &o->candidate,
		.rivals = rivals,
		.n_rivals = order->n_rivals,
		.rival_failure = order->n_rivals ? failure : NULL,
		.thorough = order->thorough,
		.baselines = order->baselines,
		.winners_only = order->winners_only,
		.patient = order->patient,
		.confirm = order->confirm,
		.sanitizers = order->sanitizers,
	};
	cleanup_measurement struct measurement *m = NULL;

	for (size_t i = 0; i < order->n_rivals; i++)
		rivals[i] = (struct rival_request){order->rival[i].as,
						   &o->rival[i]};
	TRY(e->score(e, &m, &request));
	if (!m)
		return NULL;
	if (m->verdict == VERDICT_NOT_RUN)
		return error_new(ERROR_REFUSED,
				 "kernels of this task cannot be run here: %s",
				 m->why ? m->why : "there is no GPU");
	measurement_set(m, JOB_KEY, o->job->id);
	TRY(record_keep(o->session.git, o->candidate.id.hex, m));
	*out = steal(&m);
	return NULL;
}

static struct error *score(char **line, struct ordered *o, int64_t restart)
{
	cleanup_rival_failure struct rival_failure failure = {.failed = false};
	cleanup_measurement struct measurement *m = NULL;

	TRY(find_recorded(&m, o));
	if (!m)
		TRY(measure(&m, &failure, o));
	*line = m ? job_answer_line(o->job, restart, &o->job->candidate[0], m)
		  : job_failure_line(o->job, restart, &failure);
	return NULL;
}

/* Each order leaves some loose objects and a ref. Looking for them takes longer
 * than to add to them, so a run's first order does it and one in 256. */
static bool is_for_tidying(const struct score_job *job)
{
	return job->order.about || starts_with(job->id, "00");
}

struct error *order_serve(char **line, const struct score_job *job,
			  int64_t restart, const struct pending *p,
			  const volatile int *stop)
{
	CLEANUP(ordered) struct ordered o = {.job = job};

	TRY(open_session(&o, p, stop));
	TRY(load(&o));
	if (is_for_tidying(job))
		gitstore_tidy(o.session.git);
	return job->order.about ? say_machine(line, &o, restart)
				: score(line, &o, restart);
}
