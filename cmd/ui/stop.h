/*
 * Ctrl-C. The first asks a run to finish its attempt and stop; the second to
 * stop now; a third ends the process on the spot, which costs no more than
 * the attempt in flight.
 */
#ifndef CMD_UI_STOP_H
#define CMD_UI_STOP_H

/* Catches SIGINT and SIGTERM from here on. The flag counts them: 0, 1, 2. */
const volatile int *stop_watch(void);
/* For a command that has nothing to finish: the first sets the flag to 2, so
 * that it ends what it started and removes what it made; the second of a kind
 * ends the process. */
const volatile int *stop_now_watch(void);
/* As if asked once: the reader of the output went away. */
void stop_request(void);

#endif
