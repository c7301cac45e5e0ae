#include "cmd/launch/far.h"

#include <pthread.h>
#include <stdarg.h>
#include <unistd.h>

#include "cmd/launch/command.h"
#include "cmd/launch/pending.h"
#include "cmd/launch/request.h"
#include "cmd/launch/slurm.h"
#include "cmd/ui/out.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/held_file.h"
#include "gitstore/sync/parcel.h"

/* Seconds without an answer, and between tries: the first and the longest. */
#define PATIENCE    1800.0
#define TRY_FIRST   1.0
#define TRY_LONGEST 60.0
#define PAUSE_STEP  0.5
/* Of the commits that the other side has so many are named when more are sent:
 * what is new is made on one of the last. */
#define THERE_MAX 32
#define HELD	  ".held"

struct far {
	struct evaluator base; /* first: callbacks cast it back */
	struct session *session;
	struct far_options o;
	struct launch_way way;
	char writer[WRITER_LEN + 1];
	char *folder;	 /* of this process; orders have theirs below it */
	char *held_path; /* beside it, locked while the process lives */
	int held;
	char *parcels;
	struct far_machine machine;
	pthread_mutex_t lock; /* of what follows */
	struct strvec there;  /* commits; the first is the base */
	bool silent;	      /* it did not answer, and that was said */
};

static struct far *far_of(struct evaluator *e)
{
	return (struct far *)e;
}

PRINTF(2, 3) static void say(const struct far *f, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "avogit: launch %s: ", f->o.launch);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/* ---- what is sent ---------------------------------------------------------- */

/* One order on its way. */
struct far_order {
	struct far *f;
	struct score_job job;
	char *folder;
	struct strvec commits;
	struct job_result result; /* owned; `of` NULL: there is none yet */
	struct buf why;		  /* there is none */
};

static void far_order_release(struct far_order *e)
{
	job_release(&e->job);
	if (e->folder)
		error_free(dir_remove(e->folder));
	free(e->folder);
	strvec_release(&e->commits);
	measurement_free(e->result.measurement);
	rival_failure_release(&e->result.failure);
	far_machine_release(&e->result.machine);
	buf_release(&e->why);
}
DEFINE_RELEASE(far_order, struct far_order, far_order_release)

static struct error *far_order_init(struct far_order *e, struct far *f,
				    const struct commit_id *candidate)
{
	const char *shared = f->way.slurm.folder;

	e->f = f;
	buf_init(&e->why, BUF_LIMIT_TEXT);
	job_init(&e->job, f->writer);
	job_add(&e->job, f->o.run, candidate);
	e->job.order.task = xstrdup(f->session->at.task->path);
	e->job.order.base = commit_id(f->o.base);
	strvec_pushl(&e->commits, f->o.base, candidate->hex, NULL);
	return dir_make_temp(&e->folder, shared ? shared : f->folder, "job-");
}

/* `there` is one's own copy: other orders come back meanwhile. */
static struct error *write_parcel(struct far_order *e,
				  const struct strvec *there)
{
	cleanup_free char *path = xasprintf("%s/bundle", e->folder);
	const struct strvec nothing = STRVEC_INIT;
	struct error *err;

	pthread_mutex_lock(&e->f->lock);
	err = parcel_write(path, e->f->parcels, &e->commits, there);
	/* What the other side has may hold all of it under other names. */
	if (err && there->n) {
		error_free(err);
		err = parcel_write(path, e->f->parcels, &e->commits, &nothing);
	}
	pthread_mutex_unlock(&e->f->lock);
	return err;
}

static void note_there(struct far_order *e)
{
	struct strvec *there = &e->f->there;

	pthread_mutex_lock(&e->f->lock);
	for (size_t i = 0; i < e->commits.n; i++)
		if (!strvec_has(there, e->commits.v[i]))
			strvec_push(there, e->commits.v[i]);
	while (there->n > THERE_MAX) {
		free(there->v[1]);
		memmove(&there->v[1], &there->v[2],
			(there->n - 1) * sizeof *there->v);
		there->n--;
	}
	pthread_mutex_unlock(&e->f->lock);
}

/* ---- what comes back ------------------------------------------------------- */

/* The other side says why it does not: trying again would not help. */
static struct error *declined(const struct job_answer *a)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&why, a->why ? a->why : "it does not say why");
	return error_new(ERROR_REFUSED, "the other side does not measure: %s",
			 why.data);
}

static struct error *keep(void *arg, const struct job_answer *a)
{
	struct far_order *e = arg;
	const struct job_result *r = a->n ? &a->result[0] : NULL;

	if (a->ended && !r && !a->missing)
		return declined(a);
	if (!r || e->result.of)
		return NULL;
	e->result.of = r->of;
	if (r->measurement)
		e->result.measurement = measurement_dup(r->measurement);
	e->result.failure = r->failure;
	e->result.failure.why = xstrdup_null(r->failure.why);
	e->result.machine = r->machine;
	e->result.machine.name = xstrdup_null(r->machine.name);
	e->result.machine.about = xstrdup_null(r->machine.about);
	return NULL;
}

/* The rival of the order that is compared with; baselines are the task's. */
static bool was_asked_for(const struct score_order *o,
			  const struct comparison *c)
{
	if (c->rival == RIVAL_BASELINE)
		return o->baselines;
	for (size_t i = 0; i < o->n_rivals; i++)
		if (o->rival[i].as == c->rival &&
		    str_eq(o->rival[i].id.hex, c->name))
			return true;
	return false;
}

static bool has_asked_rivals(const struct measurement *m,
			     const struct score_order *o)
{
	for (size_t i = 0; i < m->n_comparisons; i++) {
		const struct comparison *c = &m->comparisons[i];

		if (!was_asked_for(o, c) || (c->confirmed && !o->confirm))
			return false;
		for (size_t k = 0; k < i; k++)
			if (c->rival == m->comparisons[k].rival &&
			    str_eq(c->name, m->comparisons[k].name))
				return false;
	}
	return true;
}

static struct error *check_identity(struct far *f, const struct measurement *m,
				    const struct candidate *c)
{
	struct identity is;

	f->base.identify(&f->base, &is, c);
	if (!str_eq(m->identity.task, is.task) ||
	    !str_eq(m->identity.sources, is.sources))
		return error_new(ERROR_REFUSED,
				 "the measurement of candidate %.12s is of "
				 "another task or other sources",
				 c->id.hex);
	if (!str_eq(m->identity.scorer, is.scorer))
		return error_new(ERROR_REFUSED,
				 "the other side's scorer is of version %s, "
				 "this one of %s: use the same avogit there",
				 m->identity.scorer, is.scorer);
	if (!str_eq(m->identity.machine, is.machine))
		return error_new(
			ERROR_REFUSED,
			"candidate %.12s was measured on another kind of "
			"machine than that where the run goes on (%s): let "
			"the launch reach machines of one kind",
			c->id.hex, f->machine.name);
	return NULL;
}

static struct error *check_measurement(struct far_order *e,
				       const struct candidate *c)
{
	const struct measurement *m = e->result.measurement;

	TRY(check_identity(e->f, m, c));
	if (m->verdict == VERDICT_NOT_RUN || m->verdict == VERDICT_UNUSABLE ||
	    measurement_is_ahead(m))
		return error_new(ERROR_REFUSED,
				 "the measurement of candidate %.12s cannot be "
				 "used: %s",
				 c->id.hex,
				 m->why ? m->why : "its date is wrong");
	if (!has_asked_rivals(m, &e->job.order))
		return error_new(ERROR_REFUSED,
				 "the measurement of candidate %.12s compares "
				 "with what it was not asked to",
				 c->id.hex);
	return NULL;
}

/* ---- one try ---------------------------------------------------------------- */

static struct error *interrupted(void)
{
	return error_new(ERROR_INTERRUPTED, "it was stopped");
}

/* *missing: the other side does not have what the parcel builds upon. */
static struct error *run_once(bool *missing, struct far_order *e,
			      const struct strvec *there)
{
	struct far *f = e->f;
	cleanup_process_result struct process_result ran = {0};
	cleanup_job_answer struct job_answer a = {.n = 0};
	cleanup_free char *request = xasprintf("%s/request", e->folder);
	cleanup_fd int fd = -1;

	*missing = false;
	error_free(dir_remove(request));
	TRY(write_parcel(e, there));
	TRY(request_write(&fd, e->folder, &e->job));
	TRY(request_send(&ran, &a, f->way.command, fd, &e->job, f->o.stop_now));
	if (ran.stopped)
		return interrupted();
	*missing = a.missing;
	buf_clear(&e->why);
	request_unanswered(&e->why, &a, &ran);
	return keep(e, &a);
}

static struct error *try_by_command(struct far_order *e)
{
	const struct strvec nothing = STRVEC_INIT;
	cleanup_strvec struct strvec there = STRVEC_INIT;
	bool missing;

	pthread_mutex_lock(&e->f->lock);
	strvec_extend(&there, &e->f->there);
	pthread_mutex_unlock(&e->f->lock);
	TRY(run_once(&missing, e, &there));
	if (!missing)
		return NULL;
	TRY(run_once(&missing, e, &nothing));
	return missing ? error_new(ERROR_REFUSED,
				   "the other side cannot read the commits "
				   "that it was sent")
		       : NULL;
}

/* Nodes need not share what they keep, so that each job has a whole bundle. */
static struct error *try_by_slurm(struct far_order *e)
{
	struct far *f = e->f;
	const struct strvec nothing = STRVEC_INIT;
	const struct slurm_request request = {
		.settings = &f->way.slurm,
		.launch = f->o.launch,
		.folder = e->folder,
		.job = &e->job,
		.keep = keep,
		.arg = e,
		.stop = f->o.stop_now,
		.quiet = true,
	};
	cleanup_free char *why = NULL;

	TRY(write_parcel(e, &nothing));
	TRY(slurm_measure(&why, &request));
	buf_clear(&e->why);
	out_clean_line(&e->why, why ? why : "it does not say why");
	return NULL;
}

/* ---- until it answers ------------------------------------------------------- */

static void say_silence(struct far_order *e)
{
	struct far *f = e->f;
	bool said;

	pthread_mutex_lock(&f->lock);
	said = f->silent;
	f->silent = true;
	pthread_mutex_unlock(&f->lock);
	if (!said)
		say(f, "no answer: %s; avogit asks again", e->why.data);
}

static void say_answer(struct far *f)
{
	bool said;

	pthread_mutex_lock(&f->lock);
	said = f->silent;
	f->silent = false;
	pthread_mutex_unlock(&f->lock);
	if (said)
		say(f, "it answers again");
}

/* Ends early, too, as another agent's order has ended the run: that sets
 * stop_now alone. */
static struct error *pause_until(const struct far *f, double seconds)
{
	double left = seconds;

	while (left > 0) {
		if (*f->o.stop_now >= 2 ||
		    !clock_wait(MIN(left, PAUSE_STEP), f->o.asked))
			return interrupted();
		left -= PAUSE_STEP;
	}
	return NULL;
}

static struct error *no_answer(const struct far_order *e)
{
	cleanup_free char *span = clock_format_span(e->f->o.patience);

	return error_new(ERROR_REFUSED,
			 "no answer for %s: %s; nothing is lost, and the same "
			 "command goes on",
			 span, e->why.data);
}

static struct error *try_once(struct far_order *e)
{
	return error_wrap(e->f->way.command ? try_by_command(e)
					    : try_by_slurm(e),
			  "launch %s", e->f->o.launch);
}

static struct error *run_order(struct far_order *e)
{
	struct far *f = e->f;
	double silent = -1, wait = TRY_FIRST;

	for (;;) {
		TRY(try_once(e));
		if (e->result.of)
			break;
		/* Not from the beginning: the first try may have waited in a
		 * queue, or measured, for longer than that. */
		if (silent < 0)
			silent = clock_run_seconds();
		if (clock_run_seconds() - silent >= f->o.patience)
			return error_wrap(no_answer(e), "launch %s",
					  f->o.launch);
		say_silence(e);
		TRY(pause_until(f, wait));
		wait = MIN(2 * wait, TRY_LONGEST);
	}
	say_answer(f);
	note_there(e);
	return NULL;
}

/* ---- the evaluator ---------------------------------------------------------- */

static struct error *take(struct measurement **out, struct far_order *e,
			  const struct score_request *r)
{
	struct job_result *result = &e->result;

	if (result->measurement) {
		TRY(error_wrap(check_measurement(e, r->candidate), "launch %s",
			       e->f->o.launch));
		measurement_set(result->measurement, LAUNCH_KEY,
				e->f->o.launch);
		*out = steal(&result->measurement);
		return NULL;
	}
	if (!r->rival_failure || !result->failure.failed)
		return error_new(ERROR_REFUSED,
				 "launch %s: the other side did not measure "
				 "candidate %.12s: %s",
				 e->f->o.launch, r->candidate->id.hex,
				 result->failure.why ? result->failure.why
						     : "it does not say why");
	*r->rival_failure = result->failure;
	result->failure = (struct rival_failure){.failed = false};
	return NULL;
}

static struct error *order(struct measurement **out, struct far *f,
			   const struct score_request *r)
{
	CLEANUP(far_order) struct far_order e = {.f = NULL};

	TRY(far_order_init(&e, f, &r->candidate->id));
	TRY(order_from_request(&e.job.order, r));
	for (size_t i = 0; i < r->n_rivals; i++)
		strvec_push(&e.commits, r->rivals[i].candidate->id.hex);
	TRY(run_order(&e));
	return take(out, &e, r);
}

/* An agent would take a refusal for a fault of its sources, and go on. */
static struct error *ending_the_run(struct error *err)
{
	cleanup_error struct error *was = err;

	return error_new(ERROR_SYSTEM, "%s", error_message(was));
}

static struct error *score(struct evaluator *self, struct measurement **out,
			   const struct score_request *r)
{
	struct error *err;

	*out = NULL;
	err = order(out, far_of(self), r);
	return err && !error_is(err, ERROR_INTERRUPTED) ? ending_the_run(err)
							: err;
}

static struct error *build(struct evaluator *self, bool *ok, char **log,
			   const struct candidate *c)
{
	struct evaluator *here = far_of(self)->session->evaluator;

	return here->build(here, ok, log, c);
}

static void identify(struct evaluator *self, struct identity *out,
		     const struct candidate *c)
{
	struct far *f = far_of(self);
	struct evaluator *here = f->session->evaluator;

	here->identify(here, out, c);
	snprintf(out->machine, sizeof out->machine, "%s", f->machine.kind);
}

static const char *machine_name(struct evaluator *self)
{
	return far_of(self)->machine.name;
}

static void machine_about(struct evaluator *self, struct buf *out)
{
	buf_adds(out, far_of(self)->machine.about);
}

/* It has one go: what does not answer now is more likely wrong than away. */
static struct error *ask_machine(struct far *f)
{
	CLEANUP(far_order) struct far_order e = {.f = NULL};
	const struct commit_id base = commit_id(f->o.base);
	cleanup_buf struct buf name = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf about = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(far_order_init(&e, f, &base));
	e.job.order.about = true;
	TRY(try_once(&e));
	if (!e.result.of)
		return error_new(ERROR_REFUSED, "launch %s: no answer: %s",
				 f->o.launch, e.why.data);
	/* What another machine says of itself is printed, and goes to models. */
	out_clean_line(&name, e.result.machine.name);
	out_clean(&about, e.result.machine.about);
	memcpy(f->machine.kind, e.result.machine.kind, sizeof f->machine.kind);
	f->machine.name = buf_take(&name);
	f->machine.about = buf_take(&about);
	return NULL;
}

/* Several processes may extend a run. What one that was killed left goes. */
static struct error *make_folder(struct far *f, const char *private)
{
	held_file_sweep(private, "far-", HELD);
	TRY(held_file_make(&f->held, &f->held_path, private, "far-", HELD));
	f->folder = xstrndup(f->held_path, strlen(f->held_path) - strlen(HELD));
	return dir_make(f->folder);
}

static struct error *prepare(struct far *f)
{
	cleanup_free char *private =
		xasprintf("%savogit", gitstore_git_dir(f->session->git));

	TRY(launch_way_read(&f->way, f->session->git, f->o.launch));
	TRY(gitstore_writer(f->writer, f->session->git));
	f->base.at_once = f->way.at_once;
	TRY(make_folder(f, private));
	f->parcels = xasprintf("%s/parcels", f->folder);
	TRY(parcel_prepare(f->session->git, f->parcels));
	/* It is there if an earlier run of this clone went there. */
	strvec_push(&f->there, f->o.base);
	return ask_machine(f);
}

struct error *far_open(struct evaluator **out, struct session *s,
		       const struct far_options *options)
{
	struct far *f = xcalloc(1, sizeof *f);
	struct error *err;

	f->base = (struct evaluator){
		.score = score,
		.build = s->evaluator->build ? build : NULL,
		.elsewhere = true,
		.identify = identify,
		.machine_name = machine_name,
		.machine_about = machine_about,
	};
	f->held = -1;
	f->session = s;
	f->o = *options;
	if (f->o.patience <= 0)
		f->o.patience = PATIENCE;
	pthread_mutex_init(&f->lock, NULL);
	err = prepare(f);
	if (err) {
		far_free(&f->base);
		return err;
	}
	*out = &f->base;
	return NULL;
}

void far_free(struct evaluator *e)
{
	struct far *f = far_of(e);

	if (!f)
		return;
	if (f->folder)
		error_free(dir_remove(f->folder));
	free(f->folder);
	if (f->held_path)
		unlink(f->held_path);
	free(f->held_path);
	cleanup_fd_fn(&f->held);
	free(f->parcels);
	launch_way_release(&f->way);
	far_machine_release(&f->machine);
	strvec_release(&f->there);
	pthread_mutex_destroy(&f->lock);
	free(f);
}
