#include "cmd/ui/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"

#define EVERY_NS    200000000L /* between two drawings */
#define LEAST_S	    0.04       /* between two that something new asked for */
#define USUAL_WIDTH 80
#define USUAL_ROWS  24
/* The cursor is at the beginning of the first line, so this takes all away. */
#define CLEAR "\r\033[J"

/* One, because a terminal has one foot and a signal handler no argument. */
static struct {
	pthread_mutex_t lock; /* of all below it */
	pthread_cond_t wake;
	pthread_t thread;
	live_draw *draw;
	void *arg;
	double drawn; /* for the last time */
	bool ends;
	size_t held; /* by calls of live_hold */
	/* These are for signal handlers, too. */
	int fd; /* the terminal */
	atomic_bool on, shown, drawing, off;
} live = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

/* ---- the terminal -------------------------------------------------------- */

static bool has_terminal(void)
{
	const char *term = getenv("TERM");
	struct stat out;

	if (!isatty(STDERR_FILENO) || !term || !*term || str_eq(term, "dumb"))
		return false;
	return isatty(STDOUT_FILENO) ||
	       (fstat(STDOUT_FILENO, &out) == 0 && !S_ISFIFO(out.st_mode) &&
		!S_ISSOCK(out.st_mode));
}

/* A terminal that is not the process's own has no background. */
static bool in_background(void)
{
	pid_t group = tcgetpgrp(STDERR_FILENO);

	return group > 0 && group != getpgrp();
}

/* A second way to the terminal that never waits: it may stop (Ctrl-S, a connection
 * that is stuck) between the question and the writing. stderr itself is left as
 * it is, since others have it, too. */
static int open_terminal(void)
{
	int fd = open("/proc/self/fd/2",
		      O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	return fd < 0 ? STDERR_FILENO : fd;
}

static void close_terminal(void)
{
	if (live.fd != STDERR_FILENO)
		close(live.fd);
	live.fd = STDERR_FILENO;
}

bool live_takes_more(void)
{
	struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};

	return poll(&terminal, 1, 0) > 0;
}

static void ask_size(size_t *width, size_t *rows)
{
	struct winsize size;
	bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;

	*width = known && size.ws_col ? size.ws_col : USUAL_WIDTH;
	*rows = known && size.ws_row ? size.ws_row : USUAL_ROWS;
}

/* What cannot be written is not seen: the next drawing tries again. */
static void put(const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(live.fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

/* In the background the shell has written over the lines already. */
static void clear(void)
{
	if (atomic_exchange(&live.shown, false) && !in_background() &&
	    live_takes_more())
		put(CLEAR, strlen(CLEAR));
}

/* ---- drawing ------------------------------------------------------------- */

/* Each line over what stood there, without a blank screen in between; then back
 * to the first. */
static size_t place(struct buf *out, const char *text, size_t rows)
{
	size_t n = 0;

	buf_adds(out, "\r");
	for (const char *line = text; *line && n + 1 < rows; n++) {
		size_t len = strcspn(line, "\n");

		if (n)
			buf_adds(out, "\n");
		buf_add(out, line, len);
		buf_adds(out, "\033[K");
		line += len + (line[len] == '\n');
	}
	buf_adds(out, "\033[J\r");
	if (n > 1)
		buf_addf(out, "\033[%zuA", n - 1);
	return n;
}

static void draw(void)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf frame = BUF_INIT(BUF_LIMIT_TEXT);
	size_t width, rows;

	if (live.held || in_background() || !live_takes_more())
		return;
	ask_size(&width, &rows);
	/* A character in the last column makes some terminals begin a line. */
	live.draw(live.arg, &text, width - 1);
	if (!text.len) {
		clear();
		return;
	}
	live.drawn = clock_seconds();
	place(&frame, text.data, rows);
	atomic_store(&live.drawing, true);
	if (!atomic_load(&live.off)) {
		atomic_store(&live.shown, true);
		put(frame.data, frame.len);
	}
	atomic_store(&live.drawing, false);
}

static void wait_a_little(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += EVERY_NS;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_cond_timedwait(&live.wake, &live.lock, &until);
}

static void *work(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&live.lock);
	while (!live.ends) {
		draw();
		wait_a_little();
	}
	pthread_mutex_unlock(&live.lock);
	return NULL;
}

/* ---- signals ------------------------------------------------------------- */

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

bool live_signal(bool for_good)
{
	const struct timespec moment = {.tv_nsec = 100000};

	if (!atomic_load(&live.on))
		return false;
	if (for_good)
		atomic_store(&live.off, true);
	/* A drawing that has begun would come after this. */
	for (int i = 0; i < 100 && atomic_load(&live.drawing); i++)
		nanosleep(&moment, NULL);
	clear();
	return true;
}

/* Of a command that does nothing else on a signal. */
static void die(int signo)
{
	int saved = errno;

	live_signal(true);
	signal(signo, SIG_DFL);
	raise(signo);
	errno = saved;
}

/* Where the handler is `from`; others are left as they are. */
static void replace(void (*from)(int), void (*to)(int))
{
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++) {
		struct sigaction old;
		struct sigaction action = {.sa_handler = to};

		sigemptyset(&action.sa_mask);
		if (sigaction(deadly[i], NULL, &old) == 0 &&
		    old.sa_handler == from)
			sigaction(deadly[i], &action, NULL);
	}
}

/* ---- beginning and ending ------------------------------------------------ */

/* Signals are for the thread that began it: what waits there shall wake. */
static bool begin_thread(void)
{
	sigset_t all, before;
	bool begun;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	begun = pthread_create(&live.thread, NULL, work, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return begun;
}

bool live_begin(live_draw *draw_, void *arg)
{
	pthread_condattr_t clock;

	if (atomic_load(&live.on) || !has_terminal())
		return false;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&live.wake, &clock);
	pthread_condattr_destroy(&clock);
	live.draw = draw_;
	live.arg = arg;
	live.ends = false;
	live.held = 0;
	live.fd = open_terminal();
	atomic_store(&live.off, false);
	if (!begin_thread()) {
		close_terminal();
		pthread_cond_destroy(&live.wake);
		return false;
	}
	atomic_store(&live.on, true);
	replace(SIG_DFL, die);
	return true;
}

void live_end(void)
{
	if (!atomic_load(&live.on))
		return;
	pthread_mutex_lock(&live.lock);
	live.ends = true;
	pthread_cond_signal(&live.wake);
	pthread_mutex_unlock(&live.lock);
	pthread_join(live.thread, NULL);
	clear();
	replace(die, SIG_DFL);
	atomic_store(&live.on, false);
	close_terminal();
	pthread_cond_destroy(&live.wake);
}

/* ---- printing meanwhile -------------------------------------------------- */

void live_hold(void)
{
	if (!atomic_load(&live.on))
		return;
	pthread_mutex_lock(&live.lock);
	live.held++;
}

void live_clear(void)
{
	if (atomic_load(&live.on))
		clear();
}

void live_go_on(void)
{
	if (!atomic_load(&live.on))
		return;
	fflush(stdout);
	live.held--;
	if (!live.held && clock_seconds() - live.drawn >= LEAST_S)
		draw();
	pthread_mutex_unlock(&live.lock);
}
