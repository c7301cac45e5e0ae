/* A terminal as a canvas. The only part that knows curses. */
#ifndef CMD_WATCH_SCREEN_H
#define CMD_WATCH_SCREEN_H

#include "cmd/watch/view.h"

struct watch_screen;

/* ERROR_USAGE with what to use instead where stdin or stdout is no terminal or
 * its kind is not known. screen_close disposes, and leaves the terminal as it
 * was. Only one at a time. */
struct error *screen_open(struct watch_screen **out, bool color) MUST_CHECK;
/* An empty canvas of the terminal's size now; then what was put is shown. */
struct canvas *screen_begin(struct watch_screen *s);
void screen_end(struct watch_screen *s);
enum screen_key { KEY_IS_NONE, KEY_IS_QUIT, KEY_IS_OTHER };
/* Waits so long for a key, a signal or another size (KEY_IS_OTHER). */
enum screen_key screen_wait(struct watch_screen *s, int milliseconds);
void screen_close(struct watch_screen *s);

DEFINE_CLEANUP(screen, struct watch_screen, screen_close)
#define cleanup_screen CLEANUP(screen)

#endif
