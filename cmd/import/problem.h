/*
 * A problem in the form of KernelBench (Model, get_inputs, get_init_inputs): what
 * it takes and returns, and where its own check would accept what is wrong; and
 * the same at several sizes, where a list SHAPES gives them. The
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
#define PROBLEM_CASES 8
#define PROBLEM_SIZES 32
#define PROBLEM_CALLS 64

/* A size of the cases, which is a symbol of the task. */
struct problem_size {
	char name[PROBLEM_NAME];
	/* The number of the problem's module that it sets; "": none, it is a
	 * dimension that no size of the problem says. */
	char global[PROBLEM_NAME];
	int64_t value[PROBLEM_CASES];
};

struct problem_tensor {
	char name[PROBLEM_NAME]; /* of the argument; unique */
	char key[PROBLEM_KEY];	 /* of a tensor of the model, else "" */
	/* An input that is a number: as Python writes it. Then nothing below
	 * counts. */
	char value[PROBLEM_NAME];
	enum dtype dtype;
	bool truth; /* u8 of a task, 0 or 1; a bool of PyTorch */
	int64_t shape[TASK_MAX_DIMS];
	size_t n_dims;
	bool uniform;	   /* floats of no sign: [0, 1) */
	int64_t low, high; /* integers: what was seen */
	/* Of a problem with sizes, in every case. */
	int64_t shapes[PROBLEM_CASES][TASK_MAX_DIMS];
	int64_t lows[PROBLEM_CASES], highs[PROBLEM_CASES];
	/* A dimension that is a symbol of the task, borrowed; NULL: shape. */
	const char *dim[TASK_MAX_DIMS];
	/* Expressions of symbols; "": low and high. */
	char low_text[PROBLEM_NAME + 8], high_text[PROBLEM_NAME + 8];
	/* An output that may be off by so much; else by the task's factor. */
	bool has_tolerance;
	double rtol, atol;
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

/* The own check of a problem, where it is not KernelBench's, and what else is
 * asked of one that has sizes. Texts are borrowed. */
struct problem_question {
	const struct buf *shapes;  /* the text that defines SHAPES; or NULL */
	const char *flops, *bytes; /* expressions of Python; or NULL */
	const struct strvec
		*calls; /* names of operators, or of none; or NULL */
	bool has_tolerance[DTYPE_COUNT];
	double rtol[DTYPE_COUNT], atol[DTYPE_COUNT];
};

struct problem {
	struct problem_tensor input[TASK_MAX_ARGS], state[TASK_MAX_ARGS],
		output[TASK_MAX_ARGS];
	size_t n_inputs, n_state, n_outputs;
	int64_t state_left; /* tensors of the model that are too many */
	/* Those that hold two values, as a causal mask does: they stay in the
	 * model. */
	char mask[TASK_MAX_ARGS][PROBLEM_KEY];
	size_t n_masks;
	struct problem_size size[PROBLEM_SIZES];
	size_t n_sizes, n_cases; /* 0 cases: it was not asked for sizes */
	int64_t cases_left;	 /* beyond PROBLEM_CASES */
	/* What SHAPES gives and the problem's module does not have. */
	char passed_over[TASK_MAX_ARGS][PROBLEM_NAME];
	size_t n_passed_over;
	/* What the expressions of the question say in every case. */
	bool has_flops, has_bytes;
	double flops[PROBLEM_CASES], bytes[PROBLEM_CASES];
	/* The lines of the task file; NULL: the one shape. Borrowed, as are its
	 * expressions of the work, which may be NULL. */
	const char *cases, *flops_text, *bytes_text;
	const char *forbidden; /* a line, or "" or NULL. Borrowed */
	/* Of the question's calls; of those beyond it nothing is said. */
	bool is_no_operator[PROBLEM_CALLS];
	bool counts_bytes; /* though there are flops */
	/* What is right is what the problem computes in its own precision. */
	bool own_precision;
	struct weakness weak[2 * TASK_MAX_ARGS + WEAK_COUNT];
	size_t n_weak;
};

/* Runs the problem; `question` NULL: it has no sizes. ERROR_NOT_FOUND without
 * Python or PyTorch; ERROR_TASK where the text does not hold such a problem, with
 * the reason. `path` is for messages. */
struct error *problem_read(struct problem *out, const char *path,
			   const struct buf *text,
			   const struct problem_question *question) MUST_CHECK;
/* Does it say that the problem's own check is blind? */
bool problem_check_is_weak(const struct problem *p);
/* Is it a reason against the task? Not that there is no double, where nothing is
 * compared with double. */
bool problem_is_refused(const struct problem *p, enum weakness_kind kind);
/* Adds one sentence. `own_rule` NULL: the check is KernelBench's. */
void weakness_words(struct buf *out, const struct weakness *w,
		    const char *own_rule);

#endif
