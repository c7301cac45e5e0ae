/*
 * Reads machine instructions (SASS) as cuobjdump or nvdisasm print them, and
 * finds the hot loop: the one with the most work of its own (tensor cores,
 * memory, arithmetic), times eight for each loop around it. So the loop over k
 * is taken and not the loop over tiles around it, whose epilogue has more
 * instructions; and a loop that only waits (for a barrier in memory, say) has
 * no work and is never taken.
 *
 * A stranger may have written the code: lines, kernels and labels are bounded,
 * and lines that are not instructions are skipped.
 */
#ifndef SCORER_INSPECT_SASS_H
#define SCORER_INSPECT_SASS_H

#include "core/base/buf.h"

#define SASS_MAX_LINES	 200000
#define SASS_MAX_KERNELS 256
#define SASS_SHOWN_LINES 120

struct sass_line {
	uint64_t at; /* byte in its kernel */
	char *text;  /* "@!P0 LDG.E.128 R4, desc[UR4][R2.64]" */
	/* Index of a line of the same kernel; SIZE_MAX: no branch. */
	size_t target;
};

struct sass_kernel {
	char *name;
	size_t begin, end; /* of lines */
};

struct sass {
	struct sass_line *line;
	size_t n_lines;
	struct sass_kernel kernel[SASS_MAX_KERNELS];
	size_t n_kernels;
};

struct sass_loop {
	size_t kernel;
	/* Indices of its lines, ascending, with those of loops inside it; there
	 * may be gaps. All lines if the kernel has no loop. */
	size_t *line, n;
	size_t depth; /* 1: in no other loop; 0: not a loop */
	double work;  /* weighted by depth */
};

/* `text` ends in NUL after `len` bytes. ERROR_NOT_FOUND if it has no
 * instruction, ERROR_TOO_BIG. */
struct error *sass_parse(struct sass *out, const char *text,
			 size_t len) MUST_CHECK;
/* The text after the predicate, if there is one: "LDG.E.128 R4, ...". */
const char *sass_opcode(const struct sass_line *l);
/* The hot loop of one kernel, or of all if kernel is SIZE_MAX. */
struct sass_loop sass_hot_loop(const struct sass *s, size_t kernel);
void sass_loop_release(struct sass_loop *loop);
/* "HGMMA 16, LDS 8 (.128 8), ...": instructions by frequency, with the sizes of
 * accesses. */
void sass_mix(struct buf *out, const struct sass *s,
	      const struct sass_loop *loop);
/* A title, its mix, then its lines; omits the middle of a long loop. */
void sass_print(struct buf *out, const struct sass *s,
		const struct sass_loop *loop);
void sass_release(struct sass *s);

DEFINE_RELEASE(sass, struct sass, sass_release)
#define cleanup_sass CLEANUP(sass)
DEFINE_RELEASE(sass_loop, struct sass_loop, sass_loop_release)
#define cleanup_sass_loop CLEANUP(sass_loop)

#endif
