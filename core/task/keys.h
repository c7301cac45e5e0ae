/*
 * The keys of a task file, as tables. The parser knows a key, its type and its
 * bounds from them; the JSON Schema and the list of keys in docs/task.md are
 * made of them (schema.h).
 */
#ifndef CORE_TASK_KEYS_H
#define CORE_TASK_KEYS_H

#include "core/base/base.h"

enum key_type {
	KEY_WORD,
	KEY_PATH,
	KEY_IDENTIFIER,
	KEY_FUNCTION,
	KEY_EXPRESSION,
	KEY_INT,    /* from low to high */
	KEY_NUMBER, /* from low to high; high 0: no end */
	KEY_BOOL,
	KEY_CHOICE,	 /* of `choices` */
	KEY_WORDS,	 /* a list of words, or one */
	KEY_CHOICES,	 /* a list of `choices`, or true or false */
	KEY_EXPRESSIONS, /* a list */
	KEY_SPAN,	 /* 10s, 1h30m */
	KEY_BYTES,	 /* 512MiB */
	KEY_MAPPING,	 /* of `keys` */
	KEY_OTHER,	 /* schema.c knows: see `form` */
};

/* What a key with a form of its own holds. */
enum key_form {
	FORM_NONE,
	FORM_ARGUMENTS,
	FORM_CASES,
	FORM_HIDDEN,
	FORM_BASELINES,
	FORM_MEMBERS,
	FORM_OPERATOR,
};

struct key {
	const char *name; /* NULL ends a table */
	enum key_type type;
	const char *usual; /* without it, for a reader; NULL: it says nothing */
	const char *help;  /* one sentence, without its stop */
	const char *choices;
	double low, high;
	/* Instead of a single value it can be a mapping of these. */
	const struct key *keys;
	unsigned in; /* where the key may be; 0: wherever its table is */
	bool needed;
	enum key_form form;
};

/* In `in` of the task: a kernel that is measured, or a command that reports scores. */
enum { IN_KERNEL = 1, IN_REPORTED = 2 };
/* Of build. */
enum {
	IN_C = 1,
	IN_CUDA = 2,
	IN_COMMAND = 4, /* of a task whose scores a command reports */
	IN_RUNNER = 8,
	IN_RUNNER_CUDA = 16,
};
/* Of a reference or a baseline. */
enum { IN_COMPILED = 1, IN_TORCH = 2 };

/* keys.c */
extern const struct key keys_task[], keys_sources[], keys_language[];
extern const struct key keys_hidden[], keys_range[], keys_metric[];
/* keys_code.c */
extern const struct key keys_reference[], keys_baseline[], keys_build[];
extern const struct key keys_forbidden[], keys_launcher[];
/* keys_rules.c */
extern const struct key keys_tolerance[], keys_limits[], keys_budget[];
extern const struct key keys_supervisor[], keys_islands[], keys_score[];
/* keys_arguments.c: the kinds of arguments, the members of a struct, and the keys
 * within a tensor. */
extern const struct key keys_tensor[], keys_returned[], keys_scalar[];
extern const struct key keys_struct[], keys_workspace[], keys_prepared[];
extern const struct key keys_member[], keys_pointer[];
extern const struct key keys_fill[], keys_own_tolerance[];
/* All kinds of arguments; NULL ends it. */
extern const struct key *const keys_arguments[];

/* Choices that the parser asks for by their place. */
#define WORDS_DTYPE \
	"f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 f8e4m3 f8e5m2"
#define WORDS_LANGUAGE	 "c cuda c++ python"
#define WORDS_DEVICE	 "cpu cuda"
#define WORDS_DIRECTION	 "in out inout"
#define WORDS_METRIC	 "latency throughput"
#define WORDS_CACHE	 "warm cold"
#define WORDS_CLASS	 "any replayed isolated"
#define WORDS_OPERATOR	 "tuner llm command replay"
#define WORDS_FLAGS	 "chosen fixed"
#define WORDS_BETTER	 "higher lower"
#define WORDS_SUITE	 "kernelbench"
#define WORDS_SANITIZERS "memcheck racecheck initcheck synccheck"
/* In the order of the enumerators, except the two between them that have no
 * name in a task file. */
#define WORDS_FILL                                                            \
	"mixed normal uniform large tiny small_ints sparse outliers shifted " \
	"by_row stray_rows"

#define MAX_HIDDEN    64
#define MAX_BASELINES 16
#define MAX_MEMBERS   32
#define MAX_SIZE      1e12 /* of a symbol */

/* The entry of a table; NULL if it has none of this name that may be there. */
const struct key *task_key(const struct key *table, unsigned in,
			   const char *name);

#endif
