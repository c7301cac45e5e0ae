/*
 * Units of a rate. A task may name its own: frames/s, Gcells/s. Their text ends
 * in notes, so it is checked wherever it is read.
 */
#ifndef CORE_SCORE_UNIT_H
#define CORE_SCORE_UNIT_H

#include "core/base/base.h"

#define UNIT_MAX 16

/* Up to UNIT_MAX letters, digits and any of "/^*._%-", a letter first. */
bool unit_is_plain(const char *unit);
/* How many of the quantity are one of the unit: 1e9 for "GB/s" of bytes. 0 if
 * it has no prefix of its own, so that it is printed with the one that fits. A
 * prefix is k, M, G, T or P; a unit that begins with the quantity's name has
 * none ("Tiles/s" of tiles). */
double unit_size(const char *unit, const char *quantity);
/* "85.3 GFLOPS", "0.00213 Gcells/s": three digits. `size` as unit_size says. */
void unit_format(char *out, size_t out_size, double rate, const char *unit,
		 double size);

#endif
