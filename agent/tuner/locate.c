#include <ctype.h>

#include "agent/tuner/declaration.h"
#include "agent/tuner/lines.h"
#include "agent/tuner/tunables.h"
#include "core/base/buf.h"

/* ---- the same tunables in other sources ----------------------------------- */

/* The line of the file that defines `t`: the one with a mark, else the first.
 * 0: none does. */
static size_t defining_line(const struct tunable *t, const struct file_entry *f)
{
	size_t number = 0, found = 0;

	for (size_t i = 0; i < f->len;) {
		size_t len = declaration_line_length(f, i);
		cleanup_free char *line =
			xstrndup(f->data + i, MIN(len, DECLARATION_MAX_LINE));
		const char *comment, *mark = declaration_mark(line, &comment);
		bool is_marked = mark && starts_with(mark, DEFINE_MARK);
		struct define d;

		number++;
		i += len + 1;
		if (!declaration_define(&d, line) ||
		    d.name_len != strlen(t->name) ||
		    memcmp(d.name, t->name, d.name_len) != 0)
			continue;
		if (is_marked)
			return number;
		if (!found)
			found = number;
	}
	return found;
}

/* What is left of a line without declarations, and the values that it has in
 * force. Its value of each tunable is cut out. */
struct rest {
	const struct tunables *space;
	const struct file_entry *file;
	size_t line[TUNABLES_MAX]; /* that defines each in this file; or 0 */
	size_t *point;
	bool has[TUNABLES_MAX];
	struct buf *out;
};

static bool take_value(struct rest *r, size_t tunable, const char *text,
		       size_t len)
{
	cleanup_free char *value = declaration_flags(text, len);

	r->has[tunable] = tunable_has_value(&r->space->tunable[tunable], value,
					    &r->point[tunable]);
	return r->has[tunable];
}

/* Index of the tunable that this line defines; space->n: none. */
static size_t defined_by(const struct rest *r, size_t number)
{
	size_t i = 0;

	while (i < r->space->n && r->line[i] != number)
		i++;
	return i;
}

static size_t flags_of(const struct tunables *space)
{
	size_t i = 0;

	while (i < space->n && !space->tunable[i].is_flags)
		i++;
	return i;
}

/* Adds the line up to `end`; nothing if that is blank. */
static void keep_line(struct rest *r, const char *line, const char *end)
{
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	if (end == line)
		return;
	buf_add(r->out, line, (size_t)(end - line));
	buf_addc(r->out, '\n');
}

static bool rest_of_define(struct rest *r, size_t tunable, const char *line,
			   const char *end)
{
	struct define d;

	if (!declaration_define(&d, line) ||
	    !take_value(r, tunable, d.value, d.value_len))
		return false;
	buf_add(r->out, line, (size_t)(d.value - line));
	keep_line(r, d.value + d.value_len, end);
	return true;
}

/* The flags of the space's set that the line has, and no others. */
static bool take_set(struct rest *r, const char *text)
{
	cleanup_strvec struct strvec on = STRVEC_INIT, all = STRVEC_INIT;
	const struct source_line at = {r->file->path, 0};
	cleanup_error struct error *err =
		declaration_split_set(&on, &all, &at, text);
	size_t members = 0;

	for (size_t i = 0; !err && i < r->space->n; i++) {
		const struct tunable *t = &r->space->tunable[i];

		if (!t->is_member || !strvec_has(&all, t->name))
			continue;
		r->has[i] = true;
		r->point[i] = strvec_has(&on, t->name);
		members++;
	}
	return !err && members == all.n;
}

static bool has_set(const struct tunables *space)
{
	for (size_t i = 0; i < space->n; i++)
		if (space->tunable[i].is_member)
			return true;
	return false;
}

/* False: it has a value that the space has not. */
static bool rest_of_line(struct rest *r, const char *line, size_t number)
{
	const char *end = line + strlen(line), *comment;
	const char *mark = declaration_mark(line, &comment);
	size_t tunable = defined_by(r, number);
	size_t flags = flags_of(r->space);

	if (mark && starts_with(mark, FLAGS_MARK) && flags < r->space->n) {
		const char *first = mark + strlen(FLAGS_MARK);

		if (!take_value(r, flags, first, strcspn(first, "|")))
			return false;
		end = comment;
	} else if (mark && starts_with(mark, SET_MARK) && has_set(r->space)) {
		if (!take_set(r, mark + strlen(SET_MARK)))
			return false;
		end = comment;
	} else if (mark && (starts_with(mark, DEFINE_MARK) ||
			    starts_with(mark, REQUIRE_MARK))) {
		end = comment;
	}
	if (tunable < r->space->n)
		return rest_of_define(r, tunable, line, end);
	keep_line(r, line, end);
	return true;
}

static struct error *rest_of_file(struct fileset *out, bool *has,
				  struct rest *r)
{
	const struct file_entry *f = r->file;
	size_t number = 0;

	for (size_t i = 0; i < r->space->n; i++) {
		const struct tunable *t = &r->space->tunable[i];

		r->line[i] = !t->is_flags && !t->is_member &&
					     str_eq(t->path, f->path)
				     ? defining_line(t, f)
				     : 0;
	}
	buf_clear(r->out);
	for (size_t i = 0; i < f->len && *has;) {
		size_t len = declaration_line_length(f, i);
		cleanup_free char *line = xstrndup(f->data + i, len);

		*has = strlen(line) == len && rest_of_line(r, line, ++number);
		i += len + 1;
	}
	/* held: `out` has other files than r->file */
	return fileset_put(out, f->path, r->out->data, r->out->len,
			   f->executable);
}

struct error *tunables_locate(bool *has, size_t *point,
			      char rest[FILESET_ID_LEN + 1],
			      const struct tunables *space,
			      const struct fileset *sources)
{
	cleanup_buf struct buf out = BUF_INIT(FILESET_MAX_BYTES);
	cleanup_fileset struct fileset left = FILESET_INIT;
	struct rest r = {.space = space, .point = point, .out = &out};

	*has = true;
	for (size_t i = 0; i < sources->n && *has; i++) {
		r.file = &sources->file[i];
		TRY(rest_of_file(&left, has, &r));
	}
	for (size_t i = 0; i < space->n; i++)
		*has = *has && r.has[i];
	fileset_id(rest, &left);
	return NULL;
}
