/* Reading the population: what was tried, and with what result. */
#include <inttypes.h>

#include "agent/tools/internal.h"
#include "core/run/outcome.h"

#define LINEAGE_ROWS	 40
#define LINEAGE_ROWS_MAX 500

/* ---- choosing an attempt ------------------------------------------------- */

static const struct attempt *by_number(const struct population *p,
				       const char *name)
{
	char *end;
	long long n = strtoll(name + (*name == '#'), &end, 10);

	if (*end || end == name + (*name == '#'))
		return NULL;
	for (size_t i = 0; i < p->n; i++)
		if (p->attempt[i].number == n)
			return &p->attempt[i];
	return NULL;
}

static const struct attempt *by_id(const struct population *p, const char *name)
{
	const struct attempt *found = NULL;

	if (strlen(name) < 6)
		return NULL;
	for (size_t i = 0; i < p->n; i++)
		if (starts_with(p->attempt[i].id.hex, name)) {
			if (found)
				return NULL;
			found = &p->attempt[i];
		}
	return found;
}

/* Finds an attempt by number ("12"), by commit id or its beginning, or by
 * "best", "parent" or "start". NULL after tool_fail. */
static const struct attempt *tool_attempt(struct tool_reply *out,
					  const struct toolbox *b,
					  const char *name)
{
	const struct population *p = b->v->population;
	const struct attempt *a;

	if (str_eq(name, "best"))
		return &p->attempt[p->champion];
	if (str_eq(name, "parent"))
		return population_find(p, variation_parent(b->v)->id.hex);
	if (str_eq(name, "start"))
		return &p->attempt[0];
	a = by_number(p, name);
	if (!a)
		a = by_id(p, name);
	if (!a)
		tool_fail(out,
			  "there is no attempt '%.60s': give a number from "
			  "lineage, a commit, or best, parent, start",
			  name);
	return a;
}

/* ---- lineage ------------------------------------------------------------- */

static void add_row(struct buf *out, const struct population *p,
		    const struct attempt *a)
{
	const struct attempt *parent = population_find(p, a->parent.hex);
	const struct measurement *m = a->measurement;
	char speed[32];

	attempt_speed(speed, sizeof speed, a);
	buf_addf(out, "#%-4" PRId64, a->number);
	if (parent)
		buf_addf(out, " on #%-4" PRId64, parent->number);
	else
		buf_adds(out, "         ");
	buf_addf(out, " %-13s %9s  %.120s", attempt_outcome_name(p, a), speed,
		 a->subject ? a->subject : "");
	if (m && m->why)
		buf_addf(out, ": %.200s", m->why);
	buf_addc(out, '\n');
}

static void add_lineages(struct buf *out, const struct variation *v)
{
	const struct population *p = v->population;

	for (size_t i = 0; i < p->n_lineages; i++) {
		const struct lineage *l = &p->lineage[i];

		buf_addf(out,
			 "lineage %" PRId64 "%s: tip #%" PRId64
			 ", %zu attempt%s, %zu since its last gain%s%s\n",
			 l->number,
			 l->number == v->lineage ? " (this one)" : "",
			 p->attempt[l->tip].number, l->attempts,
			 l->attempts == 1 ? "" : "s", l->since_gain,
			 l->reason ? ", begun because: " : "",
			 l->reason ? l->reason : "");
	}
}

TOOL_FUNCTION(tool_lineage)
{
	const struct population *p = b->v->population;
	int64_t left =
		tool_int(arguments, "count", LINEAGE_ROWS, 1, LINEAGE_ROWS_MAX);
	bool accepted = false;
	size_t shown = 0;

	json_get_bool(arguments, "accepted", &accepted);
	add_lineages(&out->text, b->v);
	if (b->v->direction)
		buf_addf(&out->text, "direction: %s\n", b->v->direction);
	buf_addf(&out->text,
		 "champion #%" PRId64
		 ", parent of what is scored next #%" PRId64 "\n",
		 p->attempt[p->champion].number,
		 variation_parent(b->v)->number);
	for (size_t i = p->n; i-- > 0 && left > 0;) {
		if (accepted && !p->attempt[i].accepted)
			continue;
		add_row(&out->text, p, &p->attempt[i]);
		left--;
		shown++;
	}
	buf_addf(&out->text, "(%zu of %zu attempts)\n", shown, p->n);
	return NULL;
}

/* ---- show, diff, restore ------------------------------------------------- */

static struct error *add_diff(struct tool_reply *out, struct toolbox *b,
			      const char *from, const char *to)
{
	struct archive *archive = b->v->archive;
	size_t before = out->text.len;

	if (!archive->diff) {
		buf_adds(&out->text, "(no differences are kept here)\n");
		return NULL;
	}
	TRY(archive->diff(archive, &out->text, from, to));
	if (out->text.len == before)
		buf_adds(&out->text, "the sources are the same\n");
	return NULL;
}

static struct error *show_file(struct tool_reply *out, struct toolbox *b,
			       const char *id, const char *path)
{
	struct archive *archive = b->v->archive;
	cleanup_candidate struct candidate c = {0};
	const struct file_entry *f;

	TRY(archive->load(archive, &c, id));
	f = fileset_get(&c.files, path);
	if (!f) {
		tool_fail(out, "it has no %.200s; it has", path);
		for (size_t i = 0; i < c.files.n; i++)
			buf_addf(&out->text, " %s", c.files.file[i].path);
		return NULL;
	}
	buf_add(&out->text, f->data, f->len);
	return NULL;
}

TOOL_FUNCTION(tool_show)
{
	const struct attempt *a =
		tool_attempt(out, b, tool_string(arguments, "attempt"));
	const char *path;

	if (!a)
		return NULL;
	if (json_get_string(arguments, "path", &path))
		return tool_mend(out, show_file(out, b, a->id.hex, path));
	figures_add(&out->text, b->v->population, a, b->v->archive);
	if (a->subject)
		buf_addf(&out->text, "subject: %s\n", a->subject);
	if (a->hypothesis)
		buf_addf(&out->text, "hypothesis: %s\n", a->hypothesis);
	if (!*a->parent.hex)
		return NULL;
	buf_adds(&out->text, "what it changed:\n");
	return tool_mend(out, add_diff(out, b, a->parent.hex, a->id.hex));
}

TOOL_FUNCTION(tool_diff)
{
	const struct attempt *from, *to;

	from = tool_attempt(out, b, tool_string(arguments, "from"));
	if (!from)
		return NULL;
	to = tool_attempt(out, b, tool_string(arguments, "to"));
	return to ? tool_mend(out, add_diff(out, b, from->id.hex, to->id.hex))
		  : NULL;
}

/* A link at the path is replaced by the file. */
static struct error *put_back(const char *dir, const struct file_entry *f)
{
	struct error *err =
		folder_write(dir, f->path, f->data, f->len, f->executable);

	if (!error_is(err, ERROR_REFUSED))
		return err;
	error_free(err);
	TRY(folder_remove(dir, f->path));
	return folder_write(dir, f->path, f->data, f->len, f->executable);
}

/* Changed files that are not sources stay: they are not part of a build. */
static struct error *restore(struct toolbox *b, const char *id, size_t *n)
{
	struct archive *archive = b->v->archive;
	cleanup_candidate struct candidate c = {0};
	cleanup_folder_list struct folder_list there = {0};

	TRY(archive->load(archive, &c, id));
	TRY(folder_list(&there, b->dir, ""));
	for (size_t i = 0; i < there.n; i++) {
		const char *path = there.item[i].path;

		if (tool_is_source(b, path) && !fileset_get(&c.files, path))
			TRY(folder_remove(b->dir, path));
	}
	*n = 0;
	for (size_t i = 0; i < c.files.n; i++) {
		const struct file_entry *f = &c.files.file[i];

		if (!tool_is_source(b, f->path))
			continue;
		TRY(put_back(b->dir, f));
		++*n;
	}
	return NULL;
}

TOOL_FUNCTION(tool_restore)
{
	const struct attempt *a =
		tool_attempt(out, b, tool_string(arguments, "attempt"));
	struct error *err;
	size_t n = 0;

	if (!a)
		return NULL;
	err = restore(b, a->id.hex, &n);
	if (err)
		return tool_mend(out, err);
	if (b->v->goes_on_from)
		b->v->goes_on_from(b->v, a->id.hex);
	buf_addf(&out->text,
		 "the workspace has the %zu source%s of #%" PRId64 " now\n", n,
		 n == 1 ? "" : "s", a->number);
	return NULL;
}
