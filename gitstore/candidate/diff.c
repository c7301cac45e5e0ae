/* What changed between two candidates, as text for a reader of bounded
 * patience. */
#include "gitstore/git/internal.h"
#include "gitstore/candidate/source_diff.h"

static void add_line(void *arg, enum diff_line kind UNUSED, const char *text,
		     size_t len)
{
	buf_add(arg, text, len);
}

struct error *candidate_diff(struct buf *text, struct gitstore *g,
			     const char *from, const char *to,
			     const struct strvec *patterns)
{
	struct source_diff *d = NULL;
	struct error *err;

	TRY(source_diff_commits(&d, g, from, to, patterns));
	err = source_diff_print(d, add_line, text);
	source_diff_free(d);
	return err;
}
