/*
 * The task: what to make fast, from `avogit.yaml`. Plain data; parse.c
 * reads it, layout.h applies it to a case. docs/task.md is the reference of
 * the file format.
 *
 * Paths in a task are relative to the folder of the task file, and may lead out
 * of it ("../src/k.c") but not out of the repository; `prefix` is that folder's
 * path from the top of the repository ("" or "dir/"), and task_path resolves
 * them.
 */
#ifndef CORE_TASK_TASK_H
#define CORE_TASK_TASK_H

#include "core/base/dtype.h"
#include "core/task/fill.h"
#include "core/task/expr.h"
#include "core/base/fileset.h"
#include "core/base/strvec.h"

#define TASK_FILE     "avogit.yaml"
#define TASK_MAX_DIMS 8
#define TASK_MAX_ARGS 32
/* What a member NAME of a state is after a launch is NAME_after. */
#define TASK_STATE_AFTER "_after"

/* The order is part of what tasks are told apart by (identity.c). */
enum language {
	LANGUAGE_C,
	LANGUAGE_CUDA,
	LANGUAGE_CXX,
	/* What a program of the machine knows (docs/runner-protocol.md), which
	 * the candidate is handed to. Trusted code is in C. */
	LANGUAGE_RUNNER,
};
enum direction { DIRECTION_IN, DIRECTION_OUT, DIRECTION_INOUT };
enum metric { METRIC_LATENCY, METRIC_THROUGHPUT };
enum cache_state { CACHE_WARM, CACHE_COLD };
/* CUDA: how a candidate may be executed; docs/scoring.md. */
enum launch_class { LAUNCH_ANY, LAUNCH_REPLAYED, LAUNCH_ISOLATED };
/* CUDA: what compute-sanitizer can look for; docs/sanitize.md. */
enum sanitizer_tool {
	SANITIZER_MEMCHECK,
	SANITIZER_RACECHECK,
	SANITIZER_INITCHECK,
	SANITIZER_SYNCCHECK,
	SANITIZER_COUNT
};
const char *sanitizer_name(enum sanitizer_tool t); /* "memcheck", ... */
/* A set of tools has the bit 1 << tool for each. */
#define SANITIZERS_DEFAULT                                      \
	(1U << SANITIZER_MEMCHECK | 1U << SANITIZER_RACECHECK | \
	 1U << SANITIZER_INITCHECK)

const char *fill_name(enum fill f);

enum argument_kind {
	ARGUMENT_TENSOR,    /* pointer to elements */
	ARGUMENT_SCALAR,    /* by value */
	ARGUMENT_STRUCT,    /* members in order, C layout */
	ARGUMENT_WORKSPACE, /* pointer to scratch bytes */
	ARGUMENT_PREPARED,  /* pointer to bytes that `prepare` fills */
};

/* A scalar argument, or a member of a struct argument. */
struct scalar {
	char *name;
	enum dtype dtype;
	struct expr *value; /* integers; NULL if `constant` has the value */
	double constant;
	/* A member that points to a tensor of the task: its name, and its index
	 * among the arguments. NULL: a number. */
	char *tensor;
	size_t tensor_index;
};

/* How a tensor reaches the function. */
enum passing {
	PASSED_AS_POINTER,
	PASSED_IN_STRUCT, /* by a member of a struct argument only */
	PASSED_BACK,	  /* one element, what the function returns */
};

struct argument {
	char *name;
	enum argument_kind kind;
	/* tensor */
	enum dtype dtype;
	enum direction direction;
	enum passing passing;
	struct expr *shape[TASK_MAX_DIMS];
	size_t n_dims;
	/* In elements, one for each dimension; NULL: the plain row-major
	 * stride. A candidate must not write elements between rows. */
	struct expr *stride[TASK_MAX_DIMS];
	bool has_strides;
	size_t alignment; /* bytes, a power of two; default 64 */
	enum fill fill;
	/* An output with a rule of its own: every element may be off by `atol`
	 * and `rtol` times the right value. Integers without one are equal. */
	bool has_tolerance;
	double rtol, atol;
	/* An output that may be the same whatever the inputs are; an input that
	 * may change no output. */
	bool may_not_vary;
	/* An input whose contents `prepare` gets before the clock starts:
	 * weights, tables. */
	bool is_static;
	struct expr *low, *high; /* FILL_RANGE */
	/* No launch has all of it at an end of the range, or most. */
	bool only_uniform;
	char *generator; /* FILL_GENERATOR: function in the reference */
	/* scalar (members[0]) and struct */
	struct scalar *members;
	size_t n_members;
	bool by_pointer; /* a struct; a fresh copy for every call */
	/* workspace, prepared */
	struct expr *bytes;
	bool zeroed;
};

/* One shape of the problem: a value for every symbol, in symbol order. */
struct task_case {
	int64_t *value; /* task.symbols.n of them */
	double weight;
	char *name; /* "m=512 n=512 k=512" */
};

/* A hidden case draws each symbol from [low, high], a multiple of `step`: see
 * core/task/hidden.h. */
struct hidden_range {
	int64_t low, high, step;
};

/* C code of the user, trusted for what it computes: the reference, a baseline.
 * Compiled from the run's base, in the sandbox. */
struct trusted_code {
	char *name;
	struct strvec sources;
	/* In Python, for tensors of PyTorch: its file, which is the one source
	 * too, and `entry` a function in it. NULL: in C. */
	char *torch;
	char *compile; /* a mode of torch.compile; NULL: not compiled by it */
	char *entry;
	char *prepare;	     /* baselines; may be NULL */
	char *setup;	     /* as of the task; may be NULL */
	struct strvec flags; /* after build.flags */
	struct strvec libs;  /* "-lopenblas" */
	/* Baselines: absolute paths of shared libraries of the machine that it
	 * is linked with, and what the task says of their version; may be NULL.
	 */
	struct strvec library;
	char *version;
};

/* The allowed error: per tile, relative to the error of `plain` (the same
 * arithmetic done in a plain way in the kernel's own precision) against the
 * reference; if the task has no plain, rtol and atol. */
struct tolerance {
	double factor; /* times the error of plain; default 2 */
	double rtol, atol;
	bool absolute; /* rtol/atol apply; plain is not run */
};

/* What candidates are built with and how, besides compiler and flags. */
struct project_build {
	struct strvec libs; /* "-lcublas": what a candidate may call */
	/* Patterns of files of the base that a candidate's build gets besides
	 * sources and includes; source files among them are compiled too. */
	struct strvec files;
	/* Patterns of what is compiled by itself; empty: every source file. */
	struct strvec compile;
	/* Words that run in a copy of the files before every compile, of
	 * trusted code too: they make headers, say. C and C++ only. */
	struct strvec generate;
	/* Instead of the compiler: a command that runs in the sandbox, in a
	 * copy of the files, and leaves a shared object at `object`. */
	struct strvec command;
	char *object; /* from the task's folder; NULL: no command */
};

struct cuda_build {
	char *arch;	    /* "sm_90a"; NULL: that of the GPU present */
	struct strvec also; /* more architectures, for other machines */
	bool rdc;	    /* device functions may be in another file */
};

struct budget_limits {
	int64_t attempts; /* 0: no limit, as for all */
	double seconds;
	/* Of the whole run, including its earlier processes: */
	int64_t steps;	/* turns of a model */
	int64_t tokens; /* in and out */
	double dollars;
	double gpu_seconds; /* launches and checks */
	/* The champion's share of what the card can do, in every case, from
	 * which nothing more is looked for; 0: never. */
	double ceiling;
};

/* When the supervisor (supervisor.h) intervenes. */
struct supervisor_rules {
	size_t stall;	     /* attempts without a gain; 0: never intervene */
	double patience;     /* seconds of work without a gain; 0: no limit */
	size_t max_lineages; /* worked on at a time: selection.h; 0: any */
};
#define SUPERVISOR_RULES_DEFAULT                                       \
	{                                                              \
		.stall = 12, .patience = 30.0 * 60, .max_lineages = 4, \
	}

/* Several agents in islands (core/run/islands.h). An island's champion is offered
 * after so many attempts of the island, or of accepted ones. */
struct island_rules {
	size_t count; /* 0, 1: none */
	size_t attempts, accepted;
};
#define ISLAND_RULES_DEFAULT                   \
	{                                      \
		.attempts = 16, .accepted = 4, \
	}
#define MAX_ISLANDS 64

/* A task that no runner can run: a command scores a candidate, and what it
 * reports is the figure (class reported). All zero: the scorer measures. */
struct reported_score {
	/* Words that run in a copy of a candidate's files, in the task's
	 * folder, and print a score; none: the scorer measures. */
	struct strvec command;
	/* It is run for the candidate and its rivals in turns, so that a gain
	 * can be decided; else nothing is compared. */
	bool ab;
	/* The same files give the same figure, always: two runs decide. */
	bool exact;
	bool lower_is_better;
	int64_t repeat; /* runs where nothing is compared */
	int64_t blocks; /* at most so many in a comparison */
	/* Beyond the sandbox of a build: cmd/session/trust.h. */
	bool network;
	struct strvec folders; /* of this machine, to be read */
};

#define TASK_MAX_CHECK	  64
#define TASK_MAX_CASES	  256
#define TASK_MAX_PORTABLE 16

struct task {
	char *path;   /* of the file, from the top of the repository */
	char *prefix; /* its folder: "" or "dir/" */
	char *name;
	enum language language;
	/* LANGUAGE_RUNNER: the program's words, of which the first is a name or
	 * an absolute path; folders of the machine that it sees besides its
	 * own. */
	struct strvec runner, runner_folders;
	/* The runner is the one in Python that avogit carries; with
	 * LANGUAGE_CUDA it launches on a GPU. */
	bool python;
	/* What a candidate in Python may not do: call these operators of
	 * PyTorch ("softmax", "aten::softmax"), import these modules
	 * ("flashinfer.decode"). */
	struct strvec forbidden_calls, forbidden_modules;
	struct strvec sources; /* patterns a candidate may change */
	bool may_add, may_remove;
	struct strvec include; /* folders */
	char *entry;
	/* The candidate's function that is called, untimed, with the static
	 * inputs before they are used; NULL: no input is static. */
	char *prepare;
	/* Called once in every process that has the object, before there is
	 * any input, untimed; NULL: nothing. Not for CUDA. */
	char *setup;
	struct argument argument[TASK_MAX_ARGS];
	size_t n_arguments;
	struct strvec symbols;
	struct task_case *cases; /* timed */
	size_t n_cases, cap_cases;
	struct hidden_range *hidden; /* one for each symbol; NULL: none */
	size_t hidden_count;	     /* drawn again for every scoring */
	struct expr
		*hidden_require; /* not 0 for sizes that go together; NULL */
	enum metric metric;
	int64_t batch; /* throughput: launches a release; latency: 1 */
	unsigned threads;
	enum cache_state cache;
	enum launch_class launch_class;
	struct expr *flops, *bytes; /* of one launch; either may be NULL */
	/* What the score counts: `count`, if the task names a quantity that is
	 * neither flops nor bytes; else one of the two above, flops where both
	 * are given and no name is. */
	char *quantity;	    /* "cells"; NULL: flops or bytes by themselves */
	struct expr *count; /* NULL: flops or bytes */
	char *unit;	    /* of the score; NULL: FLOPS or B/s */
	struct reported_score score;
	struct trusted_code reference;
	/* The reference takes two more int64_t, begin and end, and computes
	 * these rows of the first dimension of every output. */
	bool reference_rows;
	char *plain; /* entry of the plain version, in the same sources */
	struct trusted_code *baselines;
	size_t n_baselines, cap_baselines;
	char *compiler; /* "cc", "c++", "nvcc" */
	struct strvec flags;
	/* Flags that a line in a source may choose, besides `flags`. */
	struct strvec allowed_flags;
	bool fixed_flags; /* a source chooses none: `flags` alone are in force */
	struct project_build project;
	struct cuda_build cuda; /* all zero but for CUDA */
	struct tolerance tolerance;
	double timeout_seconds; /* for one launch, or run; default 10 */
	double build_seconds;	/* for a build; default 60 */
	uint64_t memory_bytes;	/* for a candidate, besides its buffers */
	bool no_slower_case;	/* a crown needs that no case is slower */
	bool deterministic;	/* the same inputs must give the same bits */
	bool kernelbench; /* a problem of that suite: its rule is shown, too */
	/* The least number of timed launches of a case that are drawn at random
	 * and checked completely in every comparison. */
	unsigned check;
	unsigned sanitizers; /* a crown needs a pass under these; 0: none */
	struct budget_limits budget;
	struct supervisor_rules supervisor;
	struct island_rules islands;
	/* The words before a launcher's own command (`srun ...`); empty if
	 * avogit starts it itself. Runs outside the sandbox:
	 * cmd/session/trust.h. */
	struct strvec launcher;
	/* Patterns of documents with ideas. Unlike all other paths of a task,
	 * they start from the top of the repository. */
	struct strvec knowledge;
	/* Kinds of machines, by an id or a part of a name, on which one winner
	 * is to be fast; empty: each kind has its own. */
	struct strvec portable;
	char *operator_name; /* "tuner" */
	bool has_operator;   /* the file names one */
	/* The settings under `operator:` as JSON text (an object), for the
	 * operator to read; never NULL. */
	char *operator_settings;
};

/* Joins flags of nvcc that take the next word as their value ("-Xptxas -O3") to
 * one word ("-Xptxas=-O3"), the form of `task.flags`. */
void flags_join_pairs(struct strvec *flags);

/* May a task in C or C++ have this flag in build.flags? */
bool task_flag_is_allowed(const char *flag);
/* The flags that the first `// avogit-flags:` line among the sources chooses
 * (joined to pairs, not checked), and where it is: the path, borrowed from
 * `files`, and the line. NULL if there is none, or if flags are fixed. */
const char *task_chosen_flags(struct strvec *out, size_t *line,
			      const struct task *t,
			      const struct fileset *files) MUST_CHECK;
/* Does a flag go without saying before these: is it among them, or a level that one
 * of them overrides? */
bool flag_is_replaced(const char *flag, const struct strvec *later);
/* The flags that are in force where the sources choose these behind the task's, in an
 * order of their own: the same list is the same code. `out` is empty before. */
void task_flags_in_force(struct strvec *out, const struct task *t,
			 const struct strvec *chosen);
/* NULL if a source may choose all of these flags (joined to pairs first), else
 * the reason, beginning with the first flag that is refused; free() disposes. A
 * flag that is in `flags` already changes nothing, so it may be chosen. */
char *task_refuse_flags(const struct task *t,
			const struct strvec *flags) MUST_CHECK;

/* NULL if the sources may choose every flag of the `// avogit-flags:` line that is in
 * force, of all its alternatives, and of the set; else "FILE:LINE: " and the reason;
 * free() disposes. */
char *task_refuse_declared(const struct task *t,
			   const struct fileset *files) MUST_CHECK;

/* The language of candidates, as people write it: "C++". */
const char *task_language(const struct task *t);
/* Does a command of the task report the scores? Then there is no entry, no
 * argument, no case and no reference. */
bool task_is_reported(const struct task *t);
bool task_is_output(const struct task *t, size_t argument);
/* Is any of its code in Python, the reference's and the baselines' too? */
bool task_uses_python(const struct task *t);
/* Are candidates source of CUDA, which nvcc compiles? */
bool task_compiles_cuda(const struct task *t);
/* Is any code of the task, trusted code too, compiled? */
bool task_compiles(const struct task *t);
/* Is the plain version needed, for an output that has no rtol and atol? */
bool task_needs_plain(const struct task *t);
/* Has any output another rule than equality or the plain version's error? */
bool task_has_absolute(const struct task *t);

/* A path of the task from the top of the repository; "" is the top itself.
 * free() disposes. */
char *task_path(const struct task *t, const char *path) MUST_CHECK NEVER_NULL;
/* Adds each of `paths` so. */
void task_push_paths(struct strvec *out, const struct task *t,
		     const struct strvec *paths);

/* Parses the text of a task file. `path` is for messages and the prefix. Every
 * error is "FILE:LINE: key: what was found, what is allowed". */
struct error *task_parse(struct task **out, const char *path, const char *text,
			 size_t len) MUST_CHECK;
/* Checks the task against the files of the base commit (paths relative to the
 * top of the repository): every file it names exists, and patterns match some
 * file but no trusted one. Uses only the files that the task needs. */
struct error *task_check_files(const struct task *t,
			       const struct fileset *base) MUST_CHECK;
/* The patterns (from the top of the repository) of what a build or scoring
 * needs: sources, includes, reference, baselines, the task file. */
void task_patterns(struct strvec *out, const struct task *t);
/* The part of these that a candidate's build gets: sources and includes. */
void task_build_patterns(struct strvec *out, const struct task *t);
/* The part that candidates may change, from the top of the repository. */
void task_source_patterns(struct strvec *out, const struct task *t);
/* Hex of what makes two tasks the same for a measurement: the
 * parsed contract and the blobs of the trusted files; not comments, budgets
 * or operator settings. `out` has room for IDENTITY_HEX_LEN + 1. */
void task_identity(char *out, const struct task *t, const struct fileset *base);
/* What the score counts of one launch of a case; *is_bytes: bytes. An error if the expressions cannot be evaluated. */
struct error *task_work(double *out, bool *is_bytes, const struct task *t,
			const struct task_case *c) MUST_CHECK;
/* May a symbol of the cases have this name? */
bool task_can_be_symbol(const char *name);
/* Its arrays with their shapes and directions, as a comment that a reference
 * made for them has. */
void task_shapes(struct buf *out, const struct task *t);
/* Has the reference such a comment, of other arrays than the task has now? */
bool task_reference_is_older(const struct task *t, const struct fileset *files);
/* The symbols with their values in the case. Borrows from both. */
struct symbols task_symbols(const struct task *t, const struct task_case *c);
/* What the expression is with them. The error is expr_eval's: it names no case. */
struct error *task_eval(int64_t *out, const struct expr *e,
			const struct task *t,
			const struct task_case *c) MUST_CHECK;
/* Is it the name of an architecture, such as "sm_80" or "sm_90a"? */
bool arch_is_name(const char *s);
/* "sm_90" and "sm_90a" have the same number. */
bool arch_same_number(const char *a, const char *b);
void task_case_release(struct task_case *c);
void task_free(struct task *t);

DEFINE_CLEANUP(task, struct task, task_free)
#define cleanup_task CLEANUP(task)

#endif
