#include "core/task/keys.h"

#include "core/task/task.h"

/* The tables in the order of docs/task.md. The first names of a table are
 * proposed first where a word is as near to two. */

const struct key keys_language[] = {
	{.name = "runner",
	 .type = KEY_WORDS,
	 .needed = true,
	 .help = "the program that builds and launches candidates, and its "
		 "words"},
	{.name = "folders",
	 .type = KEY_WORDS,
	 .help = "absolute paths of this machine that it may read"},
	{0},
};

const struct key keys_sources[] = {
	{.name = "paths",
	 .type = KEY_WORDS,
	 .needed = true,
	 .help = "patterns of the files that a candidate may change"},
	{.name = "add",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "a candidate may add files that match"},
	{.name = "remove",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "a candidate may remove files"},
	{0},
};

/* ---- arguments ------------------------------------------------------------- */

#define NAME(what)                                                    \
	{                                                             \
		.name = "name", .type = KEY_IDENTIFIER, .help = what, \
		.needed = true                                        \
	}
#define DTYPE                                                         \
	{                                                             \
		.name = "dtype", .type = KEY_CHOICE,                  \
		.help = "type of an element", .choices = WORDS_DTYPE, \
		.needed = true                                        \
	}
#define ALIGN                                                               \
	{                                                                   \
		.name = "align", .type = KEY_INT, .usual = "64",            \
		.help = "bytes that its address is a multiple of, a power " \
			"of two",                                           \
		.low = 1, .high = 4096                                      \
	}
#define OWN_TOLERANCE                                      \
	{                                                  \
		.name = "tolerance", .type = KEY_MAPPING,  \
		.help = "error that this output may have", \
		.keys = keys_own_tolerance                 \
	}
#define VARY                                                             \
	{                                                                \
		.name = "vary", .type = KEY_BOOL, .usual = "true",       \
		.help = "the output differs with the inputs, the input " \
			"changes an output"                              \
	}

const struct key keys_own_tolerance[] = {
	{.name = "rtol",
	 .type = KEY_NUMBER,
	 .usual = "0",
	 .help = "share of the right value"},
	{.name = "atol", .type = KEY_NUMBER, .usual = "0", .help = "absolute"},
	{0},
};

const struct key keys_fill[] = {
	{.name = "low", .type = KEY_EXPRESSION, .help = "least integer"},
	{.name = "high", .type = KEY_EXPRESSION, .help = "greatest integer"},
	{.name = "uniform",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "of bytes and integers of 16 bits: no launch has most of "
		 "them at an end"},
	{.name = "generator",
	 .type = KEY_FUNCTION,
	 .help = "function of the reference's sources that fills it"},
	{0},
};

const struct key keys_tensor[] = {
	NAME("of the argument"),
	DTYPE,
	{.name = "shape",
	 .type = KEY_EXPRESSIONS,
	 .help = "sizes, the slowest dimension first",
	 .needed = true},
	{.name = "strides",
	 .type = KEY_EXPRESSIONS,
	 .usual = "row-major",
	 .help = "elements from one to the next in each dimension"},
	{.name = "direction",
	 .type = KEY_CHOICE,
	 .usual = "in",
	 .help = "what the kernel does with it",
	 .choices = WORDS_DIRECTION},
	ALIGN,
	{.name = "fill",
	 .type = KEY_CHOICE,
	 .usual = "mixed; small_ints for integers",
	 .help = "what an input holds",
	 .choices = WORDS_FILL,
	 .keys = keys_fill},
	{.name = "static",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "prepare gets it before the clock starts"},
	OWN_TOLERANCE,
	VARY,
	{0},
};

const struct key keys_returned[] = {
	NAME("of what the function returns"),
	DTYPE,
	{.name = "direction",
	 .type = KEY_CHOICE,
	 .help = "says that it is returned",
	 .choices = "return",
	 .needed = true},
	OWN_TOLERANCE,
	VARY,
	{0},
};

#define VALUE                                                            \
	{                                                                \
		.name = "value", .type = KEY_EXPRESSION,                 \
		.help = "an expression over the symbols, or a constant", \
		.needed = true                                           \
	}

const struct key keys_scalar[] = {
	NAME("of the argument"),
	DTYPE,
	VALUE,
	{0},
};

const struct key keys_member[] = {
	NAME("of the member"),
	DTYPE,
	VALUE,
	{0},
};

const struct key keys_pointer[] = {
	NAME("of the member"),
	{.name = "tensor",
	 .type = KEY_IDENTIFIER,
	 .help = "the tensor or workspace that the member points to",
	 .needed = true},
	{0},
};

const struct key keys_struct[] = {
	NAME("of the argument"),
	{.name = "struct",
	 .type = KEY_OTHER,
	 .help = "its members, laid out as C does",
	 .needed = true,
	 .form = FORM_MEMBERS},
	{.name = "pointer",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "the address of a fresh copy is passed"},
	{0},
};

const struct key keys_workspace[] = {
	NAME("of the argument"),
	{.name = "workspace",
	 .type = KEY_EXPRESSION,
	 .help = "bytes that it has",
	 .needed = true},
	{.name = "zeroed",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "zeros, else it is poisoned"},
	ALIGN,
	{0},
};

const struct key keys_prepared[] = {
	NAME("of the argument"),
	{.name = "prepared",
	 .type = KEY_EXPRESSION,
	 .help = "bytes that prepare fills",
	 .needed = true},
	ALIGN,
	{0},
};

const struct key *const keys_arguments[] = {
	keys_tensor,	keys_returned, keys_scalar, keys_struct,
	keys_workspace, keys_prepared, NULL,
};

/* ---- cases, metric ---------------------------------------------------------- */

const struct key keys_hidden[] = {
	{.name = "count",
	 .type = KEY_INT,
	 .usual = "3",
	 .help = "how many are drawn at random, beside those at ends",
	 .low = 1,
	 .high = MAX_HIDDEN},
	{.name = "require",
	 .type = KEY_EXPRESSION,
	 .help = "what sizes that go together meet, as `k <= cols`"},
	{0},
};

const struct key keys_range[] = {
	{.name = "low",
	 .type = KEY_INT,
	 .help = "least size",
	 .high = MAX_SIZE,
	 .needed = true},
	{.name = "high",
	 .type = KEY_INT,
	 .help = "greatest size",
	 .high = MAX_SIZE,
	 .needed = true},
	{.name = "step",
	 .type = KEY_INT,
	 .usual = "1",
	 .help = "sizes are multiples of it",
	 .low = 1,
	 .high = MAX_SIZE},
	{0},
};

const struct key keys_metric[] = {
	{.name = "timing",
	 .type = KEY_CHOICE,
	 .usual = "latency",
	 .help = "one launch at a time, or many",
	 .choices = WORDS_METRIC},
	{.name = "name",
	 .type = KEY_IDENTIFIER,
	 .help = "what the score counts, in the plural"},
	{.name = "unit",
	 .type = KEY_WORD,
	 .usual = "NAME/s",
	 .help = "the unit of the score"},
	{.name = "count",
	 .type = KEY_EXPRESSION,
	 .help = "how many of them a launch does"},
	{0},
};

/* ---- trusted code, building -------------------------------------------------- */

#define SOURCE                                                          \
	{                                                               \
		.name = "source", .type = KEY_PATH, .help = "its file", \
		.in = IN_COMPILED                                       \
	}
#define SOURCES                                                            \
	{                                                                  \
		.name = "sources", .type = KEY_WORDS, .help = "its files", \
		.in = IN_COMPILED                                          \
	}
#define ENTRY                                                      \
	{                                                          \
		.name = "entry", .type = KEY_FUNCTION,             \
		.help = "the function, with the task's arguments", \
		.needed = true                                     \
	}
#define SETUP                                                                  \
	{                                                                      \
		.name = "setup", .type = KEY_FUNCTION,                         \
		.help = "called once in a process, untimed", .in = IN_COMPILED \
	}
#define FLAGS                                                    \
	{                                                        \
		.name = "flags", .type = KEY_WORDS,              \
		.help = "of the compiler, after those of build", \
		.in = IN_COMPILED                                \
	}
#define LIBS                                                      \
	{                                                         \
		.name = "libs", .type = KEY_WORDS,                \
		.help = "libraries, as -lNAME", .in = IN_COMPILED \
	}
#define TORCH                                                                 \
	{                                                                     \
		.name = "torch", .type = KEY_PATH, .usual = "it is compiled", \
		.help = "a file of Python with functions of tensors",         \
		.in = IN_TORCH, .needed = true                                \
	}

const struct key keys_reference[] = {
	SOURCE,
	SOURCES,
	ENTRY,
	SETUP,
	{.name = "rows",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "the entry takes the rows to compute as its last two "
		 "arguments",
	 .in = IN_COMPILED},
	{.name = "plain",
	 .type = KEY_FUNCTION,
	 .help = "the same in the kernel's own precision, by which errors are "
		 "judged"},
	FLAGS,
	LIBS,
	TORCH,
	{0},
};

const struct key keys_baseline[] = {
	SOURCE,
	SOURCES,
	ENTRY,
	{.name = "prepare",
	 .type = KEY_FUNCTION,
	 .help = "as the task's, for this baseline"},
	SETUP,
	FLAGS,
	LIBS,
	{.name = "library",
	 .type = KEY_WORDS,
	 .help = "absolute paths of shared libraries of this machine",
	 .in = IN_COMPILED},
	{.name = "version",
	 .type = KEY_WORD,
	 .help = "of the library",
	 .in = IN_COMPILED},
	TORCH,
	{.name = "compile",
	 .type = KEY_WORD,
	 .help = "mode of torch.compile",
	 .in = IN_TORCH},
	{0},
};

#define IN_BOTH (IN_C | IN_CUDA)

const struct key keys_build[] = {
	{.name = "compiler",
	 .type = KEY_WORD,
	 .usual = "cc, c++ or nvcc",
	 .help = "name of the compiler",
	 .in = IN_BOTH},
	{.name = "flags",
	 .type = KEY_WORDS,
	 .help = "flags of the compiler",
	 .in = IN_BOTH},
	{.name = "allow",
	 .type = KEY_WORDS,
	 .help = "flags that a source may choose, too",
	 .in = IN_BOTH},
	{.name = "libs",
	 .type = KEY_WORDS,
	 .help = "libraries that a candidate may call",
	 .in = IN_BOTH},
	{.name = "files",
	 .type = KEY_WORDS,
	 .help = "patterns of more files that a build gets; sources among them "
		 "are compiled"},
	{.name = "compile",
	 .type = KEY_WORDS,
	 .usual = "every source",
	 .help = "patterns of what is compiled by itself",
	 .in = IN_BOTH},
	{.name = "command",
	 .type = KEY_WORDS,
	 .help = "builds instead of the compiler",
	 .in = IN_BOTH | IN_COMMAND},
	{.name = "object",
	 .type = KEY_PATH,
	 .help = "what the command leaves",
	 .in = IN_BOTH | IN_COMMAND},
	{.name = "generate",
	 .type = KEY_WORDS,
	 .help = "a command before every compile, that makes headers, say",
	 .in = IN_C},
	{.name = "arch",
	 .type = KEY_WORD,
	 .usual = "the card's",
	 .help = "what to compile for, as sm_90a",
	 .in = IN_CUDA | IN_RUNNER_CUDA},
	{.name = "also_build",
	 .type = KEY_WORDS,
	 .help = "more of these, only compiled",
	 .in = IN_CUDA},
	{.name = "rdc",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "device functions may lie in another file",
	 .in = IN_CUDA},
	{0},
};

const struct key keys_forbidden[] = {
	{.name = "calls",
	 .type = KEY_WORDS,
	 .help = "operators of PyTorch that a candidate may not call"},
	{.name = "modules",
	 .type = KEY_WORDS,
	 .help = "modules of Python that it may not import"},
	{0},
};

const struct key keys_launcher[] = {
	{.name = "command",
	 .type = KEY_WORDS,
	 .needed = true,
	 .help = "words before a launch, outside of the sandbox"},
	{0},
};

/* ---- rules and limits -------------------------------------------------------- */

const struct key keys_tolerance[] = {
	{.name = "factor",
	 .type = KEY_NUMBER,
	 .usual = "2",
	 .help = "times the error of the plain version",
	 .low = 1,
	 .high = 1000},
	{.name = "rtol",
	 .type = KEY_NUMBER,
	 .usual = "0",
	 .help = "share of the right value"},
	{.name = "atol", .type = KEY_NUMBER, .usual = "0", .help = "absolute"},
	{0},
};

const struct key keys_limits[] = {
	{.name = "timeout",
	 .type = KEY_SPAN,
	 .usual = "10s",
	 .help = "of one launch"},
	{.name = "memory",
	 .type = KEY_BYTES,
	 .usual = "1GiB; 16GiB with score",
	 .help = "besides the buffers"},
	{.name = "build",
	 .type = KEY_SPAN,
	 .usual = "60s; 300s in CUDA or with a command",
	 .help = "of one run of the compiler"},
	{0},
};

const struct key keys_budget[] = {
	{.name = "attempts",
	 .type = KEY_INT,
	 .help = "attempts of one evolve",
	 .low = 1,
	 .high = 1e8},
	{.name = "time", .type = KEY_SPAN, .help = "of one evolve"},
	{.name = "steps",
	 .type = KEY_INT,
	 .help = "replies of a model in the run",
	 .low = 1,
	 .high = 1e8},
	{.name = "tokens",
	 .type = KEY_INT,
	 .help = "tokens in the run, in and out",
	 .low = 1,
	 .high = 0x1p50},
	{.name = "money", .type = KEY_NUMBER, .help = "dollars of the run"},
	{.name = "gpu_time",
	 .type = KEY_SPAN,
	 .help = "time on a GPU in the run"},
	{.name = "ceiling",
	 .type = KEY_NUMBER,
	 .help = "share of what the card can do that is enough",
	 .high = 1},
	{0},
};

const struct key keys_supervisor[] = {
	{.name = "stall",
	 .type = KEY_INT,
	 .usual = "12",
	 .help = "attempts without a gain",
	 .low = 2,
	 .high = 1e6},
	{.name = "patience",
	 .type = KEY_SPAN,
	 .usual = "30m",
	 .help = "work without a gain"},
	{.name = "lineages",
	 .type = KEY_INT,
	 .usual = "4",
	 .help = "lineages that are worked on at a time",
	 .low = 2,
	 .high = 1000},
	{0},
};

const struct key keys_islands[] = {
	{.name = "count",
	 .type = KEY_INT,
	 .help = "how many there are",
	 .low = 1,
	 .high = MAX_ISLANDS,
	 .needed = true},
	{.name = "attempts",
	 .type = KEY_INT,
	 .usual = "16",
	 .help = "of an island, until its champion is offered to the next",
	 .low = 1,
	 .high = 1e6},
	{.name = "accepted",
	 .type = KEY_INT,
	 .usual = "4",
	 .help = "of these, where that comes first",
	 .low = 1,
	 .high = 1e6},
	{0},
};

const struct key keys_score[] = {
	{.name = "command",
	 .type = KEY_WORDS,
	 .help = "runs once for every figure",
	 .needed = true},
	{.name = "ab",
	 .type = KEY_BOOL,
	 .usual = "true",
	 .help = "candidate and rival run in turns"},
	{.name = "exact",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "the same files always give the same figure"},
	{.name = "better",
	 .type = KEY_CHOICE,
	 .usual = "higher",
	 .help = "which figure wins",
	 .choices = WORDS_BETTER},
	{.name = "unit",
	 .type = KEY_WORD,
	 .usual = "points",
	 .help = "of the score"},
	{.name = "repeat",
	 .type = KEY_INT,
	 .usual = "3",
	 .help = "runs where there is nothing to compare with",
	 .low = 1,
	 .high = 100},
	{.name = "blocks",
	 .type = KEY_INT,
	 .usual = "32",
	 .help = "most runs of each in a comparison",
	 .low = 4,
	 .high = 128},
	{.name = "timeout",
	 .type = KEY_SPAN,
	 .usual = "5m",
	 .help = "of one run"},
	{.name = "network",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "the command gets the network"},
	{.name = "folders",
	 .type = KEY_WORDS,
	 .help = "absolute paths of this machine that it may read"},
	{0},
};

/* ---- the task ---------------------------------------------------------------- */

#define ANYWHERE (IN_KERNEL | IN_REPORTED)

const struct key keys_task[] = {
	{.name = "name",
	 .type = KEY_WORD,
	 .help = "of the task and its run: at most 60 letters, "
		 "digits, _ and -",
	 .in = ANYWHERE,
	 .needed = true},
	{.name = "language",
	 .type = KEY_CHOICE,
	 .help = "what candidates are written in",
	 .choices = WORDS_LANGUAGE,
	 .keys = keys_language,
	 .in = IN_KERNEL,
	 .needed = true},
	{.name = "device",
	 .type = KEY_CHOICE,
	 .usual = "cpu",
	 .help = "what Python runs on",
	 .choices = WORDS_DEVICE,
	 .in = IN_KERNEL},
	{.name = "sources",
	 .type = KEY_WORDS,
	 .help = "patterns of the files that a candidate may change",
	 .keys = keys_sources,
	 .in = ANYWHERE,
	 .needed = true},
	{.name = "include",
	 .type = KEY_WORDS,
	 .help = "folders of headers",
	 .in = IN_KERNEL},
	{.name = "entry",
	 .type = KEY_FUNCTION,
	 .help = "the function that is called",
	 .in = IN_KERNEL,
	 .needed = true},
	{.name = "prepare",
	 .type = KEY_FUNCTION,
	 .help = "works on static inputs before the clock starts",
	 .in = IN_KERNEL},
	{.name = "setup",
	 .type = KEY_FUNCTION,
	 .help = "called once in a process, untimed",
	 .in = IN_KERNEL},
	{.name = "arguments",
	 .type = KEY_OTHER,
	 .help = "of the entry, in its order",
	 .in = IN_KERNEL,
	 .needed = true,
	 .form = FORM_ARGUMENTS},
	{.name = "cases",
	 .type = KEY_OTHER,
	 .help = "sizes that are timed: symbols, and weight",
	 .in = IN_KERNEL,
	 .needed = true,
	 .form = FORM_CASES},
	{.name = "hidden",
	 .type = KEY_OTHER,
	 .help = "ranges of the cases that are drawn",
	 .in = IN_KERNEL,
	 .form = FORM_HIDDEN},
	{.name = "metric",
	 .type = KEY_CHOICE,
	 .usual = "latency",
	 .help = "what the score is",
	 .choices = WORDS_METRIC,
	 .keys = keys_metric,
	 .in = IN_KERNEL},
	{.name = "class",
	 .type = KEY_CHOICE,
	 .usual = "any",
	 .help = "how a GPU runs candidates",
	 .choices = WORDS_CLASS,
	 .in = IN_KERNEL},
	{.name = "batch",
	 .type = KEY_INT,
	 .usual = "16",
	 .help = "launches at a time with throughput",
	 .low = 1,
	 .high = 4096,
	 .in = IN_KERNEL},
	{.name = "threads",
	 .type = KEY_INT,
	 .usual = "1; all with score",
	 .help = "CPUs that are kept for a kernel",
	 .low = 1,
	 .high = 1024,
	 .in = ANYWHERE},
	{.name = "cache",
	 .type = KEY_CHOICE,
	 .usual = "warm; cold in CUDA",
	 .help = "caches before a launch",
	 .choices = WORDS_CACHE,
	 .in = IN_KERNEL},
	{.name = "flops",
	 .type = KEY_EXPRESSION,
	 .help = "operations of a launch",
	 .in = IN_KERNEL},
	{.name = "bytes",
	 .type = KEY_EXPRESSION,
	 .help = "bytes that a launch must move",
	 .in = IN_KERNEL},
	{.name = "reference",
	 .type = KEY_MAPPING,
	 .help = "what is right",
	 .keys = keys_reference,
	 .in = IN_KERNEL,
	 .needed = true},
	{.name = "baselines",
	 .type = KEY_OTHER,
	 .help = "names, and code to compare with",
	 .in = IN_KERNEL,
	 .form = FORM_BASELINES},
	{.name = "build",
	 .type = KEY_MAPPING,
	 .help = "how candidates are built",
	 .keys = keys_build,
	 .in = ANYWHERE},
	{.name = "forbidden",
	 .type = KEY_MAPPING,
	 .help = "what a candidate in Python may not use",
	 .keys = keys_forbidden,
	 .in = IN_KERNEL},
	{.name = "tolerance",
	 .type = KEY_MAPPING,
	 .help = "error that is allowed",
	 .keys = keys_tolerance,
	 .in = IN_KERNEL},
	{.name = "check",
	 .type = KEY_INT,
	 .usual = "1",
	 .help = "launches of a case that are checked whole",
	 .low = 1,
	 .high = TASK_MAX_CHECK,
	 .in = IN_KERNEL},
	{.name = "deterministic",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "the same inputs must give the same bits",
	 .in = IN_KERNEL},
	{.name = "limits",
	 .type = KEY_MAPPING,
	 .help = "what a kernel and a build may take",
	 .keys = keys_limits,
	 .in = ANYWHERE},
	{.name = "no_slower_case",
	 .type = KEY_BOOL,
	 .usual = "false",
	 .help = "a champion is slower in no single case",
	 .in = ANYWHERE},
	{.name = "sanitize",
	 .type = KEY_CHOICES,
	 .usual = "false",
	 .help = "a champion passes compute-sanitizer's tools",
	 .choices = WORDS_SANITIZERS,
	 .in = IN_KERNEL},
	{.name = "budget",
	 .type = KEY_MAPPING,
	 .help = "what ends a run",
	 .keys = keys_budget,
	 .in = ANYWHERE},
	{.name = "launcher",
	 .type = KEY_MAPPING,
	 .help = "starts launches on a machine with a GPU",
	 .keys = keys_launcher,
	 .in = IN_KERNEL},
	{.name = "operator",
	 .type = KEY_OTHER,
	 .usual = "llm where a model is configured, else tuner",
	 .help = "who varies the kernel",
	 .choices = WORDS_OPERATOR,
	 .in = ANYWHERE,
	 .form = FORM_OPERATOR},
	{.name = "supervisor",
	 .type = KEY_CHOICE,
	 .help = "when a run without progress is redirected",
	 .choices = "off",
	 .keys = keys_supervisor,
	 .in = ANYWHERE},
	{.name = "islands",
	 .type = KEY_MAPPING,
	 .help = "several agents breed apart, and exchange champions",
	 .keys = keys_islands,
	 .in = ANYWHERE},
	{.name = "knowledge",
	 .type = KEY_WORDS,
	 .help = "documents that an agent may search, from the top of the "
		 "repository",
	 .in = ANYWHERE},
	{.name = "portable",
	 .type = KEY_WORDS,
	 .help = "kinds of machines for one winner",
	 .in = ANYWHERE},
	{.name = "flags",
	 .type = KEY_CHOICE,
	 .usual = "chosen",
	 .help = "whether a source may choose flags",
	 .choices = WORDS_FLAGS,
	 .in = IN_KERNEL},
	{.name = "suite",
	 .type = KEY_CHOICE,
	 .help = "whose own rule is shown, too",
	 .choices = WORDS_SUITE,
	 .in = IN_KERNEL},
	{.name = "score",
	 .type = KEY_MAPPING,
	 .usual = "a kernel is described and measured",
	 .help = "a command that reports the scores",
	 .keys = keys_score,
	 .in = IN_REPORTED,
	 .needed = true},
	{0},
};

const struct key *task_key(const struct key *table, unsigned in,
			   const char *name)
{
	for (; table->name; table++)
		if (str_eq(table->name, name) &&
		    (!table->in || (table->in & in)))
			return table;
	return NULL;
}
