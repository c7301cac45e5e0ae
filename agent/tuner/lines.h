/* What reading, rewriting and locating tunables share. */
#ifndef AGENT_TUNER_LINES_H
#define AGENT_TUNER_LINES_H

#include "agent/tuner/tunables.h"

#define DECLARATION_MAX_LINE 4096

/* Where a declaration stands, for messages. */
struct source_line {
	const char *path;
	size_t line;
};

/* Sets *index to the value's; n_values if the tunable has not got it. */
bool tunable_has_value(const struct tunable *t, const char *value,
		       size_t *index);
/* Length of the line at `begin`; a NUL does not end it. */
size_t declaration_line_length(const struct file_entry *f, size_t begin);
/* Joins the words of an alternative by single blanks. free() disposes. */
char *declaration_flags(const char *text, size_t len) MUST_CHECK;
/* Splits the text of a set: the flags before the bar are in force. */
struct error *declaration_split_set(struct strvec *on, struct strvec *all,
				    const struct source_line *at,
				    const char *text) MUST_CHECK;

#endif
