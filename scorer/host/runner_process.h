/*
 * Starts a runner (runner/) in its sandbox, sends it requests, waits for its
 * answers with a deadline, and stops it. Only the form of an answer is checked
 * here: kind, size and sequence number. The contents are not trusted.
 */
#ifndef SCORER_HOST_RUNNER_PROCESS_H
#define SCORER_HOST_RUNNER_PROCESS_H

#include "core/sandbox/sandbox.h"
#include "scorer/build/build.h"
#include "scorer/wire/gpu_protocol.h"

#define RUNNER_OUTPUT_LIMIT ((size_t)16 << 10)

union runner_reply {
	struct message_head head;
	struct plain_reply plain;
	struct fault_reply fault;
	struct refused_reply refused;
	struct judge_answer answer;
	struct likeness_reply likeness;
	struct call_reply call;
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
	RUNNER_ENDED,	    /* its channel closed: runner_end says how */
	RUNNER_STRANGE,	    /* it sent a message that is not an answer */
	RUNNER_INTERRUPTED, /* the user wants to stop now */
};

struct runner {
	struct sandboxed process;
	bool started;
	const char *role; /* of its spec */
	uint32_t asked;	  /* the last request, and when; for a trace */
	double asked_at;
	int control;	 /* our end of the socket */
	int output;	 /* its stdout and stderr, read end */
	struct buf said; /* what it printed there, bounded */
	uint32_t sequence;
	/* Another program, which speaks the protocol in JSON: room for a packet
	 * of it; and what it said of its versions. Else NULL. */
	char *packet, *versions;
	bool again;	     /* it takes many GO after one READY */
	bool told_forbidden; /* it refused what the task forbids */
	bool spare;	     /* no candidate's code has run in it: trusted */
	bool loaded;	     /* it has the object and its functions */
	bool calls;	     /* a judge: it may want values before it answers */
	bool gated;	     /* a launcher: it reports how long a batch took */
	/* Limit of its resident memory, 0: none; did it exceed the limit? */
	uint64_t resident_bytes;
	bool too_large;
	bool has_fault; /* it reported a signal; a hint */
	struct fault_reply fault;
	const volatile int *stop_now; /* may be NULL */
	/* Descriptors that came with the last answer; a caller that takes one
	 * sets it to -1, runner_free closes the others. Only trusted runners
	 * may send any (`gives`). */
	bool gives;
	int given[GPU_GIVEN];
};

struct runner_spec {
	const struct sandbox *sandbox;
	int program_fd;	  /* of runner_program_open */
	const char *role; /* static: "candidate", "judge"; "gpu-judge", ... */
	const struct gpu *gpu; /* it opens the driver for this; NULL: none */
	/* Opens the GPU with one queue: in half the time, but kernels that
	 * could run side by side may wait for each other. */
	bool one_queue;
	bool gives;    /* may send descriptors */
	int object_fd; /* it gets a copy */
	/* An arm: what it holds, whose `runner` may be another program, which
	 * speaks JSON and gets no object. Else NULL. */
	const struct build *build;
	unsigned threads;
	unsigned judge_threads; /* of a judge; the functions that it calls are
				 * called by one */
	const cpu_set_t *cpus;	/* NULL: the last ones of ours */
	uint64_t memory_bytes;	/* besides the runner's own; 0: no limit */
	const char *const *folders; /* that it sees, read-only; may be NULL */
	const volatile int *stop_now;
	/* Of a judge: as in struct judge. */
	void (*say)(const char *sentence);
};

/* A memfd with the runner program, which is embedded in this program. */
struct error *runner_program_open(int *fd) MUST_CHECK;

struct error *runner_start(struct runner **out,
			   const struct runner_spec *spec) MUST_CHECK;
/* The name of a function for a START; NULL: none. */
struct error *runner_put_name(char out[PROTOCOL_NAME],
			      const char *name) MUST_CHECK;
/* The same for a function of this object that the task names: in C++ not by
 * its symbol. */
struct error *runner_put_function(char out[PROTOCOL_NAME],
				  const struct task *task, int object_fd,
				  const char *name) MUST_CHECK;
/* Sends a request with up to three descriptors (-1: none); sets its sequence
 * number. If the runner is gone, runner_wait reports it. */
void runner_send(struct runner *r, void *message, size_t bytes, int fd0,
		 int fd1);
void runner_send3(struct runner *r, void *message, size_t bytes,
		  const int fd[3]);
/* Sends a packet of JSON, whose sequence number is r->sequence. */
void runner_send_text(struct runner *r, const char *text, const int fd[3]);
/* Waits for the answer of `kind` to the last request (for GPU_RAN, a GPU_BEAT
 * ends the wait too), at most until clock_seconds() reaches `deadline` (<= 0:
 * for ever). */
enum runner_state runner_wait(struct runner *r, union runner_reply *out,
			      uint32_t kind, double deadline);
/* Waits for the end of a runner whose control channel closed (kills it if it
 * lingers) and reports how it ended: by *signal_number, else *exit_code. */
void runner_end(struct runner *r, int *exit_code, int *signal_number);
/* Makes it end, and does not wait for its end: runner_free does. */
void runner_send_kill(struct runner *r);
/* Did it report that it called abort()? As process 1 it then ends by a signal
 * of another number. */
bool runner_aborted(const struct runner *r);
/* ": the stack (8 MiB) overflowed" if it reported that, else ""; free()
 * disposes. */
char *runner_stack_words(const struct runner *r) MUST_CHECK;
/* Kills it if it still runs, waits for its end, frees it. */
void runner_free(struct runner *r);

DEFINE_CLEANUP(runner, struct runner, runner_free)
#define cleanup_runner CLEANUP(runner)

#endif
