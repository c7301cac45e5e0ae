/*
 * The lines of a source that declare tunables, one line at a time; tunables.h
 * has their syntax.
 */
#ifndef AGENT_TUNER_DECLARATION_H
#define AGENT_TUNER_DECLARATION_H

#include "core/base/base.h"

#define DEFINE_MARK  "avogit:"
#define FLAGS_MARK   "avogit-flags:"
#define SET_MARK     "avogit-flag-set:"
#define REQUIRE_MARK "avogit-require:"

/* Place of name and value of "#define NAME VALUE" or "NAME = VALUE" in a
 * line. */
struct define {
	const char *name, *value;
	size_t name_len, value_len;
	bool is_assigned;
};

/* The first "avogit" that is the first word of a comment, after one blank;
 * *comment is where the comment begins. NULL: none is. */
const char *declaration_mark(const char *line, const char **comment);
bool declaration_define(struct define *d, const char *line);
/* What a value would hold so that it could not be found again; NULL: nothing. */
const char *declaration_odd_value(const struct define *d, const char *value);
/* Does the line look like a faulty declaration, in any case of letters?
 * "//avogit: 1 2", "// avogit 1 2", "// avogit-flag: -O2"; not prose. */
bool declaration_looks_like_one(const char *line);

#endif
