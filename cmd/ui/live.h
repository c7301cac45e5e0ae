/*
 * Lines at the foot of a terminal that are drawn again and again while a command
 * works: on stderr, by a thread of their own, a few times a second. What is
 * printed meanwhile goes between live_hold and live_go_on, and stands above them.
 *
 * Nothing is drawn, and no thread begins, where stderr is no terminal or one of
 * the kind "dumb", where stdout is a pipe (its reader may write to the same
 * terminal), and while the process is in the background.
 */
#ifndef CMD_UI_LIVE_H
#define CMD_UI_LIVE_H

#include "core/base/buf.h"

/* Adds lines, each with a newline, of at most `width` cells. Called in another
 * thread, never between live_hold and live_go_on. */
typedef void live_draw(void *arg, struct buf *out, size_t width);

/* False: nothing is drawn. Signals that would end the process leave the terminal
 * clean from here on. */
bool live_begin(live_draw *draw, void *arg);
/* Takes the lines away. Does nothing if live_begin was not called. */
void live_end(void);

/* Nothing is drawn until live_go_on; other threads that call it wait. Calls nest.
 * These three do nothing where nothing is drawn. */
void live_hold(void);
/* Within it, before something is printed: takes the lines away. */
void live_clear(void);
/* Draws them again, below what was printed. */
void live_go_on(void);

/* For a signal handler: takes the lines away; `for_good`: for ever. False if
 * nothing is drawn. */
bool live_signal(bool for_good);

/* Can something be written to stderr at once? A terminal can be stopped (Ctrl-S),
 * and who writes then waits. For a signal handler, too. */
bool live_takes_more(void);

#endif
