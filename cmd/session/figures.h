/*
 * The numbers that a program prints, found again in its next output: a line is
 * known by its text without the numbers.
 */
#ifndef CMD_SESSION_FIGURES_H
#define CMD_SESSION_FIGURES_H

#include "core/base/base.h"

#define FIGURES_MAX 256 /* of one output; what follows is not read */

struct figure {
	/* The line with '*' for this number and '#' for the others, and " (2)"
	 * for the second such line. Printable; owned. */
	char *label;
	double value;
};

struct printed_figures {
	struct figure *v;
	size_t n, cap;
};

/* Reads an output, which may hold anything. Only finite numbers; a digit in a
 * word ("gemm2") is none. */
void figures_read(struct printed_figures *out, const char *text, size_t len);
/* NULL if there is none. Borrowed. */
const struct figure *figures_find(const struct printed_figures *f,
				  const char *label);
void figures_release(struct printed_figures *f);

DEFINE_RELEASE(printed_figures, struct printed_figures, figures_release)
#define cleanup_printed_figures CLEANUP(printed_figures)

#endif
