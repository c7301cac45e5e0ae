/*
 * What one launch of one arm writes to: a memory file with its outputs and
 * workspaces, shared with the candidate once and never again, and a private
 * copy that is taken when it says it is done. The copy is what is judged.
 */
#ifndef SCORER_HOST_BUFFERS_H
#define SCORER_HOST_BUFFERS_H

#include "scorer/wire/set.h"

struct buffers {
	struct entry_call call;
	int inputs;  /* memfd, the arm's own copy; -1: not yet, or no more */
	int outputs; /* memfd, batch images; the candidate maps it */
	int capture; /* memfd, batch outputs regions; the judge reads it */
	unsigned char *shared, *captured;
	size_t shared_bytes, captured_bytes;
	uint64_t poison;
	/* Where the candidate is told to map. */
	uint64_t outputs_at, inputs_at;
};

/* Where to map what is not part of a launch. */
uint64_t buffers_inputs_at(struct layout_random *layout);
uint64_t buffers_prepared_at(struct layout_random *layout);
/* Draws poison and addresses. */
struct error *buffers_open(struct buffers *b, const struct entry_call *c,
			   struct secret_random *secret,
			   struct layout_random *layout) MUST_CHECK;
/* Maps the outputs here: after the judge poisoned them, before the launch. */
struct error *buffers_map(struct buffers *b) MUST_CHECK;
/* Takes the copy: the last thing inside the timed window. */
void buffers_capture(struct buffers *b);
/* The copy's file, for who wants it longer than `b` lasts: another descriptor. */
struct error *buffers_keep(int *out, const struct buffers *b) MUST_CHECK;
/* Gives inputs and mappings back, keeps the other files. */
void buffers_unmap(struct buffers *b);
/* Sees to it that nothing of inputs and outputs is in a cache; before an arm
 * has them. */
struct error *buffers_chill(const struct buffers *b) MUST_CHECK;
/* What lies at an address the candidate faulted at, in words: "past the end
 * of `c`"; NULL where it is none of ours. free() disposes. */
char *buffers_explain(const struct buffers *b, const struct task *t,
		      uint64_t address) MUST_CHECK;
void buffers_release(struct buffers *b);

DEFINE_RELEASE(buffers, struct buffers, buffers_release)
#define cleanup_buffers CLEANUP(buffers)

#endif
