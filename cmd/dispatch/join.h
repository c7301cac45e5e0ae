/* The text of several points as one, and the function that takes one of them. */
#ifndef CMD_DISPATCH_JOIN_H
#define CMD_DISPATCH_JOIN_H

#include "cmd/dispatch/scan.h"
#include "cmd/dispatch/split.h"
#include "core/base/buf.h"

struct join_point {
	const char *text;  /* without the tuner's marks */
	const char *label; /* one line, for a comment */
	struct scanned scanned;
};

struct join {
	const char *entry;
	bool is_cxx;
	const struct join_point *point;
	size_t n;
	const struct split *tree;
	/* The names, in the last point's text, of the values of the tree. */
	const struct strvec *value_names;
};

/* The names of the entry's parameters; false: one has none that is found. */
bool join_parameters(struct strvec *names, const struct scanned *s) MUST_CHECK;
/* Includes stand before all points, and a guarded header is read once, as the
 * macros of the first point have it: do these two ask for headers of the project
 * alike? */
bool join_includes_agree(const struct scanned *a,
			 const struct scanned *b) MUST_CHECK;
/* Adds the source. `parameters` are those of the last point. */
void join_write(struct buf *out, const struct join *j,
		const struct strvec *parameters);

#endif
