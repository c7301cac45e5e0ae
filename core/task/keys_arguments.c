/* The keys of arguments. */
#include "core/task/keys.h"

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
