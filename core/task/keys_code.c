/* The keys of trusted code, of building and of starting a launch. */
#include "core/task/keys.h"

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
