#include "gitstore/sync/noted.h"

/* A commit, and how a line of its note begins. */
struct noted_line {
	git_oid commit;
	char measurement[MEASUREMENT_ID_LEN + 1];
};

void noted_release(struct noted *l)
{
	free(l->line);
	*l = (struct noted){.n = 0};
}

/* The bytes after its end are zero, so that two lines can be compared as a
 * whole. */
static void fill(struct noted_line *line, const git_oid *commit,
		 const char *measurement, size_t len)
{
	*line = (struct noted_line){.commit = *commit};
	memcpy(line->measurement, measurement, len);
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct noted_line));
}

/* Lines of one measurement are adjacent. */
static void add_line(struct noted *l, const git_oid *commit,
		     const char *measurement, size_t len)
{
	struct noted_line line;

	if (!len || len > MEASUREMENT_ID_LEN)
		return;
	fill(&line, commit, measurement, len);
	if (l->n && compare(&l->line[l->n - 1], &line) == 0)
		return;
	GROW(l->line, l->n, l->cap);
	l->line[l->n++] = line;
}

static struct error *add_note(struct noted *l, struct gitstore *g,
			      const git_oid *blob, const char *hex)
{
	cleanup_free char *what = xasprintf("the note of %s", hex);
	cleanup_buf struct buf text = BUF_INIT((size_t)4 << 20);
	git_oid commit;

	/* Other names in the tree are not notes. */
	if (strlen(hex) != COMMIT_ID_LEN || git_oid_fromstr(&commit, hex) < 0)
		return NULL;
	TRY(blob_read(&text, g, blob, what));
	for (const char *at = text.data; *at;) {
		add_line(l, &commit, at, strcspn(at, " \n"));
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return NULL;
}

/* `path`: the digits of the commits' ids in the names of the folders above. */
static struct error *add_below(struct noted *l, struct gitstore *g,
			       const git_oid *tree, const char *path)
{
	cleanup_git_tree git_tree *t = NULL;

	if (strlen(path) > COMMIT_ID_LEN)
		return NULL;
	TRY(git_check(git_tree_lookup(&t, g->repo, tree),
		      "cannot read the notes"));
	for (size_t i = 0; i < git_tree_entrycount(t); i++) {
		const git_tree_entry *e = git_tree_entry_byindex(t, i);
		const git_oid *id = git_tree_entry_id(e);
		cleanup_free char *below =
			xasprintf("%s%s", path, git_tree_entry_name(e));

		if (git_tree_entry_type(e) == GIT_OBJECT_TREE)
			TRY(add_below(l, g, id, below));
		else if (git_tree_entry_type(e) == GIT_OBJECT_BLOB)
			TRY(add_note(l, g, id, below));
	}
	return NULL;
}

struct error *noted_read(struct noted *out, struct gitstore *g,
			 const git_oid *tree)
{
	cleanup_noted struct noted l = {.n = 0};
	struct error *err;

	if (git_oid_is_zero(tree))
		return NULL;
	odb_walk_begin();
	err = add_below(&l, g, tree, "");
	odb_walk_end();
	TRY(err);
	if (l.n)
		qsort(l.line, l.n, sizeof *l.line, compare);
	*out = l;
	l = (struct noted){.n = 0};
	return NULL;
}

bool noted_have(const struct noted *l, const char *commit,
		const char *measurement)
{
	size_t len = strlen(measurement);
	struct noted_line line;
	git_oid id;

	if (!l->n || !len || len > MEASUREMENT_ID_LEN ||
	    git_oid_fromstr(&id, commit) < 0)
		return false;
	fill(&line, &id, measurement, len);
	return bsearch(&line, l->line, l->n, sizeof line, compare);
}
