#include "cmd/launch/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include "cmd/launch/serve_order.h"
#include "cmd/ui/out.h"
#include "cmd/ui/stop.h"
#include "core/base/file.h"
#include "core/base/held_file.h"
#include "core/run/job.h"
#include "gitstore/sync/bundle.h"
#include "gitstore/sync/parcel.h"

/* ---- reading ------------------------------------------------------------- */

struct serving {
	struct pending *p;
	struct score_job job;
	int64_t restart;
	char *folder; /* of this clone's jobs */
	struct strvec refused;
	size_t answered;
	bool whole; /* false: commits of an order are missing, as it answered */
};

static void serving_release(struct serving *s)
{
	job_release(&s->job);
	free(s->folder);
	strvec_release(&s->refused);
}
DEFINE_RELEASE(serving, struct serving, serving_release)

/* The first line, byte by byte: what follows it is not text. */
static struct error *read_request(struct score_job *job)
{
	cleanup_buf struct buf line = BUF_INIT(JOB_LINE_MAX);
	int c;

	while ((c = getchar()) != EOF && c != '\n')
		buf_addc(&line, (char)c);
	if (c == EOF || line.truncated)
		return error_new(ERROR_MALFORMED,
				 "stdin is not a job: `avogit score --pending "
				 "--launch NAME` sends one (docs/launch.md)");
	return job_parse(job, line.data, line.len);
}

/* The rest of stdin. git finds out whether it is a whole bundle. */
static struct error *save_bundle(int fd)
{
	char chunk[65536];
	size_t n;

	/* Less than asked for is the end, or a signal: after that it would wait
	 * again. */
	do {
		n = fread(chunk, 1, sizeof chunk, stdin);
		TRY(write_all(fd, chunk, n));
	} while (n == sizeof chunk);
	return ferror(stdin) ? error_errno("cannot read stdin") : NULL;
}

/* How often a scheduler started this job again. */
static int64_t restart_count(void)
{
	static const char *const names[] = {"AVOGIT_RESTART",
					    "SLURM_RESTART_COUNT"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = env_get(names[i]);

		if (value)
			return MAX(0, strtol(value, NULL, 10));
	}
	return 0;
}

/* One job of this clone at a time: git's fetch does not wait for a ref that
 * another one is writing. The lock goes with its descriptor. */
static struct error *lock_folder(int *out)
{
	cleanup_fd int fd =
		open("receiving", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return error_errno("cannot write the folder of jobs");
	while (flock(fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return error_errno("cannot lock the folder of jobs");
	*out = steal_fd(&fd);
	return NULL;
}

/* What one process is sent. Not named after the job: an earlier start of it may
 * have left its file, or still be reading into it. */
static struct error *new_bundle(int *fd, char **path, const struct serving *s)
{
	held_file_sweep(s->folder, "", ".bundle");
	return held_file_make(fd, path, s->folder, "", ".bundle");
}

/* Takes into the repository what a file of stdin's bytes holds. */
typedef struct error *take_fn(void *arg, struct gitstore *g, const char *path);

static struct error *take_file(int fd, const char *path, take_fn *take,
			       void *arg)
{
	cleanup_gitstore struct gitstore *g = NULL;
	cleanup_fd int lock = -1;

	TRY(save_bundle(fd));
	TRY(lock_folder(&lock));
	TRY(gitstore_open(&g, "."));
	return take(arg, g, path);
}

static struct error *take_sent(const struct serving *s, take_fn *take,
			       void *arg)
{
	cleanup_free char *path = NULL;
	cleanup_fd int fd = -1;
	struct error *err;

	TRY(new_bundle(&fd, &path, s));
	err = take_file(fd, path, take, arg);
	unlink(path);
	return err;
}

static struct error *take_refs(void *arg, struct gitstore *g, const char *path)
{
	struct serving *s = arg;

	return bundle_take(&s->refused, g, path);
}

/* ---- measuring ----------------------------------------------------------- */

/* Each line is whole in the pipe before the next candidate is begun. */
static struct error *answer(const char *line)
{
	if (printf("%s\n", line) < 0 || fflush(stdout) != 0)
		return error_errno("cannot answer");
	return NULL;
}

struct own_finding {
	struct identity identity;
	struct measurement *found;
};

static void find_own(void *arg, const struct entry *e)
{
	struct own_finding *f = arg;
	const struct measurement *m = e->measurement;

	if (e->kind != ENTRY_MEASUREMENT || !m ||
	    m->verdict == VERDICT_UNUSABLE ||
	    !identity_equal(&m->identity, &f->identity) ||
	    !measurement_get(m, JOB_KEY) || measurement_get(m, LAUNCH_KEY))
		return;
	measurement_free(f->found);
	f->found = measurement_dup(m);
}

/* What an earlier job measured here, and perhaps could not answer. What came
 * with the runs the other side has, and asks for more. */
static struct error *find_recorded(struct measurement **out,
				   struct pending_run *r,
				   const struct candidate *c)
{
	struct evaluator *evaluator = r->session.evaluator;
	struct own_finding f = {.found = NULL};
	cleanup_measurement struct measurement *found = NULL;
	struct error *err;

	evaluator->identify(evaluator, &f.identity, c);
	err = gitstore_read_about(r->session.git, r->name, c->id.hex, find_own,
				  &f);
	found = f.found;
	TRY(err);
	*out = steal(&found);
	return NULL;
}

static struct error *serve_candidate(struct serving *s, struct pending_run *r,
				     const struct job_candidate *c)
{
	struct archive *archive = r->session.archive;
	const struct attempt *a = population_find(&r->population, c->id.hex);
	cleanup_candidate struct candidate candidate = {0};
	cleanup_measurement struct measurement *m = NULL;
	cleanup_free char *line = NULL;

	if (!a)
		return error_new(ERROR_NOT_FOUND,
				 "candidate %.12s is no attempt of the run as "
				 "it was sent",
				 c->id.hex);
	TRY(archive->load(archive, &candidate, c->id.hex));
	TRY(find_recorded(&m, r, &candidate));
	if (!m)
		TRY(pending_run_measure(&m, r, a, &candidate, s->job.id));
	line = job_answer_line(&s->job, s->restart, c, m);
	TRY(answer(line));
	s->answered++;
	return NULL;
}

/* All candidates of the run that the i-th is of, unless an earlier one was. */
static struct error *serve_run(struct serving *s, size_t i)
{
	const struct job_candidate *all = s->job.candidate;
	cleanup_pending_run struct pending_run r = {.p = s->p,
						    .name = all[i].run};

	for (size_t j = 0; j < i; j++)
		if (str_eq(all[j].run, all[i].run))
			return NULL;
	TRY(pending_run_open(&r, stop_now_watch()));
	if (!r.session.evaluator)
		return error_new(ERROR_NOT_FOUND, "it has no record: %s",
				 s->refused.n ? s->refused.v[0]
					      : "it was not sent");
	for (size_t j = i; j < s->job.n; j++)
		if (str_eq(all[j].run, all[i].run))
			TRY(serve_candidate(s, &r, &all[j]));
	return NULL;
}

/* ---- orders ---------------------------------------------------------------- */

/* The program that asked is gone, as after its Ctrl-C: no answer is needed. */
static void *watch_reader(void *arg UNUSED)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	while (poll(&out, 1, -1) < 0 && errno == EINTR)
		;
	if (out.revents & (POLLERR | POLLHUP))
		kill(getpid(), SIGTERM);
	return NULL;
}

/* Without it a measurement that no program waits for goes on to its end. */
static void stop_without_reader(void)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, watch_reader, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct parcel_answer {
	bool taken;
	struct buf *why;
};

static struct error *take_objects(void *arg, struct gitstore *g,
				  const char *path)
{
	struct parcel_answer *a = arg;

	return parcel_take(&a->taken, a->why, g, path);
}

/* *whole: all commits of the order are here. */
static struct error *take_parcel(bool *whole, struct buf *why,
				 struct serving *s)
{
	const struct score_order *o = &s->job.order;
	struct parcel_answer a = {.why = why};
	cleanup_gitstore struct gitstore *g = NULL;

	TRY(take_sent(s, take_objects, &a));
	TRY(gitstore_open(&g, "."));
	*whole = a.taken && parcel_has(g, o->base.hex) &&
		 parcel_has(g, s->job.candidate[0].id.hex);
	for (size_t i = 0; i < o->n_rivals; i++)
		*whole = *whole && parcel_has(g, o->rival[i].id.hex);
	return NULL;
}

static struct error *serve_ordered(struct serving *s)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *line = NULL;
	const volatile int *stop = stop_now_watch();

	stop_without_reader();
	TRY(take_parcel(&s->whole, &why, s));
	if (!s->whole) {
		if (why.len)
			out_error(why.data);
		line = job_missing_line(&s->job, s->restart);
		return answer(line);
	}
	TRY(order_serve(&line, &s->job, s->restart, s->p, stop));
	TRY(answer(line));
	s->answered = 1;
	return NULL;
}

/* ---- a job ------------------------------------------------------------------ */

static struct error *serve_all(struct serving *s)
{
	cleanup_free char *cache = session_cache_folder();

	if (!cache)
		return error_new(ERROR_REFUSED,
				 "there is no folder to keep jobs in: let HOME "
				 "or XDG_CACHE_HOME name one that only you can "
				 "write to");
	s->folder = xasprintf("%s/jobs/%s", cache, s->job.from);
	TRY(bundle_repository(s->folder));
	if (chdir(s->folder) < 0)
		return error_errno("cannot enter %s", s->folder);
	if (s->job.order.task)
		return serve_ordered(s);
	TRY(take_sent(s, take_refs, s));
	for (size_t i = 0; i < s->job.n; i++)
		TRY(error_wrap(serve_run(s, i), "run %s",
			       s->job.candidate[i].run));
	return NULL;
}

struct error *serve_job(struct pending *p)
{
	CLEANUP(serving)
	struct serving s = {.p = p, .restart = restart_count(), .whole = true};
	cleanup_free char *line = NULL;
	struct error *err;

	TRY(read_request(&s.job));
	err = serve_all(&s);
	if (!err && !s.whole)
		return NULL;
	/* An order without an end is asked again, one that says why is not: this
	 * machine may only start again, or another job take its place. */
	if (err && s.job.order.task && *stop_now_watch())
		return err;
	line = job_end_line(&s.job, s.restart, s.answered,
			    err ? error_message(err) : NULL);
	if (!err)
		return answer(line);
	error_free(answer(line));
	return err;
}
