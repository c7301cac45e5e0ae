/*
 * What runners of other languages share: a runner is a program that the scorer
 * starts in the sandbox for each candidate, and that speaks the protocol of
 * docs/runner-protocol.md. It compiles and launches; it never measures, never sees
 * the reference, never says a verdict.
 *
 * A runner is one file with the functions below and a main that calls
 * runner_serve: opencl.c and vulkan.c are two.
 */
#ifndef RUNNERS_RUNNER_H
#define RUNNERS_RUNNER_H

#include "core/base/buf.h"
#include "core/base/dtype.h"
#include "core/base/strvec.h"
#include "core/task/expr.h"

#define RUNNER_MAX_ARGS 64

/* What the start request says, and what is made of it; as long as the process. */
struct candidate {
	char *entry;
	char *prepare;	       /* NULL: the task has none */
	struct strvec sources; /* paths in the working directory */
	int64_t threads;
	size_t n;
	struct candidate_argument {
		char *name;
		bool memory; /* a tensor, workspace or prepared; else a value */
		enum dtype dtype; /* of a tensor or value */
	} arg[RUNNER_MAX_ARGS];
	struct buf log;	       /* what compilers say */
	struct strvec version; /* NAME, then its text, and so on */
};

/* A memory file, mapped as a whole. */
struct memory {
	unsigned char *base; /* whole pages; NULL: empty */
	size_t bytes;
	size_t image; /* from one image of a batch to the next */
};

/* What a ready request or a prepare request says, until the next one. */
struct launch {
	uint32_t batch;
	/* Inputs are read-only; what is prepared is the same for all images. */
	struct memory inputs, outputs, prepared;
	struct launch_argument {
		const struct memory *in; /* NULL: a value, or absent */
		size_t offset;		 /* of image 0, in `in` */
		size_t bytes;		 /* of one image, or of the value */
		unsigned char value[8];
	} arg[RUNNER_MAX_ARGS]; /* as many as in the candidate */
	struct symbols values;	/* the integers among them, by name */
};

/* An error's message is the one sentence that the user reads. */
struct runner {
	/* Makes machine code of the sources. May start processes; must not load
	 * or run what it made. */
	struct error *(*compile)(struct candidate *c);
	/* Loads it, behind the filter of system calls. Nothing may be left to
	 * compile after it. */
	struct error *(*load)(struct candidate *c);
	/* Untimed; contents come afterwards, in place. What the last call made
	 * is released first. */
	struct error *(*ready)(const struct candidate *c,
			       const struct launch *l);
	/* Timed: launches these images in this order, and waits for the end of
	 * the last. */
	struct error *(*go)(const struct candidate *c, const struct launch *l,
			    const uint32_t *image, size_t n);
	/* Untimed, in a process that is never asked to launch: fills what is
	 * prepared from the static inputs; other memory is absent. */
	struct error *(*prepare)(const struct candidate *c,
				 const struct launch *l);
};

/* Serves the scorer until it is gone; the exit status. */
int runner_serve(const struct runner *r);

#endif
