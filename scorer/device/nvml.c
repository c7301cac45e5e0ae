#include "scorer/device/nvml.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"

#define LIBRARY "libnvidia-ml.so.1"
/* A driver that is not kept loaded takes seconds to start. */
#define START_SECONDS  30.0
#define ANSWER_SECONDS 3.0
#define END_MS	       1000
#define CHILD_FD       3

struct hello {
	struct nvml_card card;
	char why[NVML_WHY_SIZE]; /* empty: no failure */
};

struct nvml_answer {
	struct nvml_sample sample;
	char why[NVML_WHY_SIZE];
};

/* ---- the child --------------------------------------------------------- */

/* Silent, and with only its socket open: otherwise it would keep open what
 * other processes have closed (a lock, the other end of an arm's channel). */
static void detach_child(int fd, pid_t parent)
{
	static const int theirs[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct rlimit none = {0, 0};
	int null;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ||
	    (fd != CHILD_FD && dup2(fd, CHILD_FD) < 0))
		_exit(1);
	/* held: in a child; close_range below closes it */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		_exit(1);
	for (int i = 0; i <= 2; i++)
		dup2(null, i);
	close_range(CHILD_FD + 1, ~0U, 0);
	setrlimit(RLIMIT_CORE, &none);
	/* Ctrl-C is for our parent, which ends this child. */
	for (size_t i = 0; i < ARRAY_SIZE(theirs); i++)
		signal(theirs[i], SIG_IGN);
	/* The parent's handlers are not made for a driver's faults. */
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		signal(fatal[i], SIG_DFL);
}

static void answer_for_ever(const struct nvml_library *l, pid_t parent)
{
	for (;;) {
		struct nvml_answer a = {0};
		char question;
		ssize_t n = read(CHILD_FD, &question, 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(0);
		nvml_library_sample(&a.sample, a.why, l, parent);
		if (send(CHILD_FD, &a, sizeof a, MSG_NOSIGNAL) !=
		    (ssize_t)sizeof a)
			_exit(1);
	}
}

static void run_child(int fd, pid_t parent, const char *name, const char *uuid)
{
	struct nvml_library l;
	struct hello h = {0};

	detach_child(fd, parent);
	if (nvml_library_open(&l, h.why, name, uuid))
		nvml_library_card(&h.card, &l);
	if (send(CHILD_FD, &h, sizeof h, MSG_NOSIGNAL) != (ssize_t)sizeof h ||
	    h.why[0])
		_exit(1);
	answer_for_ever(&l, parent);
}

/* ---- the parent -------------------------------------------------------- */

enum nvml_received { RECEIVED_ALL, RECEIVED_END, RECEIVED_LATE };

static enum nvml_received receive(void *out, size_t size, int fd,
				  double seconds)
{
	double deadline = clock_seconds() + seconds;

	for (;;) {
		double left = deadline - clock_seconds();
		struct pollfd p = {fd, POLLIN, 0};
		ssize_t n;

		if (left <= 0)
			return RECEIVED_LATE;
		if (poll(&p, 1, (int)(left * 1e3) + 1) <= 0)
			continue;
		n = recv(fd, out, size, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		return n == (ssize_t)size ? RECEIVED_ALL : RECEIVED_END;
	}
}

/* Ends the child. Returns its exit status, or 0 if it does not end: a child
 * that the driver holds inside the kernel cannot end, and is not waited for. */
static int reap(struct nvml_watch *w)
{
	cleanup_fd int ended = (int)syscall(SYS_pidfd_open, w->pid, 0);
	struct pollfd p = {ended, POLLIN, 0};
	int status = 0;

	close(w->fd);
	/* A child that is already ending keeps its status. */
	kill(w->pid, SIGKILL);
	while (poll(&p, 1, END_MS) < 0 && errno == EINTR)
		;
	while (waitpid(w->pid, &status, WNOHANG) < 0 && errno == EINTR)
		;
	w->pid = 0;
	w->fd = -1;
	w->asked = false;
	return status;
}

/* Ends the watch, because no answer came. */
static void give_up(struct nvml_watch *w, enum nvml_received got,
		    double seconds)
{
	int status = reap(w);

	if (got == RECEIVED_LATE)
		snprintf(w->why, sizeof w->why,
			 "the driver's management library gave no answer in "
			 "%g s",
			 seconds);
	else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		snprintf(w->why, sizeof w->why,
			 "the driver's management library ended by signal %d",
			 WTERMSIG(status));
	else
		snprintf(w->why, sizeof w->why,
			 "the driver's management library ended the process "
			 "that asked");
}

static bool is_text(const char *s, size_t size)
{
	const char *end = memchr(s, 0, size);

	for (; end && s < end; s++)
		if (*s < ' ' || *s > '~')
			return false;
	return end != NULL;
}

/* The child had the memory of a driver, so its answers are checked. Any double
 * can be printed, but a NaN would spoil a median. */
static bool is_sane_card(const struct nvml_card *c)
{
	return is_text(c->driver, sizeof c->driver) && isfinite(c->power_limit);
}

static bool is_sane_sample(const struct nvml_sample *s)
{
	return isfinite(s->at) && isfinite(s->power) && isfinite(s->energy) &&
	       s->reasons < 1 << NVML_REASONS;
}

static void set_why(struct nvml_watch *w, const char why[NVML_WHY_SIZE])
{
	if (is_text(why, NVML_WHY_SIZE))
		memcpy(w->why, why, NVML_WHY_SIZE);
	else
		snprintf(w->why, sizeof w->why,
			 "the driver's management library says something that "
			 "is not text");
}

static void nvml_watch_greet(struct nvml_watch *w)
{
	struct hello h;
	enum nvml_received got;

	if (!w->pid || w->greeted)
		return;
	w->greeted = true;
	got = receive(&h, sizeof h, w->fd, START_SECONDS);
	if (got == RECEIVED_ALL && h.why[0]) {
		reap(w);
		set_why(w, h.why);
	} else if (got != RECEIVED_ALL || !is_sane_card(&h.card)) {
		give_up(w, got, START_SECONDS);
	} else {
		w->card = h.card;
	}
}

bool nvml_watch_lasts(struct nvml_watch *w)
{
	struct pollfd p = {w->fd, 0, 0};

	if (w->pid && poll(&p, 1, 0) > 0)
		reap(w);
	return w->pid;
}

/* The start in two steps: begin does not wait; greet waits for the library
 * before the first question, and does nothing a second time. */
static struct error *nvml_watch_begin(struct nvml_watch *w, const char *uuid)
{
	const char *named = env_get("AVOGIT_LIBNVML");
	const char *name = named ? named : LIBRARY;
	pid_t parent = getpid(), pid;
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return error_errno("socketpair");
	pid = fork();
	if (pid == 0)
		run_child(fd[1], parent, name, uuid);
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return error_errno("fork");
	}
	*w = (struct nvml_watch){.pid = pid, .fd = fd[0]};
	return NULL;
}

struct error *nvml_watch_start(struct nvml_watch *w, const char *uuid)
{
	TRY(nvml_watch_begin(w, uuid));
	nvml_watch_greet(w);
	return NULL;
}

void nvml_watch_ask(struct nvml_watch *w)
{
	if (!w->pid || w->asked)
		return;
	/* If the child is gone, taking the answer reports it. */
	w->asked = true;
	(void)!send(w->fd, "?", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Is there an answer, so that taking it does not wait? */
static bool has_answered(const struct nvml_watch *w)
{
	struct pollfd p = {w->fd, POLLIN, 0};

	return w->asked && poll(&p, 1, 0) > 0;
}

bool nvml_watch_take(struct nvml_sample *out, struct nvml_watch *w)
{
	struct nvml_answer a;
	enum nvml_received got;

	if (!w->asked)
		return false;
	w->asked = false;
	got = receive(&a, sizeof a, w->fd, ANSWER_SECONDS);
	if (got == RECEIVED_ALL && a.why[0]) {
		reap(w);
		set_why(w, a.why);
		return false;
	}
	if (got != RECEIVED_ALL || !is_sane_sample(&a.sample)) {
		give_up(w, got, ANSWER_SECONDS);
		return false;
	}
	*out = a.sample;
	return true;
}

void nvml_watch_stop(struct nvml_watch *w)
{
	if (w->pid)
		reap(w);
}

/* ---- the card during a comparison ---------------------------------------- */

void gpu_watch_start(struct gpu_watch *w, struct nvml_watch *watch,
		     const char *uuid)
{
	*w = (struct gpu_watch){.watch = watch};
	if (!nvml_watch_lasts(watch))
		error_free(nvml_watch_begin(watch, uuid));
}

void gpu_watch_await(struct gpu_watch *w)
{
	nvml_watch_greet(w->watch);
}

void gpu_watch_ask(struct gpu_watch *w)
{
	nvml_watch_ask(w->watch);
}

void gpu_watch_finish(struct gpu_watch *w)
{
	struct nvml_sample s;

	if (!nvml_watch_take(&s, w->watch))
		return;
	GROW(w->sample, w->n, w->cap);
	w->sample[w->n++] = s;
}

void gpu_watch_take(struct gpu_watch *w)
{
	if (has_answered(w->watch))
		gpu_watch_finish(w);
}

void gpu_watch_record(struct measurement *m, const struct gpu_watch *w)
{
	struct nvml_summary s;

	nvml_summarize(&s, w->sample, w->n);
	nvml_summary_record(m, &s);
	if (w->watch->card.driver[0])
		measurement_set(m, "driver", w->watch->card.driver);
}

double gpu_watch_bias(char **why, const struct gpu_watch *w)
{
	static const enum nvml_reason slowing[] = {
		NVML_REASON_HW_SLOWDOWN, NVML_REASON_THERMAL_SLOWDOWN,
		NVML_REASON_HW_THERMAL_SLOWDOWN, NVML_REASON_POWER_BRAKE};
	struct nvml_summary s;
	double share = 0;

	nvml_summarize(&s, w->sample, w->n);
	for (size_t i = 0; i < ARRAY_SIZE(slowing); i++)
		share = MAX(share, s.share[slowing[i]]);
	if (share <= 0 || s.sm_clock.min <= 0)
		return 0;
	*why = xasprintf("the card slowed itself down for %.0f %% of the time "
			 "(%.0f to %.0f MHz)",
			 100 * share, s.sm_clock.min, s.sm_clock.max);
	return log(s.sm_clock.max / s.sm_clock.min);
}

void gpu_watch_stop(struct gpu_watch *w)
{
	struct nvml_sample late;

	/* A half that ended early: the next comparison cannot use its
	 * sample. */
	(void)nvml_watch_take(&late, w->watch);
	free(w->sample);
	*w = (struct gpu_watch){.watch = NULL};
}
