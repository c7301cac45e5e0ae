/*
 * What the scorer and its runners say to each other about the GPU, besides
 * protocol.h: a judge that owns the memory, a capturer that holds a
 * candidate's host code, and launchers that replay what it launched. Memory
 * travels as descriptors that another process can map.
 *
 * Class replayed: the candidate's host code runs in the capturer alone. The
 * result is a plan. For each image of a batch it holds the kernels, which of
 * them waits for which, and raw parameters; then, if the task has static
 * inputs, what `prepare` launches for each image. A plan is hostile input: the
 * process that replays it checks every count.
 *
 * Class isolated, for code that cannot be captured: a resident holds host code
 * and memory, and is timed from outside. The judge then keeps inputs and
 * outputs that no resident maps. For every launch it allocates memory that no
 * process has mapped (RELEASE): the inputs in one piece, poison and the initial
 * contents of outputs in another. The resident unmaps its old memory (LET_GO),
 * the clock starts, and the RUN hands both over: a process that watches for
 * inputs sees either none or all of them. The judge takes the outputs before
 * the clock stops (TAKE). No launch uses the contents that residents see before
 * their clock starts.
 *
 * Static inputs: the judge fills a preview with the same static inputs, every
 * process prepares (PREPARE), untimed, and then the judge fills the set that is
 * timed. Each process keeps its prepared data in its own memory, separate for
 * each image, so that it is not warmer in the caches than an input.
 */
#ifndef SCORER_WIRE_GPU_PROTOCOL_H
#define SCORER_WIRE_GPU_PROTOCOL_H

#include "scorer/wire/protocol.h"

#define GPU_IMAGES     64 /* of a batch, at most */
#define PLAN_NODES     32 /* of one launch */
#define PLAN_NAME      512
#define PLAN_PARAMETER 4096 /* bytes of a kernel's parameters */
/* After the launches of a plan that a Python process captured lies the device
 * code that it loaded, so many bytes at most: each cubin after its length in
 * eight bytes, and a length of zero. */
#define PLAN_CODE_BYTES ((size_t)16 << 20)
#define GPU_NO_IMAGE	UINT32_MAX
#define GPU_SLOTS	8
/* At most so many descriptors of allocated buffers: inputs and outputs of all
 * slots. */
#define GPU_GIVEN (2 * GPU_SLOTS)
/* Launches, events and waits that can be queued after a gate: a driver's queue
 * holds about a thousand, and when it is full the host waits for the card. */
#define GPU_GATE_STEPS 400
/* Size of a window of addresses, in bytes; everything that is mapped at a
 * drawn address lies in one window. */
#define GPU_WINDOW ((uint64_t)64 << 30)

enum gpu_message_kind {
	/* judge */
	GPU_ALLOCATE = 100, /* memory for a case; answers with descriptors */
	GPU_ALLOCATED,
	GPU_FILL_SET,	 /* contents for every image */
	GPU_POISON_SLOT, /* the outputs of one arm */
	GPU_REFERENCE,
	GPU_COMPARE,	  /* guards and poison of all images, values of one */
	GPU_SAME_OUTPUTS, /* of two arms, bit by bit, in image 0 */
	GPU_UNLIKE,	  /* where do two arms differ most? LIKENESS */
	GPU_RELEASE,	  /* new memory for one arm; answers as ALLOCATE */
	GPU_TAKE,	  /* from now on the outputs of one arm are checked */
	GPU_SELF_TEST,	  /* runs the judge's own kernels with a known answer */
	GPU_FREE,	  /* how much memory is left? */
	GPU_QUIET,	  /* how long does a small kernel of its own take? */
	/* capturer */
	GPU_TRY,     /* map memory, call it once for real */
	GPU_CAPTURE, /* + plan: write it there */
	GPU_CAPTURED,
	/* launcher; it has STARTED when it has the GPU open */
	GPU_LOAD, /* + device code; the next ARMED reports a failure */
	/* + inputs, outputs, plan: map them, get ready. With no images: release
	 * all memory, and say whether the GPU still answers. */
	GPU_ARM,
	GPU_ARMED,
	/* resident */
	GPU_ARM_RESIDENT, /* + inputs, outputs: as GPU_ARM, with a first call */
	GPU_LET_GO,	  /* unmap inputs and outputs; answers ARMED */
	/* both; to a resident after LET_GO: + inputs, outputs */
	GPU_RUN, /* these images, in this order */
	GPU_RAN,
	/* ceilings */
	GPU_CARD, /* what the driver says of the card */
	GPU_CARD_IS,
	GPU_CEILING, /* measure one */
	GPU_CEILING_IS,
	/* During a long RUN: another launch of it has ended. */
	GPU_BEAT,
	/* launcher, resident: compute the prepared buffers from the static
	 * inputs, for every image; answers ARMED */
	GPU_PREPARE,
};

/* The limits of a card, in bytes or operations a second. f16 has the limit of
 * bf16; f32 means plain multiply-adds. */
enum ceiling {
	CEILING_COPY, /* bytes read and bytes written */
	CEILING_READ,
	CEILING_BF16,
	CEILING_F8,
	CEILING_I8,
	CEILING_F32,
	CEILING_F64,
	CEILING_COUNT
};

struct gpu_card_reply {
	struct message_head head;
	int32_t major, minor; /* compute capability */
	int32_t processors, clock_khz;
	int32_t memory_khz, memory_bits; /* as the driver reports, or 0 */
	int64_t l2_bytes;
};

struct gpu_ceiling_request {
	struct message_head head;
	uint32_t what;	/* enum ceiling */
	double seconds; /* to measure for */
};

struct gpu_ceiling_reply {
	struct message_head head;
	/* Per second; 0: the runner has no kernel for this card. Peak: over
	 * the best 100 ms; sustained: the median. */
	double peak, sustained;
};

/* The byte that fills a candidate's own memory before `prepare` runs. */
#define GPU_UNPREPARED	 0xaa
#define GPU_BEAT_SECONDS 0.5 /* no beat earlier or more often than this */

/* Where all processes map the memory of a case: image k of the inputs lies at
 * inputs_at + k * inputs_bytes. Each process has prepared memory of its own. */
struct gpu_addresses {
	uint64_t inputs_at, outputs_at, prepared_at;
	uint64_t inputs_bytes, outputs_bytes, prepared_bytes; /* of an image */
	uint32_t images;
};

struct gpu_allocate_request {
	struct message_head head;
	struct entry_call call; /* batch: images */
	uint32_t slots;
	bool apart; /* class isolated: other processes get copies */
	/* A candidate's kernels run with outputs mapped before these are
	 * poisoned for a launch: they must not hold data of an earlier
	 * process. */
	bool prepares;
};

/* Answers ALLOCATE: + inputs, then outputs, one a slot; nothing if `apart`,
 * since no other process maps them. Answers RELEASE: + inputs and outputs of
 * this slot. */
struct gpu_allocated_reply {
	struct message_head head;
};

struct gpu_fill_request {
	struct message_head head;
	struct recipe recipe;
};

struct gpu_poison_request {
	struct message_head head;
	uint32_t slot;
	uint64_t poison;
};

struct gpu_reference_request {
	struct message_head head;
	struct recipe recipe;
	uint32_t index;
	bool rows;
	uint32_t n_segments;
	struct segment segment[PROTOCOL_SEGMENTS];
	uint64_t history;
	struct tolerance tolerance;
};

struct gpu_compare_request {
	struct message_head head;
	uint32_t slot;
	uint32_t index; /* the image whose values are checked */
	uint32_t idle;	/* the image that was not launched */
	uint64_t poison;
};

struct gpu_capture_request {
	struct message_head head;
	struct entry_call call;
	struct gpu_addresses addresses;
	bool is_static[TASK_MAX_ARGS];
};

/* The result of a capture or an arming. */
enum gpu_state {
	GPU_READY,
	GPU_MOVED,	  /* the driver gave other addresses: draw new ones */
	GPU_UNREPLAYABLE, /* `why`; it may still run in class isolated */
	/* `why`: not the candidate's fault. Believed from a spare launcher;
	 * another process that sends it has failed by its own fault. */
	GPU_BROKEN
};

struct gpu_ready_reply { /* CAPTURED, ARMED */
	struct message_head head;
	uint32_t state;
	char why[PROTOCOL_TEXT]; /* NUL-terminated by an honest sender */
};

struct gpu_resident_request {
	struct message_head head;
	struct entry_call call;
	struct gpu_addresses addresses;
	bool is_static[TASK_MAX_ARGS];
	bool warm; /* as of gpu_arm_request */
	/* Steps that are queued before a batch begins; 0: its launches begin
	 * as they are queued. Only for the task's own code when it is compared
	 * with replayed code. */
	uint32_t gate_steps;
};

struct gpu_same_request {
	struct message_head head;
	uint32_t slot[2];
};

/* Compares all images but the idle one. */
struct gpu_unlike_request {
	struct message_head head;
	uint32_t slot[2];
	uint32_t idle;
	int64_t tile_rows; /* at a time */
};

/* RELEASE, TAKE, LET_GO, PREPARE */
struct gpu_pass_request {
	struct message_head head;
	uint32_t slot;	 /* RELEASE, TAKE */
	uint64_t poison; /* RELEASE: of the outputs */
};

struct gpu_arm_request {
	struct message_head head;
	struct gpu_addresses addresses;
	uint64_t plan_bytes;
	bool prepares; /* the plan has a second half */
	/* Only the slot has changed since it was last armed. */
	bool only_slot;
	/* Timed launches find their inputs and outputs in the cache, as far as
	 * they fit; else the cache holds other data. */
	bool warm;
};

struct gpu_run_request {
	struct message_head head;
	/* Events before and after each launch. A launcher always records them;
	 * a resident's are believed only if its code is the task's own. */
	bool timed;
	bool empty; /* launch nothing, to measure what all the rest costs */
	uint32_t n;
	uint32_t order[GPU_IMAGES];
};

struct gpu_beat {
	struct message_head head;
};

struct gpu_ran_reply {
	struct message_head head;
	float milliseconds[GPU_IMAGES]; /* in the order they ran */
	/* Seconds of all of them together by the host's clock, after they
	 * waited in the card's queue for the gate. 0: they did not wait. */
	double span;
	/* The part of it that passes without any launch; 0: not a launcher. */
	double latency;
	/* Launches began before all were queued: the driver waited. */
	uint32_t stuck;
	uint32_t gate_steps; /* from now on; 0: no gate */
};

enum plan_kind {
	PLAN_NOTHING, /* only orders other nodes */
	PLAN_KERNEL,
	PLAN_FILL,
	PLAN_COPY,
	PLAN_ALLOCATION, /* memory that it allocated, at its address */
	PLAN_KINDS
};

struct plan_node {
	uint32_t kind;
	uint32_t after; /* a bit for each earlier node it waits for */
	/* Those of them that may release it before they end (programmatic
	 * dependent launch). */
	uint32_t early;
	/* kernel */
	char name[PLAN_NAME];
	uint32_t grid[3], block[3], cluster[3];
	uint32_t shared_bytes;
	int32_t max_shared_bytes;
	int32_t carveout; /* share of the cache for shared memory, or -1 */
	uint32_t cooperative;
	/* 0: it is in the cubins of the build; else in that cubin of the plan,
	 * counted from 1. */
	uint32_t module;
	uint32_t parameter_bytes;
	unsigned char parameter[PLAN_PARAMETER];
	/* fill, copy, allocation */
	uint64_t at, from;
	uint64_t pitch, from_pitch; /* bytes from row to row */
	uint64_t width, height;	    /* bytes of a row, rows */
	uint32_t value, element_bytes;
};

struct plan_launch {
	uint32_t n_nodes;
	struct plan_node node[PLAN_NODES];
};

/* Does each node wait for the one before it and for no other? */
static inline bool plan_is_chain(const struct plan_launch *l)
{
	for (uint32_t i = 1; i < MIN(l->n_nodes, PLAN_NODES); i++)
		if (l->node[i].after != 1U << (i - 1))
			return false;
	return true;
}

/* A replay for a profiler or a sanitizer: the tool starts the runner, so there
 * is not a channel but a folder. The runner reads the first three of these
 * files there. When it fails it writes one of the next two: a sentence about
 * the candidate (SAID) or about the machine (REFUSED). */
#define REPLAY_ORDER   "order" /* struct replay_order */
#define REPLAY_PLAN    "plan"
#define REPLAY_CUBINS  "cubins" /* each after its length in eight bytes */
#define REPLAY_INPUTS  "inputs" /* where the task's own code made some */
#define REPLAY_SAID    "said"
#define REPLAY_REFUSED "refused"
#define REPLAY_PLAYED  "played" /* it ran to the end; for a sanitizer */
/* With REPLAY_SAID: the driver gave other addresses, try with new ones. */
#define REPLAY_MOVED "moved"

struct replay_order {
	struct entry_call call; /* batch: 1 */
	struct recipe recipe;
	struct gpu_addresses addresses; /* images: 1 */
	uint64_t plan_bytes;
	bool prepares; /* the plan's second launch is that of `prepare` */
	/* It ends itself after these. */
	uint32_t warm_up_seconds, seconds;
	/* For a sanitizer: a single launch, tensors mapped one by one
	 * (fence.h), and no poison: that is a write, and the sanitizer would
	 * not see reads of unwritten memory. */
	bool checked;
};

#endif
