/*
 * The lines of a note. Other clones and other tools write there too, so nothing
 * is assumed about their order, number or length. The cost is that of sorting
 * them once.
 *
 * A measurement's lines begin with its id and a rank of three digits
 * (measurement.h). If the lines of one id have over NOTE_MEASUREMENT_MAX bytes
 * together, they do not count as a measurement.
 */
#ifndef CORE_SCORE_NOTE_LINES_H
#define CORE_SCORE_NOTE_LINES_H

#include "core/score/measurement.h"

#define NOTE_MEASUREMENT_MAX ((size_t)1 << 20)

/* Without its newline; borrowed from the note. */
struct note_line {
	const char *text;
	size_t len;
};

struct note_lines {
	struct note_line *v;
	size_t n, cap;
};

/* Adds the lines of a text except empty ones; with `measured` only those of
 * measurements. `text` must live as long as the lines. */
void note_lines_add(struct note_lines *to, const char *text, size_t len,
		    bool measured);
/* Sorts by bytes, as git's cat_sort_uniq does, and removes duplicates. */
void note_lines_sort(struct note_lines *l);
/* Reduces sorted lines to at most `limit` bytes: first goes what belongs to no
 * measurement, then the oldest measurements, never the one with id `keep`. */
void note_lines_fit(struct note_lines *l, size_t limit, const char *keep);
/* Adds the lines to out, a newline after each. */
void note_lines_write(struct buf *out, const struct note_lines *l);
void note_lines_release(struct note_lines *l);

/* ---- the words of a line -------------------------------------------------- */

/* Adds " key=value"; a value that is empty or has blanks or quotes is in double
 * quotes, with \" \\ and \n in it. */
void note_word_add(struct buf *line, const char *key, const char *value);
/* Can the value stand without quotes? */
bool note_word_is_plain(const char *s);
/* Takes the next word off *p; also accepts other text that note_word_add could
 * have written. False at the end of the line, or if no word begins there. */
bool note_word_take(const char **p, struct buf *key, struct buf *value);

DEFINE_RELEASE(note_lines, struct note_lines, note_lines_release)
#define cleanup_note_lines CLEANUP(note_lines)

#endif
