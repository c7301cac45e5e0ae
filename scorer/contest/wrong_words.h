/*
 * Which elements of an output are wrong, in words and as a picture in
 * characters. Of a hidden case only the number is said: its shape and its
 * contents are drawn for one scoring, and where it fails is for the declared
 * cases to show.
 */
#ifndef CONTEST_WRONG_WORDS_H
#define CONTEST_WRONG_WORDS_H

#include "core/base/buf.h"
#include "core/task/task.h"
#include "scorer/wire/protocol.h"

/* Adds "; 12 of 4096 elements of `c` are wrong, 3 of `d`"; nothing if the
 * judge did not say. Trusts nothing of the answer but its size. */
void wrong_words_count(struct buf *out, const struct task *t,
		       const struct layout *l, const struct judge_answer *a);
/* Adds rows, columns, tiles and the picture: at most 12 lines of 300 bytes. */
void wrong_words_place(struct buf *out, const struct task *t,
		       const struct judge_answer *a);

#endif
