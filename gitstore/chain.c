#include "gitstore/chain.h"

#include "gitstore/remove.h"

/* ---- one entry ----------------------------------------------------------- */

/* The JSON of an entry is the last line of its commit's message. */
static struct error *parse_entry(struct entry *out, const char *message,
				 size_t len)
{
	cleanup_json struct json *j = NULL;
	const char *end = message + len;
	const char *json = memmem(message, len, "\n\n", 2);

	if (!json)
		return error_new(ERROR_MALFORMED, "it has no content");
	json += 2;
	while (end > json && end[-1] == '\n')
		end--;
	TRY(json_parse(&j, json, (size_t)(end - json)));
	return journal_from_json(out, j);
}

/* The commit as it is: an object of libgit2's would be parsed whole, with
 * names and dates, which takes longer than reading it. */
static struct error *read_commit(git_odb_object **out, struct gitstore *g,
				 const git_oid *id)
{
	char hex[COMMIT_ID_LEN + 1];

	oid_hex(hex, id);
	TRY(git_check(git_odb_read(out, g->odb, id),
		      "cannot read journal entry %s", hex));
	if (git_odb_object_type(*out) == GIT_OBJECT_COMMIT)
		return NULL;
	return error_new(ERROR_MALFORMED, "journal entry %s is no commit", hex);
}

struct error *journal_entry(struct entry *out, struct gitstore *g,
			    const git_oid *id)
{
	cleanup_git_odb_object git_odb_object *o = NULL;
	const char *data, *message;
	char hex[COMMIT_ID_LEN + 1];
	size_t len;

	oid_hex(hex, id);
	TRY(read_commit(&o, g, id));
	data = git_odb_object_data(o);
	len = git_odb_object_size(o);
	message = memmem(data, len, "\n\n", 2);
	if (!message)
		return error_new(ERROR_MALFORMED,
				 "journal entry %s has no message", hex);
	message += 2;
	TRY(error_wrap(parse_entry(out, message,
				   len - (size_t)(message - data)),
		       "journal entry %s", hex));
	memcpy(out->id, hex, sizeof hex);
	return NULL;
}

/* ---- walking ------------------------------------------------------------- */

void chains_release(struct chains *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->chain[i].has_head)
			entry_release(&c->chain[i].head);
		free(c->chain[i].id);
	}
	free(c->chain);
	strvec_release(&c->refs);
	*c = (struct chains){.refs = STRVEC_INIT};
}

/* "KEY <hex>\n" at `at`; false where that is not what stands there. */
static bool header_id(git_oid *out, const char **at, const char *end,
		      const char *key)
{
	size_t len = strlen(key);

	if ((size_t)(end - *at) < len + GIT_OID_HEXSZ + 1 ||
	    memcmp(*at, key, len) != 0 ||
	    git_oid_fromstrn(out, *at + len, GIT_OID_HEXSZ) < 0)
		return false;
	*at += len + GIT_OID_HEXSZ + 1;
	return true;
}

/* Is it an entry (a commit on the empty tree), and what came before it? */
static struct error *look(bool *entry, bool *more, git_oid *before,
			  struct gitstore *g, const git_oid *id)
{
	cleanup_git_odb_object git_odb_object *o = NULL;
	const git_oid *empty;
	const char *at, *end;
	git_oid tree;

	TRY(empty_tree_id(&empty, g));
	TRY(read_commit(&o, g, id));
	at = git_odb_object_data(o);
	end = at + git_odb_object_size(o);
	*entry = header_id(&tree, &at, end, "tree ") &&
		 git_oid_equal(&tree, empty);
	*more = *entry && header_id(before, &at, end, "parent ");
	return NULL;
}

static struct error *walk_chain(struct chain *c, struct gitstore *g,
				const git_oid *stop, bool *lost)
{
	git_oid at = c->tip, before = {{0}};
	bool entry = true, more = true;

	while (more) {
		if (stop && git_oid_equal(&at, stop))
			return NULL;
		TRY(look(&entry, &more, &before, g, &at));
		if (!entry)
			break;
		GROW(c->id, c->n, c->cap);
		c->id[c->n++] = at;
		at = before;
	}
	*lost = *lost || stop;
	return NULL;
}

struct error *chains_open(struct chains *c, struct gitstore *g, const char *run)
{
	cleanup_free char *prefix = journal_ref(run, "");

	TRY(ref_names(&c->refs, g, prefix));
	c->chain = xcalloc(c->refs.n, sizeof *c->chain);
	for (size_t i = 0; i < c->refs.n; i++) {
		const char *writer = c->refs.v[i] + strlen(prefix);
		bool removed;

		/* It may have come back by a plain `git fetch`. */
		TRY(gitstore_is_removed(&removed, g, run, writer));
		if (removed)
			continue;
		c->chain[c->n].writer = writer;
		TRY(ref_read(&c->chain[c->n++].tip, g, c->refs.v[i]));
	}
	return NULL;
}

struct error *chains_walk(struct chains *c, struct gitstore *g,
			  struct chain_stop *stop)
{
	bool lost = false;

	for (size_t i = 0; i < c->n && !lost; i++) {
		struct chain *at = &c->chain[i];

		at->n = 0;
		/* It was removed between two looks. */
		if (git_oid_is_zero(&at->tip))
			continue;
		TRY(walk_chain(at, g,
			       stop ? stop->known(stop->arg, at->writer) : NULL,
			       &lost));
	}
	if (stop)
		stop->lost = lost;
	return NULL;
}

size_t chains_unread(const struct chains *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->chain[i].n + c->chain[i].has_head;
	return n;
}

/* ---- reading in order ---------------------------------------------------- */

static struct error *load_head(struct chain *c, struct gitstore *g)
{
	if (c->has_head || c->n == 0)
		return NULL;
	TRY(journal_entry(&c->head, g, &c->id[c->n - 1]));
	snprintf(c->head.writer, sizeof c->head.writer, "%s", c->writer);
	c->n--;
	c->has_head = true;
	return NULL;
}

static bool is_before(const struct entry *a, const struct entry *b)
{
	if (a->time_us != b->time_us)
		return a->time_us < b->time_us;
	return strcmp(a->id, b->id) < 0;
}

/* The chain with the oldest unread entry; NULL when all are read. A chain is
 * in order itself (journal_append sees to it), so merging is sorting. */
static struct error *next_chain(struct chain **out, struct chains *c,
				struct gitstore *g)
{
	struct chain *best = NULL;

	for (size_t i = 0; i < c->n; i++) {
		struct chain *at = &c->chain[i];

		TRY(load_head(at, g));
		if (at->has_head &&
		    (!best || is_before(&at->head, &best->head)))
			best = at;
	}
	*out = best;
	return NULL;
}

struct error *chains_oldest(const struct entry **out, struct chains *c,
			    struct gitstore *g)
{
	struct chain *next;

	TRY(next_chain(&next, c, g));
	*out = next ? &next->head : NULL;
	return NULL;
}

struct error *chains_each(struct chains *c, struct gitstore *g, journal_fn each,
			  void *arg)
{
	struct chain *next;

	for (;;) {
		struct error *err;

		TRY(next_chain(&next, c, g));
		if (!next)
			return NULL;
		err = each(arg, &next->head);
		entry_release(&next->head);
		next->has_head = false;
		TRY(err);
	}
}
