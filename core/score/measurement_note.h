/* What the two halves of a note's text, writing and reading, agree on. Nobody
 * else includes it. */
#ifndef CORE_SCORE_MEASUREMENT_NOTE_H
#define CORE_SCORE_MEASUREMENT_NOTE_H

#include "core/score/note_lines.h"

#define RANK_HEADLINE	 0
#define RANK_CASES	 1
#define RANK_COMPARISONS 500
#define RANK_KERNELS	 700
#define RANK_ENVIRONMENT 900

#endif
