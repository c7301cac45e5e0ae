/*
 * The lines of a note. Other clones and other tools write there too, so
 * nothing is taken for granted: not their order, not their number, not their
 * length. All of it costs no more than sorting them once.
 *
 * A measurement's lines begin with its id and a rank of three digits
 * (measurement.h). Lines of one id that are over NOTE_MEASUREMENT_MAX bytes
 * together are no measurement.
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

/* Adds the lines of a text, empty ones left out; with `measured` only those of
 * measurements. `text` must stay as long as they. */
void note_lines_add(struct note_lines *to, const char *text, size_t len,
		    bool measured);
/* By bytes, as git's cat_sort_uniq would have them; none stays twice. */
void note_lines_sort(struct note_lines *l);
/* Sorted lines become at most `limit` bytes: what is no measurement goes
 * first, then the oldest measurements, the one called `keep` never. */
void note_lines_fit(struct note_lines *l, size_t limit, const char *keep);
/* Into out, a newline behind each. */
void note_lines_write(struct buf *out, const struct note_lines *l);
void note_lines_release(struct note_lines *l);

/* ---- the words of a line -------------------------------------------------- */

/* Adds " key=value"; a value that is empty or has blanks or quotes is in double
 * quotes, with \" \\ and \n in it. */
void note_word_add(struct buf *line, const char *key, const char *value);
/* Would it stand without quotes? */
bool note_word_is_plain(const char *s);
/* Takes one off *p, and the text of others as note_word_add would write it.
 * False at the end of the line, or where something else than a word begins. */
bool note_word_take(const char **p, struct buf *key, struct buf *value);

DEFINE_RELEASE(note_lines, struct note_lines, note_lines_release)
#define cleanup_note_lines CLEANUP(note_lines)

#endif
