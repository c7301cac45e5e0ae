/*
 * The memory that one launch of one arm writes to: a file with its outputs and
 * workspaces, shared with the candidate once and never again, and a private
 * copy, taken when the candidate says that it is done. The judge checks the
 * copy.
 */
#ifndef SCORER_HOST_BUFFERS_H
#define SCORER_HOST_BUFFERS_H

#include "scorer/wire/set.h"

struct buffers {
	struct entry_call call;
	struct series series;
	int inputs;  /* memfd, the arm's own copy; -1: none at this time */
	int outputs; /* memfd, batch images; the candidate maps it */
	int capture; /* memfd, batch outputs regions; the judge reads it */
	unsigned char *shared, *captured;
	size_t shared_bytes, captured_bytes;
	uint64_t poison;
	/* The addresses at which the candidate maps them. */
	uint64_t outputs_at, inputs_at;
};

/* Addresses for mappings outside a launch: drawn for each call. */
uint64_t buffers_inputs_at(struct layout_random *layout);
uint64_t buffers_prepared_at(struct layout_random *layout);
/* Makes the files of outputs and copy for a set; draws poison and addresses. */
struct error *buffers_open(struct buffers *b, const struct input_set *s,
			   struct secret_random *secret,
			   struct layout_random *layout) MUST_CHECK;
/* Maps outputs and copy: after the judge poisoned them, before the launch. */
struct error *buffers_map(struct buffers *b) MUST_CHECK;
/* Takes the copy. */
void buffers_capture(struct buffers *b);
/* Another descriptor of the copy's file, for a caller that needs it after `b`
 * is released. */
struct error *buffers_keep(int *out, const struct buffers *b) MUST_CHECK;
/* Drops the inputs and unmaps the rest; keeps the other files. */
void buffers_unmap(struct buffers *b);
/* Removes inputs and outputs from all caches, before an arm gets them. */
struct error *buffers_chill(const struct buffers *b) MUST_CHECK;
/* Says what lies at the address of a candidate's fault: "past the end of `c`";
 * NULL if it is not in these buffers. free() disposes. */
char *buffers_explain(const struct buffers *b, const struct task *t,
		      uint64_t address) MUST_CHECK;
void buffers_release(struct buffers *b);

DEFINE_RELEASE(buffers, struct buffers, buffers_release)
#define cleanup_buffers CLEANUP(buffers)

#endif
