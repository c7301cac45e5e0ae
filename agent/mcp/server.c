/* The reading thread, and the hand-over of calls to the working thread. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/mcp/internal.h"
#include "core/base/clock.h"
#include "core/run/population.h"

/* Time to send the last answers after the run's end. */
#define FLUSH_SECONDS 1.0
/* Lines of one client that are handled before the next client's turn. */
#define LINES_A_TURN 64

/* ---- clients ------------------------------------------------------------- */

static void connect_client(struct mcp_server *s, size_t i, int in, int out,
			   bool owned)
{
	channel_init(&s->client[i], in, out, owned);
	s->connected[i] = true;
}

static void disconnect(struct mcp_server *s, size_t i)
{
	mcp_forget_client(s, i);
	mcp_batch_drop(s, i);
	channel_release(&s->client[i]);
	s->connected[i] = false;
}

static void accept_client(struct mcp_server *s)
{
	int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	for (size_t i = 0; i < MCP_CLIENTS; i++)
		if (!s->connected[i]) {
			connect_client(s, i, fd, fd, true);
			return;
		}
	close(fd);
}

static bool waits_for_answer(const struct mcp_server *s, size_t client)
{
	for (size_t i = 0; i < s->n_requests; i++)
		if (s->request[i].client == client)
			return true;
	return false;
}

/* Returns true if lines may be left; the next turn then does not wait. */
static bool serve_lines(struct mcp_server *s, size_t i)
{
	struct channel *c = &s->client[i];
	const char *line;
	bool too_long;
	size_t len;

	for (int n = 0; n < LINES_A_TURN; n++) {
		line = channel_line(&len, &too_long, c);
		if (too_long)
			mcp_line_too_long(s, i);
		if (!line)
			return false;
		mcp_message(s, i, line, len);
	}
	return true;
}

static bool is_finished(const struct mcp_server *s, size_t i)
{
	const struct channel *c = &s->client[i];

	return c->broken ||
	       (c->ended && !waits_for_answer(s, i) && !channel_has_output(c));
}

/* ---- one turn ------------------------------------------------------------ */

struct watched {
	struct pollfd fd[2 * MCP_CLIENTS + 2];
	size_t n;
};

static void watch(struct watched *w, int fd, short events)
{
	w->fd[w->n++] = (struct pollfd){fd, events, 0};
}

static bool is_ready(const struct watched *w, int fd, short events)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->fd[i].fd == fd && (w->fd[i].events & events) &&
		    w->fd[i].revents)
			return true;
	return false;
}

/* The client closed its end: output on this descriptor would be lost. */
static bool hung_up(const struct watched *w, int fd)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->fd[i].fd == fd &&
		    (w->fd[i].revents & (POLLERR | POLLHUP | POLLNVAL)))
			return true;
	return false;
}

static void wait_for_something(struct mcp_server *s, struct watched *w,
			       bool lines_left)
{
	double due = mcp_next_due(s, clock_seconds());
	int wait = lines_left ? 0
		   : due < 0  ? -1
			      : (int)(MIN(due, 3600.0) * 1e3) + 1;

	w->n = 0;
	watch(w, s->jobs.done_fd, POLLIN);
	if (s->listen_fd >= 0)
		watch(w, s->listen_fd, POLLIN);
	for (size_t i = 0; i < MCP_CLIENTS; i++) {
		const struct channel *c = &s->client[i];

		if (!s->connected[i])
			continue;
		if (!c->ended)
			watch(w, c->in, POLLIN);
		/* Watched without output too: the client may close it. */
		if (channel_has_output(c) || c->ended)
			watch(w, c->out, channel_has_output(c) ? POLLOUT : 0);
	}
	if (poll(w->fd, w->n, wait) < 0)
		w->n = 0;
}

/* Returns true if lines are left for the next turn. */
static bool serve_client(struct mcp_server *s, size_t i,
			 const struct watched *w, bool lines_left)
{
	struct channel *c = &s->client[i];
	bool more = lines_left;

	if (!c->ended && is_ready(w, c->in, POLLIN)) {
		channel_fill(c);
		more = true;
	}
	if (more)
		more = serve_lines(s, i);
	if (is_ready(w, c->out, POLLOUT))
		channel_flush(c);
	if (c->ended && hung_up(w, c->out))
		c->broken = true;
	return more;
}

static bool is_over(struct mcp_server *s)
{
	bool over;

	pthread_mutex_lock(&s->jobs.lock);
	over = s->jobs.over;
	pthread_mutex_unlock(&s->jobs.lock);
	return over;
}

static void client_gone(struct mcp_server *s)
{
	pthread_mutex_lock(&s->jobs.lock);
	s->jobs.client_gone = true;
	pthread_mutex_unlock(&s->jobs.lock);
	jobs_wake(s->jobs.work_fd);
}

/* Returns false if the only client has left. */
static bool turn(struct mcp_server *s, bool *lines_left)
{
	struct watched w;
	bool more = false;

	wait_for_something(s, &w, *lines_left);
	if (is_ready(&w, s->jobs.done_fd, POLLIN))
		jobs_drain(s->jobs.done_fd);
	for (size_t i = 0; i < MCP_CLIENTS; i++)
		if (s->connected[i] && serve_client(s, i, &w, *lines_left))
			more = true;
	if (s->listen_fd >= 0 && is_ready(&w, s->listen_fd, POLLIN))
		accept_client(s);
	*lines_left = more;
	mcp_attend(s, clock_seconds());
	for (size_t i = 0; i < MCP_CLIENTS; i++)
		if (s->connected[i] && !more && is_finished(s, i)) {
			disconnect(s, i);
			if (s->listen_fd < 0)
				return false;
		}
	return true;
}

/* The run is over: answers waiting requests and gives clients time to read. */
static void farewell(struct mcp_server *s)
{
	double end = clock_seconds() + FLUSH_SECONDS;

	mcp_attend(s, clock_seconds());
	for (size_t i = 0; i < s->n_requests; i++)
		s->request[i].deadline = 0;
	mcp_attend(s, clock_seconds());
	for (size_t i = 0; i < MCP_CLIENTS; i++)
		while (s->connected[i] && channel_has_output(&s->client[i]) &&
		       clock_seconds() < end) {
			struct pollfd p = {s->client[i].out, POLLOUT, 0};

			poll(&p, 1, 10);
			channel_flush(&s->client[i]);
		}
}

static void *read_on(void *arg)
{
	struct mcp_server *s = arg;
	bool lines_left = false;

	while (!is_over(s) && turn(s, &lines_left))
		;
	client_gone(s);
	if (is_over(s))
		farewell(s);
	return NULL;
}

/* ---- for the working thread ---------------------------------------------- */

/* Blocks signals here: the thread that started this one handles them. */
static struct error *start_thread(struct mcp_server *s)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&s->thread, NULL, read_on, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = rc;
	if (rc)
		return error_errno("cannot start a thread");
	s->started = true;
	return NULL;
}

struct error *mcp_start(struct mcp_server **out, const struct mcp_options *o)
{
	cleanup_mcp_server struct mcp_server *s = xcalloc(1, sizeof *s);

	pthread_mutex_init(&s->files_lock, NULL);
	pthread_mutex_init(&s->run_lock, NULL);
	TRY(jobs_init(&s->jobs));
	s->without = o->without;
	s->listen_fd = o->in_fd < 0 ? o->listen_fd : -1;
	if (o->in_fd >= 0)
		connect_client(s, 0, o->in_fd, o->out_fd, false);
	TRY(start_thread(s));
	*out = steal(&s);
	return NULL;
}

static void set_busy(struct mcp_server *s, bool busy)
{
	pthread_mutex_lock(&s->run_lock);
	s->busy = busy;
	pthread_mutex_unlock(&s->run_lock);
	/* The reading thread looks for calls that waited for this. */
	if (!busy)
		jobs_wake(s->jobs.done_fd);
}

static void at_rest(void *arg, bool begins)
{
	struct mcp_server *s = arg;

	/* The reading thread has run_lock already, and waits with it. */
	if (!pthread_equal(pthread_self(), s->thread))
		set_busy(s, !begins);
}

static void set_cancel(struct mcp_server *s, const struct variation *v)
{
	pthread_mutex_lock(&s->jobs.lock);
	s->jobs.cancel = v && v->allowance ? v->allowance->cancel : NULL;
	pthread_mutex_unlock(&s->jobs.lock);
}

void mcp_attach(struct mcp_server *s, struct toolbox *box)
{
	unsigned n_files;

	box->v->at_rest = at_rest;
	box->v->at_rest_arg = s;
	set_cancel(s, box->v);
	pthread_mutex_lock(&s->files_lock);
	n_files = s->files.n_files;
	s->box = box;
	s->files = *box;
	s->files.file_prefix = "m";
	s->files.n_files = n_files;
	s->is_shared = box->v->allowance && box->v->allowance->away;
	s->attached = true;
	pthread_mutex_unlock(&s->files_lock);
}

void mcp_detach(struct mcp_server *s)
{
	pthread_mutex_lock(&s->files_lock);
	if (s->box)
		s->box->v->at_rest = NULL;
	s->box = NULL;
	s->attached = false;
	pthread_mutex_unlock(&s->files_lock);
	set_cancel(s, NULL);
}

int mcp_work_fd(const struct mcp_server *s)
{
	return s->jobs.work_fd;
}

/* Is the attempt that was made last here without a measurement? Those of other
 * processes may be, too. */
static bool left_unmeasured(const struct variation *v)
{
	const struct attempt *a =
		*v->made.hex ? population_find(v->population, v->made.hex)
			     : NULL;

	return a && !attempt_is_measured(a);
}

/* A call that gave up because its client cancelled it ends nothing else. */
static struct error *after_cancel(struct mcp_server *s, struct job *job,
				  struct error *err)
{
	const struct allowance *a = s->box->v->allowance;

	if (!error_is(err, ERROR_INTERRUPTED) ||
	    !jobs_was_cancelled(&s->jobs, job) || a->why_stop(a))
		return err;
	error_free(err);
	tool_fail(&job->reply,
		  "stopped, because the client cancelled the call.%s",
		  str_eq(job->tool->name, "score") && left_unmeasured(s->box->v)
			  ? " The attempt is committed and not measured: score "
			    "again, or let it be; it is measured when the run "
			    "is started the next time."
			  : "");
	return NULL;
}

struct error *mcp_work(bool *did, struct mcp_server *s)
{
	struct job *job = jobs_next(&s->jobs, 0);
	struct error *err;

	*did = job != NULL;
	if (!job) {
		jobs_drain(s->jobs.work_fd);
		/* A job may have been added before the drain. */
		job = jobs_next(&s->jobs, 0);
		*did = job != NULL;
	}
	if (!job)
		return NULL;
	set_busy(s, true);
	err = tool_call(&job->reply, s->box, job->tool, job->arguments);
	set_busy(s, false);
	err = after_cancel(s, job, err);
	if (err)
		tool_fail(&job->reply, "the run ends: %s", error_message(err));
	jobs_done(&s->jobs, job);
	return err;
}

void mcp_refuse(struct mcp_server *s, const char *why)
{
	struct job *job;

	jobs_drain(s->jobs.work_fd);
	while ((job = jobs_next(&s->jobs, 0))) {
		tool_fail(
			&job->reply,
			"avogit cannot work here: %s\nCall again when that is "
			"mended; nothing needs to be started again.",
			why);
		jobs_done(&s->jobs, job);
	}
}

bool mcp_ended(struct mcp_server *s)
{
	bool gone;

	pthread_mutex_lock(&s->jobs.lock);
	gone = s->jobs.client_gone;
	pthread_mutex_unlock(&s->jobs.lock);
	return gone;
}

double mcp_silence(struct mcp_server *s)
{
	double heard;

	pthread_mutex_lock(&s->jobs.lock);
	heard = s->jobs.heard;
	pthread_mutex_unlock(&s->jobs.lock);
	return clock_seconds() - heard;
}

void mcp_stop(struct mcp_server *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->jobs.lock);
	s->jobs.over = true;
	pthread_mutex_unlock(&s->jobs.lock);
	jobs_wake(s->jobs.done_fd);
	if (s->started)
		pthread_join(s->thread, NULL);
	for (size_t i = 0; i < MCP_CLIENTS; i++)
		if (s->connected[i])
			disconnect(s, i);
	jobs_release(&s->jobs);
	pthread_mutex_destroy(&s->files_lock);
	pthread_mutex_destroy(&s->run_lock);
	free(s);
}
