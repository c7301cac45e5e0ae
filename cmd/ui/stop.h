/*
 * Ctrl-C. The first asks a run to finish its attempt and stop, the second to
 * stop now. A third ends the process at once, which loses at most the attempt
 * in flight.
 */
#ifndef CMD_UI_STOP_H
#define CMD_UI_STOP_H

#include <stdbool.h>

/* Catches SIGINT and SIGTERM from now on. The flag counts them: 0, 1, 2. */
const volatile int *stop_watch(void);
/* For commands with nothing to finish: the first signal sets the flag to 2, so
 * that the command ends its children and removes its files; a second one of the
 * same kind ends the process. */
const volatile int *stop_now_watch(void);
/* The same flag, whichever of the two catches them; 0 if none does. */
const volatile int *stop_asked(void);
/* The flag of what gives up at once (2): set by a second signal of stop_watch,
 * or by stop_cancel. */
const volatile int *stop_at_once(void);
/* Lets what is at work give up as after a second signal, or (false) ends that.
 * The run goes on. For any thread, one at a time. */
void stop_cancel(bool on);
/* Lets what is at work so many seconds from now give up as after a second signal,
 * for good; 0 takes that back. */
void stop_after(double seconds);
/* Acts like a first signal; for when the reader of the output has gone. */
void stop_request(void);

#endif
