#include "cmd/launch/slurm.h"

#include <stdarg.h>

#include "cmd/ui/out.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/strvec.h"

#define ANSWER_MAX ((size_t)256 << 20)
/* So often in a row a job may end without having measured a candidate. */
#define SENDS 4
/* Looks at the queue: seconds between them, the least and the most. */
#define LOOK_LEAST 0.5
#define LOOK_MOST  5.0
/* Looks that a shared file system may take to show what a job wrote. */
#define LATE_LOOKS 10

/* The candidates of one job of Slurm. */
struct share {
	struct score_job job;
	char array[SLURM_ID_MAX + 1];
	int64_t index, restarts;
	unsigned sends; /* in a row without a measurement */
	unsigned late;	/* looks since Slurm said that it had ended */
	bool open;
};

struct cluster {
	const struct slurm_request *r;
	char *name; /* of all its jobs */
	struct share *share;
	size_t n, cap;
	struct strvec waiting; /* reasons that were said */
	size_t submissions;
	bool away; /* the controller; that was said */
	bool news; /* since the last look */
	char *why;
};

static void cluster_release(struct cluster *c)
{
	for (size_t i = 0; i < c->n; i++)
		job_release(&c->share[i].job);
	free(c->share);
	free(c->name);
	strvec_release(&c->waiting);
	free(c->why);
}
DEFINE_RELEASE(cluster, struct cluster, cluster_release)

PRINTF(2, 3) static void say(const struct cluster *c, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "avogit: launch %s: ", c->r->launch);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

static struct error *pause_for(const struct cluster *c, double seconds)
{
	if (*c->r->stop < 2 && clock_wait(seconds, c->r->stop))
		return NULL;
	return error_new(ERROR_INTERRUPTED, "it was stopped");
}

/* ---- shares --------------------------------------------------------------- */

static struct share *add_share(struct cluster *c)
{
	struct share *s;

	GROW(c->share, c->n, c->cap);
	s = &c->share[c->n++];
	*s = (struct share){.open = true};
	job_init(&s->job, c->r->job->from);
	order_copy(&s->job.order, &c->r->job->order);
	return s;
}

static void add_copy(struct score_job *job, struct job_candidate one)
{
	job_add(job, one.run, &one.id);
}

/* As many jobs as the user allows, of neighbours: those are of one run. */
static void share_out(struct cluster *c)
{
	const struct score_job *job = c->r->job;
	size_t jobs = MIN(job->n, (size_t)c->r->settings->jobs);

	for (size_t k = 0; k < jobs; k++) {
		struct share *s = add_share(c);

		for (size_t i = job->n * k / jobs; i < job->n * (k + 1) / jobs;
		     i++)
			add_copy(&s->job, job->candidate[i]);
	}
}

/* What the answer lacks, for another job. */
static void share_again(struct cluster *c, size_t at,
			const struct job_answer *a)
{
	struct share *again = add_share(c);
	const struct share *s = &c->share[at];

	again->sends = a->n ? 0 : s->sends + 1;
	for (size_t i = 0; i < s->job.n; i++) {
		const struct job_candidate *one = &s->job.candidate[i];
		bool answered = false;

		for (size_t j = 0; j < a->n; j++)
			answered = answered || a->result[j].of == one;
		if (!answered)
			add_copy(&again->job, *one);
	}
}

/* ---- submission ----------------------------------------------------------- */

/* Never writes over an answer: another start of the job has another name. */
static struct error *write_script(const struct cluster *c, const char *path)
{
	cleanup_buf struct buf script = BUF_INIT(BUF_LIMIT_TEXT);

	buf_adds(&script, "#!/bin/sh\nset -C\nunset AVOGIT_RESTART\ncd ");
	buf_add_quoted(&script, c->r->folder);
	buf_addf(&script,
		 " || exit\n"
		 "share=$SLURM_ARRAY_TASK_ID\n"
		 "start=$SLURM_ARRAY_JOB_ID.$share.${SLURM_RESTART_COUNT:-0}\n"
		 "cat request.%zu.$share bundle | "
		 "avogit score --job >answer.$start\n",
		 c->submissions);
	return file_write_private(path, script.data, script.len);
}

static struct error *write_requests(const struct cluster *c, size_t first)
{
	for (size_t i = first; i < c->n; i++) {
		cleanup_free char *line = job_print(&c->share[i].job);
		cleanup_free char *text = xasprintf("%s\n", line);
		cleanup_free char *path = xasprintf("%s/request.%zu.%zu",
						    c->r->folder,
						    c->submissions, i - first);

		TRY(file_write_private(path, text, strlen(text)));
	}
	return NULL;
}

static bool is_known(const struct cluster *c, const char *array)
{
	for (size_t i = 0; i < c->n; i++)
		if (str_eq(c->share[i].array, array))
			return true;
	return false;
}

/* Of a submission whose reply did not arrive: is it in the queue after all? */
static struct error *find_submitted(char array[SLURM_ID_MAX + 1],
				    const struct cluster *c)
{
	cleanup_queue struct queue q = {.n = 0};

	TRY(queue_list(&q, c->name, c->r->stop));
	for (size_t i = 0; i < q.n; i++)
		if (!is_known(c, q.job[i].array)) {
			memcpy(array, q.job[i].array, sizeof q.job[i].array);
			return NULL;
		}
	return NULL;
}

/* Until Slurm takes it; "" in array before. */
static struct error *submit_once(char array[SLURM_ID_MAX + 1],
				 const struct cluster *c, const char *script,
				 size_t n)
{
	*array = '\0';
	if (c->away)
		TRY(find_submitted(array, c));
	if (*array)
		return NULL;
	return queue_submit(array, c->r->settings, c->name, c->r->folder,
			    script, n, c->r->stop);
}

/* An error of Slurm's that passes is said once, and dropped; all others are
 * returned. */
static struct error *note_away(struct cluster *c, struct error *err)
{
	if (!error_is(err, ERROR_MOVED))
		return err;
	if (!c->away)
		say(c, "Slurm takes no job now: %s; avogit asks again",
		    error_message(err));
	error_free(err);
	c->away = true;
	return NULL;
}

static struct error *submit(struct cluster *c, size_t first)
{
	cleanup_free char *script =
		xasprintf("%s/script.%zu", c->r->folder, c->submissions);
	char array[SLURM_ID_MAX + 1] = "";
	double wait = LOOK_LEAST;

	TRY(write_requests(c, first));
	TRY(write_script(c, script));
	for (;;) {
		TRY(note_away(c, submit_once(array, c, script, c->n - first)));
		if (*array)
			break;
		TRY(pause_for(c, wait));
		wait = MIN(1.5 * wait, LOOK_MOST);
	}
	c->away = false;
	c->submissions++;
	for (size_t i = first; i < c->n; i++) {
		memcpy(c->share[i].array, array, sizeof array);
		c->share[i].index = (int64_t)(i - first);
	}
	if (!c->r->quiet)
		say(c, "job %s of Slurm, an array of %zu", array, c->n - first);
	return NULL;
}

/* ---- answers -------------------------------------------------------------- */

static char *answer_path(const struct cluster *c, const struct share *s,
			 int64_t restart)
{
	return xasprintf("%s/answer.%s.%lld.%lld", c->r->folder, s->array,
			 (long long)s->index, (long long)restart);
}

/* Slurm has forgotten the job: the newest start is the last that wrote. */
static void find_last_start(const struct cluster *c, struct share *s)
{
	for (int64_t next = s->restarts + 1;; next++) {
		cleanup_free char *path = answer_path(c, s, next);

		if (!file_exists(path))
			return;
		s->restarts = next;
	}
}

/* Of the start that counts, what there is of it. */
static struct error *read_answer(struct job_answer *out,
				 const struct cluster *c, const struct share *s)
{
	cleanup_free char *path = answer_path(c, s, s->restarts);
	cleanup_buf struct buf text = BUF_INIT(ANSWER_MAX);
	cleanup_job_answer struct job_answer a = {.n = 0};
	struct error *err = file_read(&text, path);

	if (error_is(err, ERROR_NOT_FOUND)) {
		error_free(err);
		return NULL;
	}
	TRY(err);
	TRY(job_answer_read(&a, &s->job, text.data, text.len));
	if ((a.n || a.ended) && a.restart != s->restarts)
		return error_new(ERROR_REFUSED,
				 "it is of start %lld, and Slurm counts %lld",
				 (long long)a.restart, (long long)s->restarts);
	*out = a;
	a = (struct job_answer){.n = 0};
	return NULL;
}

/* The last line of what the job said on stderr; "" if it said nothing. */
static void add_log(struct buf *out, const struct cluster *c,
		    const struct share *s)
{
	cleanup_free char *path = xasprintf("%s/slurm.%s.%lld", c->r->folder,
					    s->array, (long long)s->index);
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	error_free(file_read(&text, path));
	out_clean_last_line(out, text.data);
}

/* ---- the end of a job ----------------------------------------------------- */

/* Did Slurm end it, and not the job itself? */
static bool was_ended(const struct queued *q)
{
	return !q ||
	       !(str_eq(q->state, "COMPLETED") || str_eq(q->state, "FAILED"));
}

static const char *reason_of(const struct queued *q)
{
	static const char *const reasons[][2] = {
		{"TIMEOUT", "its time limit ended it"},
		{"DEADLINE", "its time limit ended it"},
		{"CANCELLED", "it was cancelled"},
		{"NODE_FAIL", "its node failed"},
		{"BOOT_FAIL", "its node failed"},
		{"PREEMPTED", "another job took its place"},
		{"OUT_OF_MEMORY", "it was out of memory"},
	};

	if (!q)
		return "Slurm does not know it any more";
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (str_eq(q->state, reasons[i][0]))
			return reasons[i][1];
	return "it ended without the answer's last line";
}

/* It ended and did not answer all. */
static void give_up_or_again(struct cluster *c, size_t at,
			     const struct queued *q, const struct job_answer *a)
{
	const struct share *s = &c->share[at];
	bool again = a->n || s->sends + 1 < SENDS;
	cleanup_buf struct buf log = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *why = NULL;

	if (!was_ended(q))
		add_log(&log, c, s);
	why = xasprintf("job %s_%lld of Slurm: %s%s%s", s->array,
			(long long)s->index, reason_of(q), log.len ? ": " : "",
			log.data);
	say(c,
	    "%s; it answered for %zu of %zu candidates, and the others are "
	    "%s",
	    why, a->n, s->job.n,
	    again ? "sent again" : "not sent a fifth time");
	if (again)
		share_again(c, at, a);
	else if (!c->why)
		c->why = steal(&why);
}

static struct error *end_share(struct cluster *c, size_t at,
			       const struct queued *q,
			       const struct job_answer *a)
{
	struct share *s = &c->share[at];

	c->news = true;
	s->open = false;
	TRY(c->r->keep(c->r->arg, a));
	if (a->n == s->job.n)
		return NULL;
	if (a->ended && !was_ended(q)) {
		if (!c->why)
			c->why = xstrdup(a->why ? a->why
						: "it does not say why");
		return NULL;
	}
	give_up_or_again(c, at, q, a);
	return NULL;
}

/* ---- looking -------------------------------------------------------------- */

static const struct queued *find_queued(const struct queue *q,
					const struct share *s)
{
	for (size_t i = 0; i < q->n; i++)
		if (str_eq(q->job[i].array, s->array) &&
		    q->job[i].index == s->index)
			return &q->job[i];
	return NULL;
}

static void note_restart(struct cluster *c, struct share *s,
			 const struct queued *q)
{
	if (q->restarts <= s->restarts)
		return;
	s->restarts = q->restarts;
	s->late = 0;
	c->news = true;
	say(c,
	    "job %s_%lld of Slurm goes back to the queue (its node failed, or "
	    "another job took its place): what that start measured does not "
	    "count",
	    s->array, (long long)s->index);
}

static void note_waiting(struct cluster *c, const struct share *s,
			 const struct queued *q)
{
	if (!str_eq(q->state, "PENDING") || str_eq(q->reason, "None") ||
	    str_eq(q->reason, "(null)") || strvec_has(&c->waiting, q->reason))
		return;
	strvec_push(&c->waiting, q->reason);
	say(c, "job %s_%lld of Slurm waits in the queue: %s", s->array,
	    (long long)s->index, q->reason);
}

static struct error *look_at(struct cluster *c, size_t at,
			     const struct queued *q)
{
	struct share *s = &c->share[at];
	cleanup_job_answer struct job_answer a = {.n = 0};
	bool over = !q || queued_is_over(q);
	struct error *err;

	if (q) {
		note_restart(c, s, q);
		note_waiting(c, s, q);
	} else {
		find_last_start(c, s);
	}
	err = read_answer(&a, c, s);
	if (err && over)
		return error_wrap(err,
				  "job %s_%lld of Slurm: nothing of its "
				  "answer is believed",
				  s->array, (long long)s->index);
	error_free(err); /* a line of it may still be on its way */
	if (!(a.ended && a.n == s->job.n) &&
	    (!over ||
	     (q && !was_ended(q) && !a.ended && s->late++ < LATE_LOOKS)))
		return NULL;
	return end_share(c, at, q, &a);
}

static struct error *look(struct cluster *c)
{
	cleanup_queue struct queue q = {.n = 0};
	struct error *err = queue_list(&q, c->name, c->r->stop);
	size_t before = c->n;

	if (error_is(err, ERROR_INTERRUPTED))
		return err;
	if (err) {
		if (!c->away)
			say(c, "Slurm does not answer: %s; avogit waits for it",
			    error_message(err));
		error_free(err);
		c->away = true;
		return NULL;
	}
	if (c->away)
		say(c, "Slurm answers again");
	c->away = false;
	for (size_t i = 0; i < before; i++)
		if (c->share[i].open)
			TRY(look_at(c, i, find_queued(&q, &c->share[i])));
	return c->n > before ? submit(c, before) : NULL;
}

static bool is_open(const struct cluster *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->share[i].open)
			return true;
	return false;
}

static struct error *measure(struct cluster *c)
{
	double wait = LOOK_LEAST;

	share_out(c);
	TRY(submit(c, 0));
	while (is_open(c)) {
		TRY(pause_for(c, wait));
		c->news = false;
		TRY(look(c));
		wait = c->news ? LOOK_LEAST : MIN(1.5 * wait, LOOK_MOST);
	}
	return NULL;
}

struct error *slurm_measure(char **why, const struct slurm_request *request)
{
	CLEANUP(cluster) struct cluster c = {.r = request};
	cleanup_error struct error *cancel = NULL;
	struct error *err;

	c.name = xasprintf("avogit-%s", request->job->id);
	err = measure(&c);
	/* What goes on is done with its answer, unless this ends early. */
	if (c.submissions || error_is(err, ERROR_INTERRUPTED))
		cancel = queue_cancel(c.name, !err);
	if (cancel)
		say(&c,
		    "its jobs cannot be cancelled: %s; `scancel --name=%s` "
		    "does it later",
		    error_message(cancel), c.name);
	TRY(err);
	*why = steal(&c.why);
	return NULL;
}
