/*
 * A runner (runner/) in its sandbox, seen from outside: started, asked, its
 * answers awaited with a deadline, stopped. Nothing it sends is believed
 * beyond its form: right kind, right size, right sequence number.
 */
#ifndef SCORER_HOST_RUNNER_PROCESS_H
#define SCORER_HOST_RUNNER_PROCESS_H

#include "core/sandbox/sandbox.h"
#include "scorer/wire/gpu_protocol.h"

#define RUNNER_OUTPUT_LIMIT ((size_t)16 << 10)

union runner_reply {
	struct message_head head;
	struct plain_reply plain;
	struct fault_reply fault;
	struct refused_reply refused;
	struct judge_answer answer;
	struct likeness_reply likeness;
	struct gpu_allocated_reply allocated;
	struct gpu_ran_reply ran;
	struct gpu_ready_reply ready;
	struct gpu_card_reply card;
	struct gpu_ceiling_reply ceiling;
};

enum runner_state {
	RUNNER_ANSWERED,
	RUNNER_REFUSED,	    /* reply.refused.text says why */
	RUNNER_LATE,	    /* the deadline came first */
	RUNNER_ENDED,	    /* it is gone: runner_end tells how */
	RUNNER_STRANGE,	    /* it sent something that is not an answer */
	RUNNER_INTERRUPTED, /* the user wants to stop now */
};

struct runner {
	struct sandboxed process;
	bool started;
	int control;	 /* our end of the socket */
	int output;	 /* its stdout and stderr, read end */
	struct buf said; /* of that, bounded */
	uint32_t sequence;
	bool spare;  /* no code of a candidate's has run in it: believed */
	bool loaded; /* it has the object and its functions */
	bool gated;  /* a launcher: it says how long a batch took */
	/* What of it may be in memory, 0: no limit; and was it ended for more? */
	uint64_t resident_bytes;
	bool too_large;
	bool has_fault; /* it reported a signal; a hint */
	struct fault_reply fault;
	const volatile int *stop_now; /* may be NULL */
	/* Descriptors that came with the last answer; the taker sets them to
	 * -1, runner_free closes the others. Only trusted ones may send any. */
	bool gives;
	int given[GPU_GIVEN];
};

struct runner_spec {
	const struct sandbox *sandbox;
	int program_fd;	       /* of runner_program_open */
	const char *role;      /* "candidate", "judge"; "gpu-judge", ... */
	const struct gpu *gpu; /* opens the driver, for it; NULL: none */
	/* Opens it with one queue: in half the time, and what could run side
	 * by side may stand in line. */
	bool one_queue;
	bool gives;    /* may send descriptors */
	int object_fd; /* it gets a copy */
	unsigned threads;
	uint64_t memory_bytes;	    /* resident, beyond its own; 0: no limit */
	const char *const *folders; /* shown to it, read-only; may be NULL */
	const volatile int *stop_now;
};

/* A memfd with the runner program, carried in this one. */
struct error *runner_program_open(int *fd) MUST_CHECK;

struct error *runner_start(struct runner **out,
			   const struct runner_spec *spec) MUST_CHECK;
/* The name of a function for a START; NULL: none. */
struct error *runner_put_name(char out[PROTOCOL_NAME],
			      const char *name) MUST_CHECK;
/* Sends a request with up to three descriptors (-1: none); sets its sequence
 * number. A runner that is gone is noticed by the wait. */
void runner_send(struct runner *r, void *message, size_t bytes, int fd0,
		 int fd1);
void runner_send3(struct runner *r, void *message, size_t bytes,
		  const int fd[3]);
/* Blocks until the answer of `kind` to the last request is there (while GPU_RAN
 * is waited for, a GPU_BEAT too), at most until clock_seconds() reaches
 * `deadline` (<= 0: for ever). */
enum runner_state runner_wait(struct runner *r, union runner_reply *out,
			      uint32_t kind, double deadline);
/* Waits for the end of a runner whose control channel closed (kills it if it
 * lingers) and tells how it ended: by *signal_number, else *exit_code. */
void runner_end(struct runner *r, int *exit_code, int *signal_number);
/* Tells it to end, and does not wait for that: runner_free does. */
void runner_doom(struct runner *r);
/* Did it say that it called abort()? As process 1 it is ended by a signal of
 * another number then. */
bool runner_aborted(const struct runner *r);
/* ": the stack (8 MiB) overflowed" where it said so, else ""; free() disposes. */
char *runner_stack_words(const struct runner *r) MUST_CHECK;
/* Kills it if it runs, frees. */
void runner_free(struct runner *r);

DEFINE_CLEANUP(runner, struct runner, runner_free)
#define cleanup_runner CLEANUP(runner)

#endif
