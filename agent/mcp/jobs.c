/* The queue between the reading and the working thread. */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/mcp/internal.h"
#include "core/base/clock.h"

struct error *jobs_init(struct jobs *j)
{
	*j = (struct jobs){.work_fd = -1, .done_fd = -1};
	pthread_mutex_init(&j->lock, NULL);
	j->work_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	j->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	j->heard = clock_seconds();
	return j->work_fd < 0 || j->done_fd < 0 ? error_errno("eventfd") : NULL;
}

static void job_free(struct job *job)
{
	json_free(job->arguments);
	tool_reply_release(&job->reply);
	free(job);
}

void jobs_release(struct jobs *j)
{
	for (size_t i = 0; i < j->n; i++)
		job_free(j->job[i]);
	cleanup_fd_fn(&j->work_fd);
	cleanup_fd_fn(&j->done_fd);
	pthread_mutex_destroy(&j->lock);
}

void jobs_wake(int fd)
{
	uint64_t one = 1;

	/* A failed write means a full counter, which is readable already. */
	if (write(fd, &one, sizeof one) < 0)
		errno = 0;
}

void jobs_drain(int fd)
{
	uint64_t n;

	if (read(fd, &n, sizeof n) < 0)
		errno = 0;
}

static void forget(struct jobs *j, size_t i)
{
	job_free(j->job[i]);
	memmove(&j->job[i], &j->job[i + 1], (--j->n - i) * sizeof j->job[0]);
}

/* Drops a finished job that no request waits for: first one whose answer was
 * sent, else the oldest. */
static bool make_room(struct jobs *j)
{
	if (j->n < JOBS_MAX)
		return true;
	for (int told = 1; told >= 0; told--)
		for (size_t i = 0; i < j->n; i++)
			if (j->job[i]->state == JOB_DONE &&
			    !j->job[i]->watchers && j->job[i]->told >= told) {
				forget(j, i);
				return true;
			}
	return false;
}

struct job *jobs_add(struct jobs *j, const struct tool *t,
		     struct json *arguments)
{
	struct job *job = NULL;

	pthread_mutex_lock(&j->lock);
	if (!j->over && make_room(j)) {
		job = xcalloc(1, sizeof *job);
		snprintf(job->handle, sizeof job->handle, "%.16s-%lu", t->name,
			 ++j->made);
		job->tool = t;
		job->arguments = arguments;
		job->began = clock_seconds();
		tool_reply_init(&job->reply);
		j->job[j->n++] = job;
	}
	pthread_mutex_unlock(&j->lock);
	if (job)
		jobs_wake(j->work_fd);
	else
		json_free(arguments);
	return job;
}

struct job *jobs_find(struct jobs *j, const char *handle)
{
	struct job *job = NULL;

	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->n; i++)
		if (str_eq(j->job[i]->handle, handle))
			job = j->job[i];
	pthread_mutex_unlock(&j->lock);
	return job;
}

enum job_state jobs_state(struct jobs *j, const struct job *job)
{
	enum job_state state;

	pthread_mutex_lock(&j->lock);
	state = job->state;
	pthread_mutex_unlock(&j->lock);
	return state;
}

bool jobs_cancel(struct jobs *j, struct job *job, bool anyway)
{
	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->n; i++)
		if (j->job[i] == job && job->state == JOB_WAITING &&
		    !job->watchers) {
			forget(j, i);
			job = NULL;
			break;
		}
	if (job && job->state == JOB_RUNNING && j->cancel &&
	    (anyway || !job->watchers)) {
		job->cancelled = true;
		j->cancel(true);
	}
	pthread_mutex_unlock(&j->lock);
	return job != NULL;
}

bool jobs_was_cancelled(struct jobs *j, const struct job *job)
{
	bool cancelled;

	pthread_mutex_lock(&j->lock);
	cancelled = job->cancelled;
	pthread_mutex_unlock(&j->lock);
	return cancelled;
}

static const char *state_words(enum job_state state)
{
	return state == JOB_WAITING   ? "waits its turn"
	       : state == JOB_RUNNING ? "at work"
				      : "done, its answer is here";
}

void jobs_list(struct buf *out, struct jobs *j)
{
	double now = clock_seconds();

	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->n; i++)
		if (!j->job[i]->told)
			buf_addf(out, "%s: %s, called %.0f s ago\n",
				 j->job[i]->handle,
				 state_words(j->job[i]->state),
				 now - j->job[i]->began);
	pthread_mutex_unlock(&j->lock);
}

void jobs_heard(struct jobs *j)
{
	pthread_mutex_lock(&j->lock);
	j->heard = clock_seconds();
	pthread_mutex_unlock(&j->lock);
}

struct job *jobs_next(struct jobs *j, unsigned flags)
{
	struct job *job = NULL;

	pthread_mutex_lock(&j->lock);
	for (size_t i = 0; i < j->n && !job; i++)
		if (j->job[i]->state == JOB_WAITING &&
		    (j->job[i]->tool->flags & flags) == flags)
			job = j->job[i];
	if (job)
		job->state = JOB_RUNNING;
	pthread_mutex_unlock(&j->lock);
	return job;
}

void jobs_done(struct jobs *j, struct job *job)
{
	pthread_mutex_lock(&j->lock);
	job->state = JOB_DONE;
	/* Under the lock: no cancellation of it can come from now on. */
	if (job->cancelled)
		j->cancel(false);
	j->heard = clock_seconds();
	pthread_mutex_unlock(&j->lock);
	jobs_wake(j->done_fd);
}
