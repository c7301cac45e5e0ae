/*
 * A problem in the form of KernelBench (Model, get_inputs, get_init_inputs): what
 * it takes and returns, and where its own check would accept what is wrong. The
 * problem is code of a stranger, so it runs in the sandbox, under a script of
 * avogit's (read_problem.py) whose answer is checked here as what it is: a
 * stranger's words.
 */
#ifndef CMD_IMPORT_PROBLEM_H
#define CMD_IMPORT_PROBLEM_H

#include "core/base/buf.h"
#include "core/task/task.h"

#define PROBLEM_NAME  40  /* bytes of a name, NUL included */
#define PROBLEM_KEY   201 /* of a tensor of the model: "conv.weight" */
#define PROBLEM_LIMIT ((size_t)1 << 20)

struct problem_tensor {
	char name[PROBLEM_NAME]; /* of the argument; unique */
	char key[PROBLEM_KEY];	 /* of a tensor of the model, else "" */
	/* An input that is a number: as Python writes it. Then nothing below
	 * counts. */
	char value[PROBLEM_NAME];
	enum dtype dtype;
	int64_t shape[TASK_MAX_DIMS];
	size_t n_dims;
	bool uniform;	   /* floats of no sign: [0, 1) */
	int64_t low, high; /* integers: what was seen */
	/* A dimension that is a symbol of the task, borrowed; NULL: shape. */
	const char *dim[TASK_MAX_DIMS];
};

enum weakness_kind {
	/* avogit cannot judge such a problem either: */
	WEAK_CONSTANT,	     /* the outputs are the same for other inputs */
	WEAK_IGNORED,	     /* an input changes nothing */
	WEAK_RANDOM,	     /* forward draws random numbers */
	WEAK_WRITES_INPUT,   /* forward changes its input */
	WEAK_NO_DOUBLE,	     /* forward cannot compute in double */
	WEAK_DOUBLE_DIFFERS, /* and computes something else there */
	/* The problem's own check is blind, avogit's is not: */
	WEAK_ZEROS,	    /* zeros are near enough */
	WEAK_HARDLY_VARIES, /* one answer is near enough for all inputs */
	WEAK_HARDLY_USED,   /* one contents of an input as good as another */
	WEAK_FIXED,	    /* get_inputs gives one contents */
	WEAK_COUNT
};
#define WEAK_OF_CHECK WEAK_ZEROS /* from here on */

struct weakness {
	enum weakness_kind kind;
	char name[PROBLEM_NAME]; /* the input; may be "" */
};

struct problem {
	struct problem_tensor input[TASK_MAX_ARGS], state[TASK_MAX_ARGS],
		output[TASK_MAX_ARGS];
	size_t n_inputs, n_state, n_outputs;
	int64_t state_left; /* tensors of the model that are too many */
	/* The lines of the task file; NULL: the one shape. Borrowed. */
	const char *cases;
	struct weakness weak[2 * TASK_MAX_ARGS];
	size_t n_weak;
};

/* Runs the problem. ERROR_NOT_FOUND without Python or PyTorch; ERROR_TASK where
 * the text does not hold such a problem, with the reason. `path` is for messages. */
struct error *problem_read(struct problem *out, const char *path,
			   const struct buf *text) MUST_CHECK;
/* Adds one sentence. */
void weakness_words(struct buf *out, const struct weakness *w);

#endif
