#include "cmd/ui/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cmd/ui/live.h"
#include "core/base/base.h"

/* Global, because a signal handler has no argument for it. */
static volatile sig_atomic_t asked, at_once, late;

/* On a line of its own: where lines at the foot of the terminal are taken away,
 * that is where the cursor is then. */
static void say(const char *text, bool for_good)
{
	text += live_signal(for_good) && *text == '\n';
	if (!live_takes_more())
		return;
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		errno = 0; /* the reader closed stderr: stop all the same */
}

static void on_signal(int signo)
{
	int saved = errno;

	if (++asked >= 2) {
		at_once = 2;
		say("", true);
		signal(signo, SIG_DFL);
	} else {
		say("\navogit: finishing the attempt, then stopping; again to "
		    "stop now\n",
		    false);
	}
	errno = saved;
}

/* Stops without finishing; a second signal ends the process at once. */
static void on_signal_at_once(int signo)
{
	int saved = errno;

	asked = 2;
	at_once = 2;
	signal(signo, SIG_DFL);
	say("\navogit: stopping; again to stop without tidying up\n", true);
	errno = saved;
}

static const volatile int *watch(void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return &asked;
}

const volatile int *stop_watch(void)
{
	return watch(on_signal);
}

const volatile int *stop_now_watch(void)
{
	return watch(on_signal_at_once);
}

const volatile int *stop_asked(void)
{
	return &asked;
}

const volatile int *stop_at_once(void)
{
	return &at_once;
}

void stop_cancel(bool on)
{
	at_once = on ? 2 : 0;
	/* A signal may have come just before that. */
	if (asked >= 2 || late)
		at_once = 2;
}

static void on_alarm(int signo UNUSED)
{
	late = 1;
	at_once = 2;
}

void stop_after(double seconds)
{
	struct sigaction action = {.sa_handler = on_alarm,
				   .sa_flags = SA_RESTART};
	struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};

	timer.it_value.tv_usec =
		(suseconds_t)(1e6 * (seconds - (double)timer.it_value.tv_sec));
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

void stop_request(void)
{
	if (!asked)
		asked = 1;
}
