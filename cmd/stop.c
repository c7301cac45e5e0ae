#include "cmd/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* The one global: a signal handler has nothing else to write to. */
static volatile sig_atomic_t asked;

static void on_signal(int signo)
{
	static const char first[] = "\navogit: finishing the attempt, then "
				    "stopping; again to stop now\n";
	int saved = errno;

	if (++asked >= 2)
		signal(signo, SIG_DFL);
	else if (write(STDERR_FILENO, first, sizeof first - 1) < 0)
		asked = 1; /* nobody to tell: stops all the same */
	errno = saved;
}

const volatile int *stop_watch(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return &asked;
}

void stop_request(void)
{
	if (!asked)
		asked = 1;
}
