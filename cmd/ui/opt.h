/*
 * Options as a table, which both the parser and `--help` use. The type of the
 * member that an entry fills decides the kind of the option:
 *
 *     bool           a flag                        --again
 *     const char *   a string, borrowed from argv  --run NAME, --run=NAME
 *     int64_t        a whole number, at least 1    -n 5, -n5
 *     uint64_t       any whole number              --seed 7
 *     double         a span of time, in seconds    --time 1h30m
 *
 * Options and operands may be mixed; "--" ends the options.
 */
#ifndef CMD_UI_OPT_H
#define CMD_UI_OPT_H

#include "core/base/buf.h"
#include "core/base/strvec.h"

enum opt_kind { OPT_FLAG, OPT_STRING, OPT_COUNT, OPT_NUMBER, OPT_SPAN };

struct opt {
	const char *name; /* without the dashes; NULL ends a table */
	char letter;	  /* 'n' for -n; 0: none */
	enum opt_kind kind;
	const char *value; /* its name in the help; NULL for a flag */
	const char *help;
	size_t offset; /* of the member in the command's struct */
	/* What the value can be, for completion: words with spaces between
	 * them, "@run" among them for a name; NULL: see cmd/complete.c. */
	const char *words;
};

#define OPT_KIND_OF(member) \
	_Generic((member),          \
		bool: OPT_FLAG,     \
		const char *: OPT_STRING, \
		int64_t: OPT_COUNT, \
		uint64_t: OPT_NUMBER, \
		double: OPT_SPAN)
#define OPT(type, member, name_, letter_, value_, help_)     \
	{                                                    \
		.name = (name_), .letter = (letter_),        \
		.kind = OPT_KIND_OF(((type *)NULL)->member), \
		.value = (value_), .help = (help_),          \
		.offset = offsetof(type, member)             \
	}
/* With the words that its value can be. */
#define OPT_WORDS(type, member, name_, letter_, value_, words_, help_) \
	{                                                              \
		.name = (name_), .letter = (letter_),                  \
		.kind = OPT_KIND_OF(((type *)NULL)->member),           \
		.value = (value_), .help = (help_),                    \
		.offset = offsetof(type, member), .words = (words_)    \
	}
#define OPT_END              \
	{                    \
		.name = NULL \
	}

/* Every error is ERROR_USAGE in one sentence; an unknown option gets the
 * nearest known name. The strings in *into are borrowed from argv. */
struct error *opt_parse(void *into, struct strvec *operands,
			const struct opt *table, char **argv) MUST_CHECK;
/* Is -h or --help among the options, and not the value of another option? */
bool opt_asks_for_help(const struct opt *table, char **argv);
/* Adds one aligned line per option. */
void opt_help(struct buf *out, const struct opt *table);
/* The name in `names` (NULL-terminated) that is most similar to `word`; NULL if
 * none is near. Borrowed. */
const char *opt_nearest(const char *word, const char *const *names);

#endif
