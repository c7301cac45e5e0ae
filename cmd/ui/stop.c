#include "cmd/ui/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* Global, because a signal handler has no argument for it. */
static volatile sig_atomic_t asked, at_once;

static void on_signal(int signo)
{
	static const char first[] = "\navogit: finishing the attempt, then "
				    "stopping; again to stop now\n";
	int saved = errno;

	if (++asked >= 2) {
		at_once = 2;
		signal(signo, SIG_DFL);
	} else if (write(STDERR_FILENO, first, sizeof first - 1) < 0)
		asked = 1; /* the reader closed stderr: stop all the same */
	errno = saved;
}

/* Stops without finishing; a second signal ends the process at once. */
static void on_signal_at_once(int signo)
{
	static const char text[] =
		"\navogit: stopping; again to stop without tidying up\n";
	int saved = errno;

	asked = 2;
	at_once = 2;
	signal(signo, SIG_DFL);
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		asked = 2; /* the reader closed stderr: stop all the same */
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

const volatile int *stop_at_once(void)
{
	return &at_once;
}

void stop_cancel(bool on)
{
	at_once = on ? 2 : 0;
	/* A signal may have come just before that. */
	if (asked >= 2)
		at_once = 2;
}

void stop_request(void)
{
	if (!asked)
		asked = 1;
}
