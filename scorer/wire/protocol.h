/*
 * What the scorer and its runner say to each other. The runner (runner/) is
 * the program inside the sandbox: as `candidate` it holds the code that is
 * scored, as `judge` the task's own reference.
 *
 * One SOCK_SEQPACKET socket, one message a packet, each of one fixed size;
 * buffers travel with them as memfds. The scorer asks, the runner answers with
 * the same sequence number. No message of a candidate is trusted: a DONE says
 * when to check, never what happened, and a FAULT or REFUSED is only a hint
 * for the reader of the verdict.
 */
#ifndef SCORER_WIRE_PROTOCOL_H
#define SCORER_WIRE_PROTOCOL_H

#include "core/base/chacha.h"
#include "core/task/layout.h"

/* Inherited descriptors, besides SANDBOX_FILTER_FD. */
#define RUNNER_PROGRAM_FD 10 /* the runner itself, to be executed */
#define RUNNER_CONTROL_FD 11
#define RUNNER_OBJECT_FD  12 /* the shared object to load */
/* A driver to use instead of libcuda.so.1, a memfd of this name. */
#define RUNNER_DRIVER_FD   13
#define RUNNER_DRIVER_NAME "avogit-driver"

#define PROTOCOL_NAME	  256 /* bytes of a function name, NUL included */
#define PROTOCOL_TEXT	  512
#define PROTOCOL_SYMBOLS  32
#define PROTOCOL_SEGMENTS 16
#define PROTOCOL_BATCH	  4096
#define PROTOCOL_SERIES	  256

enum message_kind {
	MESSAGE_START = 1, /* load the object, find the functions */
	MESSAGE_STARTED,
	MESSAGE_GIVE_PREPARED, /* + prepared, which another process made */
	MESSAGE_GIVEN_PREPARED,
	MESSAGE_READY, /* + inputs, outputs, without contents: drop the last
			* launch, map them, get ready to call */
	MESSAGE_IS_READY,
	MESSAGE_GO, /* the contents are there: call; may come again, with others */
	MESSAGE_DONE,
	MESSAGE_FAULT,	 /* a signal arrived: where */
	MESSAGE_REFUSED, /* could not: why */
	/* judge */
	MESSAGE_FILL,	    /* + inputs: make their contents */
	MESSAGE_POISON,	    /* + outputs, inputs: poison, then inout contents */
	MESSAGE_TAKE,	    /* + an arm's own inputs, not sealed: map them */
	MESSAGE_COPY,	    /* + inputs: copy them there */
	MESSAGE_VALUES,	    /* + inputs, right and plain outputs: map them */
	MESSAGE_CALL,	    /* while it serves another request: the functions
			    * are in other processes, have one called */
	MESSAGE_CALLED,	    /* that was done; has no answer of its own */
	MESSAGE_REFERENCE,  /* + inputs: compute what is right */
	MESSAGE_WRITE_DOWN, /* + inputs, a file: compute it, and write there what
			    * is right of the outputs, one after another */
	MESSAGE_HOLD,	 /* + such a file of another judge: is it what the last
			    * REFERENCE computed? */
	MESSAGE_COMPARE, /* + capture, outputs: compare with the reference */
	MESSAGE_UNLIKE,	 /* + two captures: where do they differ most? */
	MESSAGE_LIKENESS,
	MESSAGE_LINT, /* can this task's checks find wrong outputs? */
	MESSAGE_ANSWER,
	/* candidate, in the process that prepares */
	MESSAGE_PREPARE, /* + inputs, prepared: fill it from the static ones */
	MESSAGE_PREPARED,
};

struct message_head {
	uint32_t kind;
	uint32_t sequence;
};

/* A launch's arguments. The images of a batch lie one after another in a file.
 * An image of inputs: the inputs region, then, if there are inout arguments, a
 * copy of the outputs region with their initial contents. An image of outputs:
 * the outputs region, then the workspace. */
struct entry_call {
	struct layout layout;
	bool is_struct[TASK_MAX_ARGS];
	bool has_inout;
	uint32_t batch;
};

static inline size_t entry_call_inputs_bytes(const struct entry_call *c)
{
	return c->layout.region_bytes[REGION_INPUT] +
	       (c->has_inout ? c->layout.region_bytes[REGION_OUTPUT] : 0);
}

static inline size_t entry_call_outputs_bytes(const struct entry_call *c)
{
	return c->layout.region_bytes[REGION_OUTPUT] +
	       c->layout.region_bytes[REGION_WORKSPACE];
}

/* How the runner lays out images of some regions (`mask`, bits 1 << region) in
 * its address space: where the slot of each argument begins in an image, and the
 * step between images, in bytes. An unmapped page lies before each slot and after
 * the last (of a batch of more than IMAGE_GAPS slots only round each region: a
 * process may not have as many mappings). */
struct image_map {
	size_t slot[TASK_MAX_ARGS];
	size_t stride;
};

#define IMAGE_GAPS 16384

static inline size_t entry_call_gap(const struct entry_call *c)
{
	return c->batch * c->layout.n <= IMAGE_GAPS ? LAYOUT_PAGE : 0;
}

static inline struct image_map entry_call_image_map(const struct entry_call *c,
						    unsigned mask)
{
	struct image_map m = {{0}, 0};
	size_t at = LAYOUT_PAGE, gap = entry_call_gap(c);

	for (unsigned r = 0; r < REGION_COUNT; r++) {
		if (!(mask & (1U << r)))
			continue;
		for (size_t i = 0; i < c->layout.n; i++) {
			const struct tensor_layout *t =
				&c->layout.arg[i].tensor;

			if (!c->layout.arg[i].is_tensor || t->region != r)
				continue;
			m.slot[i] = at + t->begin;
			at += gap;
		}
		at += c->layout.region_bytes[r] + LAYOUT_PAGE;
	}
	m.stride = at - LAYOUT_PAGE;
	return m;
}

#define INPUTS_MASK   (1U << REGION_INPUT)
#define OUTPUTS_MASK  ((1U << REGION_OUTPUT) | (1U << REGION_WORKSPACE))
#define PREPARED_MASK (1U << REGION_PREPARED)

struct start_request {
	struct message_head head;
	/* candidate; "": the object is not loaded, and a launch calls an empty
	 * function of the runner, to measure what a launch costs besides the
	 * kernel */
	char entry[PROTOCOL_NAME];
	char prepare[PROTOCOL_NAME]; /* candidate; may be "" */
	char setup[PROTOCOL_NAME];   /* called now; may be "" */
	char plain[PROTOCOL_NAME];   /* judge; may be "" */
	/* judge: reference and plain are in other processes, and it loads no
	 * object */
	bool by_runners;
	char generator[TASK_MAX_ARGS][PROTOCOL_NAME]; /* judge; may be "" */
	uint32_t threads; /* judge: so many may work at a time */
};

/* Calls `prepare` with the entry's arguments: static inputs, values and
 * prepared buffers; every other pointer is NULL. It goes to a separate
 * process, which is never asked to launch. */
struct prepare_request {
	struct message_head head;
	struct entry_call call;
	bool is_static[TASK_MAX_ARGS];
	uint64_t inputs_at, prepared_at; /* addresses to map at */
};

/* Hands the prepared buffers over to the process that launches. */
struct give_prepared_request {
	struct message_head head;
	struct entry_call call;
	uint64_t prepared_at; /* address to map at */
};

/* Carries all buffers of a launch. Their contents come while the process is
 * stopped, the outputs' too: what a candidate writes there before is lost. */
struct ready_request {
	struct message_head head;
	struct entry_call call;
	uint64_t inputs_at, outputs_at; /* addresses to map at */
};

/* The images of a batch that are launched, one after another; all others stay
 * as they are. n = 0: all, in their order. */
struct series {
	uint32_t n;
	uint16_t image[PROTOCOL_SERIES];
};

static inline bool series_has(const struct series *s, uint32_t image)
{
	bool has = !s->n;

	for (uint32_t i = 0; i < s->n; i++)
		has |= s->image[i] == image;
	return has;
}

/* Launches of one hand-over. */
static inline uint32_t series_launches(const struct series *s, uint32_t batch)
{
	return s->n ? s->n : batch;
}

/* Sent while the process is stopped, which goes on when the clock starts. */
struct go_request {
	struct message_head head;
	/* A series is warm: the buffers of each launch are read just before. */
	struct series series;
};

struct plain_reply { /* STARTED, PREPARED, GIVEN_PREPARED, IS_READY, DONE */
	struct message_head head;
};

/* What a reference did where it must not, at or near an array of an argument. */
struct array_access {
	uint32_t array;	  /* 1 + the argument; 0: not known */
	uint32_t side;	  /* 0: the reference, 1: the plain version */
	uint32_t doing;	  /* enum access_doing */
	int64_t at;	  /* bytes from element 0 */
	uint64_t bytes;	  /* of the array */
	uint32_t element; /* bytes of an element */
};

enum access_doing { ACCESS_UNKNOWN, ACCESS_READ, ACCESS_WRITE };

struct fault_reply {
	struct message_head head;
	int32_t signal;
	uint64_t address;
	uint64_t stack_bytes; /* size of the stack that overflowed, or 0 */
	struct array_access access; /* of a judge's functions */
};

struct refused_reply {
	struct message_head head;
	char text[PROTOCOL_TEXT]; /* NUL-terminated by an honest sender */
};

#define PROTOCOL_CHANGES 8

/* An element of an input that has another value than its key gives, of the same
 * kind of contents; `number` says which. */
struct changed_element {
	uint32_t argument;
	uint32_t number;
	int64_t element; /* row-major index in the tensor */
};

/* What the inputs of a set are made from. */
struct recipe {
	struct chacha_key key;
	struct chacha_key
		static_key; /* for static arguments: equal in all images */
	bool is_static[TASK_MAX_ARGS];
	struct chacha_key kept_key; /* for those that are as in another set */
	bool is_kept[TASK_MAX_ARGS];
	uint32_t fill[TASK_MAX_ARGS]; /* enum fill, never FILL_MIXED */
	double low[TASK_MAX_ARGS], high[TASK_MAX_ARGS]; /* FILL_RANGE */
	uint32_t n_symbols; /* handed to the task's own generators */
	int64_t symbol[PROTOCOL_SYMBOLS];
	uint32_t
		n_changes; /* in this order; of arguments without a generator */
	struct changed_element change[PROTOCOL_CHANGES];
};

struct fill_request {
	struct message_head head;
	struct entry_call call;
	struct recipe recipe;
};

struct poison_request {
	struct message_head head;
	struct entry_call call;
	uint64_t poison;
};

/* The judge copies, since it shares the CPU of the arms: the copy lies in the
 * caches as if the judge had made the inputs for this arm alone. */
struct copy_request { /* for TAKE, too */
	struct message_head head;
	uint64_t bytes;
	/* The images of a series are copied last, so that they are in the
	 * nearest caches. */
	uint64_t image_bytes;
	struct series series;
};

struct segment { /* rows [begin, end) */
	int64_t begin, end;
};

/* Memory that the judge shares with the runners of the reference and of the
 * plain version, for one launch: they read its inputs, and each writes to its
 * own outputs. `call`: a launch of each of the two, as it sees it: inout
 * arguments are in the outputs; what the judge keeps of them lies in the file of
 * inputs after those. */
struct values_request {
	struct message_head head;
	uint64_t inputs_bytes; /* of the file */
	struct entry_call call[2];
};

struct call_reply {
	struct message_head head;
	uint32_t side; /* 0: the reference, 1: the plain version */
};

struct called_request {
	struct message_head head;
};

struct hold_request {
	struct message_head head;
};

struct reference_request {
	struct message_head head;
	struct entry_call call;
	struct recipe recipe; /* for similar sets, see reference.h */
	uint32_t index;	      /* the image of the batch */
	bool rows;	      /* the reference takes rows */
	bool again; /* does it answer the same again? (runner/again.c) */
	uint32_t n_segments; /* 0: everything */
	struct segment segment[PROTOCOL_SEGMENTS];
	uint64_t history; /* equal for sets of equal case and fills, which share
			   * what is known of the plain version's error */
	struct tolerance tolerance;
};

struct compare_request {
	struct message_head head;
	struct entry_call call;
	uint32_t index; /* the image the reference was computed for */
	bool guards;	/* and poison, in all images; needs the outputs */
	bool values;
	bool blames; /* is the reference asked again where a value is wrong? */
	uint64_t poison;
	struct series series; /* the other images must be untouched */
};

struct unlike_request {
	struct message_head head;
	struct entry_call call;
	uint32_t index;	   /* the image */
	int64_t tile_rows; /* at a time */
};

/* The rows where two arms' outputs differ most, and by how much: the largest
 * difference divided by the largest value of those rows. Infinite if integers
 * differ, or if one value is finite and the other is not; 0: no difference. */
struct likeness_reply {
	struct message_head head;
	double most;
	uint32_t index; /* on the GPU: the image */
	struct segment rows;
};

struct lint_request {
	struct message_head head;
	struct entry_call call;
	struct recipe recipe;
	bool rows;
	uint32_t n_segments;
	struct segment segment[PROTOCOL_SEGMENTS];
	struct tolerance tolerance;
	bool varied;		     /* whether outputs vary is known */
	bool settled[TASK_MAX_ARGS]; /* inputs of which nothing is asked */
	uint32_t draws; /* for an input, at most; 0: what a second allows */
};

enum finding {
	FINDING_NONE,
	FINDING_VALUE,	   /* off by more than is allowed */
	FINDING_NAN,	   /* not a number, or infinite, where it must not be */
	FINDING_UNWRITTEN, /* poison was not overwritten */
	FINDING_GUARD, /* bytes around a tensor or between its rows changed */
	/* faults of the task, not of the candidate */
	FINDING_REFERENCE_HOLE,	   /* the reference left an element unwritten */
	FINDING_CONSTANT,	   /* the output hardly varies */
	FINDING_NO_INFLUENCE,	   /* an input that changes no output */
	FINDING_PLAIN_OFF,	   /* plain disagrees with the reference */
	FINDING_REFERENCE_OUTSIDE, /* it wrote outside an array: `access` */
	FINDING_REFERENCE_UNLIKE, /* two answers to the same inputs: `expected`,
				    * then `got` */
	FINDING_REFERENCE_KEEPS,  /* the same, `got` in a process of its own */
	FINDING_COUNT
};

#define WRONG_HEIGHT 8
#define WRONG_WIDTH  32

/* Rows, or columns, that hold a wrong element. */
struct wrong_lines {
	int64_t n, of; /* so many of so many that were checked */
	int64_t first, last;
	int64_t step; /* divides all distances between them; 0: one line */
};

/* Where the wrong elements of an output are, seen as rows of its last
 * dimension; a vector is one column. */
struct wrong_map {
	int64_t elements, checked; /* wrong ones, of so many */
	struct wrong_lines rows, columns;
	/* Wrong are `tiles` whole squares with this side (at the end of the
	 * output less), and nothing else; 0: no side is such. */
	int64_t side, tiles;
	/* The output in small, a bit a cell; cells without a checked element
	 * are in neither. */
	uint32_t height, width;
	uint32_t wrong[WRONG_HEIGHT], looked[WRONG_HEIGHT];
};

struct judge_answer {
	struct message_head head;
	uint32_t finding;
	uint32_t argument;
	int64_t element; /* row-major index in the tensor */
	int64_t wrong;	 /* how many elements or tiles are wrong */
	double got, expected;
	double worst; /* error divided by the allowed one; <= 1 is right */
	/* Of VALUE: the same of the element that is named, or of its tile; `worst`
	 * may be of another. */
	double times;
	/* Of the argument that `finding` is about; all 0: not known. */
	struct wrong_map map;
	int64_t also_wrong[TASK_MAX_ARGS]; /* elements of other outputs */
	/* Of a finding about a task: sets of inputs that were tried. */
	uint64_t draws;
	/* And of one whose outputs look alike: how many elements of the output
	 * that has most of them are infinite or NaN, and how many it has. Of NAN
	 * where the plain version is not what the reference is, too: of those that
	 * were looked at; else 0. */
	int64_t endless, looked_at;
	/* Of a reference that is at fault; where it was asked again, the array
	 * alone. */
	struct array_access access;
	/* REFERENCE on the CPU: the integer outputs whose right values are all
	 * the same, and that value's bits. */
	bool uniform[TASK_MAX_ARGS];
	uint64_t value[TASK_MAX_ARGS];
};

#endif
