#include "gitstore/journal/chain.h"

#include "gitstore/journal/journal.h"
#include "gitstore/journal/restore.h"

/* ---- one entry ----------------------------------------------------------- */

static struct error *read_entry(struct entry *out, const struct json *j,
				const char *hex)
{
	TRY(error_wrap(journal_from_json(out, j), "journal entry %s", hex));
	out->id = commit_id(hex);
	return NULL;
}

static struct error *parse_entry(struct entry *out, const char *json,
				 size_t len, const char *hex)
{
	cleanup_json struct json *j = NULL;

	TRY(error_wrap(json_parse(&j, json, len), "journal entry %s", hex));
	return read_entry(out, j, hex);
}

/* The JSON of an entry: the last line of its commit's message, after an empty
 * line; NULL if there is none. */
static const char *find_json(size_t *len, git_odb_object *o)
{
	const char *data = git_odb_object_data(o);
	const char *end = data + git_odb_object_size(o);
	const char *at = data;

	for (int i = 0; i < 2; i++) {
		at = memmem(at, (size_t)(end - at), "\n\n", 2);
		if (!at)
			return NULL;
		at += 2;
	}
	while (end > at && end[-1] == '\n')
		end--;
	*len = (size_t)(end - at);
	return at;
}

/* An entry of another clone is read only after its size is known: one of
 * hundreds of megabytes takes only a few hundred kilobytes to send. */
static struct error *check_size(struct gitstore *g, const git_oid *id)
{
	struct commit_id hex;
	git_object_t type;
	size_t size;

	hex = oid_hex(id);
	TRY(git_check(git_odb_read_header(&size, &type, g->odb, id),
		      "cannot read journal entry %s", hex.hex));
	if (size <= JOURNAL_ENTRY_MAX)
		return NULL;
	return error_new(ERROR_MALFORMED,
			 "journal entry %s has %zu bytes, more than the %zu "
			 "that an entry can have",
			 hex.hex, size, JOURNAL_ENTRY_MAX);
}

/* Reads the raw commit: libgit2 would parse it completely, with names and
 * dates, which takes longer than reading it. */
static struct error *read_commit(git_odb_object **out, struct gitstore *g,
				 const git_oid *id)
{
	struct commit_id hex;

	hex = oid_hex(id);
	TRY(git_check(git_odb_read(out, g->odb, id),
		      "cannot read journal entry %s", hex.hex));
	if (git_odb_object_type(*out) == GIT_OBJECT_COMMIT)
		return NULL;
	return error_new(ERROR_MALFORMED, "journal entry %s is not a commit",
			 hex.hex);
}

struct error *journal_entry(struct entry *out, struct gitstore *g,
			    const git_oid *id)
{
	cleanup_git_odb_object git_odb_object *o = NULL;
	struct commit_id hex;
	const char *json;
	size_t len;

	hex = oid_hex(id);
	TRY(check_size(g, id));
	TRY(read_commit(&o, g, id));
	json = find_json(&len, o);
	if (!json)
		return error_new(ERROR_MALFORMED,
				 "journal entry %s has no content", hex.hex);
	return parse_entry(out, json, len, hex.hex);
}

/* ---- walking ------------------------------------------------------------- */

static void forget_unread(struct chain *c)
{
	if (c->has_head)
		entry_release(&c->head);
	c->has_head = false;
	pile_release(&c->unread);
}

void chains_release(struct chains *c)
{
	for (size_t i = 0; i < c->n; i++)
		forget_unread(&c->chain[i]);
	free(c->chain);
	strvec_release(&c->refs);
	*c = (struct chains){.refs = STRVEC_INIT};
}

/* Parses "KEY <hex>\n" at `at`; false if something else is there. */
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

/* Is it an entry (a commit on the empty tree), and which one came before it? */
static struct error *classify(bool *entry, bool *more, git_oid *before,
			      struct gitstore *g, git_odb_object *o)
{
	const char *at = git_odb_object_data(o);
	const char *end = at + git_odb_object_size(o);
	const git_oid *empty;
	git_oid tree;

	TRY(empty_tree_id(&empty, g));
	*entry = header_id(&tree, &at, end, "tree ") &&
		 git_oid_equal(&tree, empty);
	*more = *entry && header_id(before, &at, end, "parent ");
	return NULL;
}

/* An entry that cannot be skimmed is opened again later and read completely,
 * which gives the reason. */
static void put_unread(struct chain *c, const git_oid *id, git_odb_object *o,
		       struct buf *skimmed)
{
	const char *json = NULL;
	size_t len;

	if (skimmed)
		json = find_json(&len, o);
	if (json) {
		buf_clear(skimmed);
		json = journal_skim(skimmed, json, len) ? skimmed->data : NULL;
	}
	pile_put(&c->unread, id, json, json ? skimmed->len : 0);
}

/* The time of a commit in its header, 0 if there is none. Whoever wrote the
 * commit chose it, so it only decides what is read next. */
static int64_t commit_time(git_odb_object *o)
{
	static const char key[] = "\ncommitter ";
	const char *at = git_odb_object_data(o);
	const char *end = at + git_odb_object_size(o);

	at = memmem(at, (size_t)(end - at), key, sizeof key - 1);
	end = at ? memchr(at + 1, '\n', (size_t)(end - at) - 1) : NULL;
	at = end ? memrchr(at, '>', (size_t)(end - at)) : NULL;
	/* A number ends at the end of its line at the latest. */
	return at ? strtoll(at + 1, NULL, 10) : 0;
}

/* Where in its chain a walk is. */
struct chain_walk {
	struct chain *chain;
	git_oid at;   /* to be read next */
	git_oid stop; /* if has_stop */
	int64_t time; /* of the commit after it in the chain */
	bool has_stop, own, going;
};

/* Reads one entry. `skimmed`: room for its text; NULL if texts are not kept. */
static struct error *walk_step(struct chain_walk *w, struct gitstore *g,
			       bool *lost, struct buf *skimmed)
{
	cleanup_git_odb_object git_odb_object *o = NULL;
	git_oid before;
	bool entry = false;

	w->going = false;
	if (w->has_stop && git_oid_equal(&w->at, &w->stop))
		return NULL;
	if (!w->own)
		TRY(check_size(g, &w->at));
	TRY(read_commit(&o, g, &w->at));
	TRY(classify(&entry, &w->going, &before, g, o));
	if (entry)
		put_unread(w->chain, &w->at, o, skimmed);
	if (w->going) {
		w->at = before;
		w->time = commit_time(o);
	}
	*lost = *lost || (!w->going && w->has_stop);
	return NULL;
}

/* The walk that is at the newest commit; NULL if all have ended. */
static struct chain_walk *newest(struct chain_walk *walk, size_t n)
{
	struct chain_walk *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (walk[i].going && (!best || walk[i].time > best->time))
			best = &walk[i];
	return best;
}

struct error *chains_open(struct chains *c, struct gitstore *g, const char *run)
{
	cleanup_free char *prefix = journal_ref(run, "");

	TRY(ref_names(&c->refs, g, prefix));
	c->chain = xcalloc(c->refs.n, sizeof *c->chain);
	for (size_t i = 0; i < c->refs.n; i++) {
		const char *writer = c->refs.v[i] + strlen(prefix);
		bool removed;

		/* A plain `git fetch` may have brought it back. */
		TRY(gitstore_is_removed(&removed, g, run, writer));
		if (removed)
			continue;
		c->chain[c->n].writer = writer;
		TRY(ref_read(&c->chain[c->n++].tip, g, c->refs.v[i]));
	}
	return NULL;
}

static void walk_begin(struct chain_walk *w, struct chain *c,
		       struct gitstore *g, const struct chain_stop *stop)
{
	const git_oid *known = stop ? stop->known(stop->arg, c->writer) : NULL;

	*w = (struct chain_walk){
		.chain = c,
		.at = c->tip,
		.time = INT64_MAX,
		.has_stop = known,
		.own = gitstore_is_writer(g, c->writer),
		/* Or it was removed between the two reads. */
		.going = !git_oid_is_zero(&c->tip),
	};
	if (known)
		w->stop = *known;
}

/* By turns, the newest entry first: git packs them in this order, each as a
 * difference from one of about its time. Chain after chain, what an entry
 * differs from would be made again and again. */
static struct error *walk_all(struct chains *c, struct gitstore *g,
			      struct chain_stop *stop, bool *lost)
{
	cleanup_buf struct buf skimmed = BUF_INIT(SIZE_MAX / 2);
	cleanup_free struct chain_walk *walk = xcalloc(c->n, sizeof *walk);
	struct chain_walk *next;

	for (size_t i = 0; i < c->n; i++)
		walk_begin(&walk[i], &c->chain[i], g, stop);
	while (!*lost && (next = newest(walk, c->n)))
		TRY(walk_step(next, g, lost, c->brief ? &skimmed : NULL));
	return NULL;
}

struct error *chains_walk(struct chains *c, struct gitstore *g,
			  struct chain_stop *stop)
{
	struct error *err;
	bool lost = false;

	for (size_t i = 0; i < c->n; i++)
		forget_unread(&c->chain[i]);
	odb_walk_begin();
	err = walk_all(c, g, stop, &lost);
	odb_walk_end();
	if (stop)
		stop->lost = lost;
	return err;
}

size_t chains_unread(const struct chains *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->chain[i].unread.n + c->chain[i].has_head;
	return n;
}

/* ---- reading in order ---------------------------------------------------- */

/* What was skimmed was checked then. */
static struct error *read_skimmed(struct entry *out, const git_oid *id,
				  const char *json, size_t len)
{
	const struct json_text skimmed = {json, len};
	cleanup_json struct json *j = NULL;
	struct commit_id hex;

	hex = oid_hex(id);
	TRY(error_wrap(json_parse_checked(&j, skimmed), "journal entry %s",
		       hex.hex));
	TRY(read_entry(out, j, hex.hex));
	if (out->measurement)
		out->measurement->brief = true;
	return NULL;
}

static struct error *load_head(struct chain *c, struct gitstore *g)
{
	const char *json;
	git_oid id;
	size_t len;

	if (c->has_head || !pile_take(&id, &json, &len, &c->unread))
		return NULL;
	if (json)
		TRY(read_skimmed(&c->head, &id, json, len));
	else
		TRY(journal_entry(&c->head, g, &id));
	snprintf(c->head.writer, sizeof c->head.writer, "%s", c->writer);
	c->has_head = true;
	return NULL;
}

static bool is_before(const struct entry *a, const struct entry *b)
{
	if (a->time_us != b->time_us)
		return a->time_us < b->time_us;
	return strcmp(a->id.hex, b->id.hex) < 0;
}

/* The chain with the oldest unread entry; NULL when all are read. Each chain is
 * ordered (journal_append ensures that), so merging them sorts. */
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
