/*
 * What `avogit watch` shows of a run, on anything that takes text at a place: a
 * terminal, or an array of a test. All text of others is cleaned here.
 */
#ifndef CMD_WATCH_VIEW_H
#define CMD_WATCH_VIEW_H

#include "cmd/session/doing.h"
#include "cmd/ui/color.h"

struct canvas {
	size_t rows, cols;
	/* The text is clean, and ends within the row. */
	void (*put)(struct canvas *self, size_t row, size_t col,
		    enum color color, const char *text);
};

/* Takes a while where there are thousands of attempts. */
struct tally {
	size_t kept, failed;
};
void tally_make(struct tally *t, const struct population *p);

/* All borrowed. */
struct view {
	const char *run;     /* NULL: there is none yet */
	const char *waiting; /* what is waited for, where there is none */
	const char *trouble; /* why the run cannot be read; or NULL */
	const struct population *p; /* as far as it was read */
	long pid;		    /* of gitstore_run_holder */
	bool elsewhere;		    /* another clone wrote its newest entry */
	const struct doing *doing;
	const struct tally *tally;
	int64_t now_us;
};

/* The canvas is empty before. */
void view_draw(struct canvas *c, const struct view *v);

#endif
