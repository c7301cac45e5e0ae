/* Blobs and commits. A write is tried again if `git gc` removed the object's
 * folder at the same moment. */
#include <git2/sys/odb_backend.h>
#include <time.h>

#include "core/base/hash.h"
#include "gitstore/git/internal.h"
#include "gitstore/git/loose.h"

#define COMMIT_MAX ((size_t)65 << 20)

struct commit_id oid_hex(const git_oid *id)
{
	struct commit_id out;

	git_oid_tostr(out.hex, sizeof out.hex, id);
	return out;
}

struct error *oid_parse(git_oid *out, const char *hex)
{
	if (strlen(hex) == COMMIT_ID_LEN && git_oid_fromstr(out, hex) == 0)
		return NULL;
	return error_new(ERROR_INTERNAL, "'%s' is not the id of a commit", hex);
}

/* As in libgit2: objects up to this size are kept. */
#define CACHED_MAX ((size_t)4096)

static void keep_up_to(size_t size)
{
	git_libgit2_opts(GIT_OPT_SET_CACHE_OBJECT_LIMIT, GIT_OBJECT_COMMIT,
			 size);
	git_libgit2_opts(GIT_OPT_SET_CACHE_OBJECT_LIMIT, GIT_OBJECT_TREE, size);
}

void odb_walk_begin(void)
{
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	keep_up_to(0);
}

void odb_walk_end(void)
{
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 1);
	keep_up_to(CACHED_MAX);
}

/* ---- blobs -------------------------------------------------------------- */

/* The name of the remote that promised the missing objects. */
static const char *promisor(struct gitstore *g)
{
	const char *name = config_get(g, "extensions.partialclone");

	return name && *name && !strpbrk(name, " '\"\\`$;&|<>()\n") ? name
								    : "origin";
}

/* Names all at once: what the commit needs, and what the runs and the notes
 * need. git itself would fetch missing objects in the same way, one by one. */
static struct error *say_promised(struct gitstore *g, const char *path)
{
	return error_new(
		ERROR_REPO,
		"%s is missing in this partial clone, and avogit does not "
		"fetch: `export GIT_DIR='%s'; { git rev-list --objects "
		"--missing=print --no-walk --all; git rev-list --objects "
		"--missing=print --glob='refs/avogit/*' --not HEAD; } | sed -n "
		"'s/^?//p' | sort -u | git -c fetch.negotiationAlgorithm=noop "
		"fetch -q --no-tags --no-write-fetch-head --filter=blob:none "
		"--stdin %s; unset GIT_DIR` does, for all that avogit looks "
		"at",
		path, g->git_dir, promisor(g));
}

/* In a partial clone git itself would fetch what is missing, with programs that
 * the repository's own config may name. Only the user may start that. */
static struct error *is_promised(struct gitstore *g, const char *path)
{
	if (!config_get(g, "extensions.partialclone") &&
	    !config_says(g, "remote.", ".promisor"))
		return NULL;
	return say_promised(g, path);
}

struct error *blob_read_from(struct buf *out, git_odb *odb, const git_oid *id,
			     const char *path)
{
	cleanup_git_odb_object git_odb_object *object = NULL;
	int rc = git_odb_read(&object, odb, id);

	TRY(git_check(rc, "cannot read %s", path));
	buf_clear(out);
	buf_add(out, git_odb_object_data(object), git_odb_object_size(object));
	if (out->truncated)
		return error_new(ERROR_TOO_BIG,
				 "%s has %zu bytes, more than the %zu that are "
				 "allowed",
				 path, git_odb_object_size(object), out->limit);
	return NULL;
}

struct error *blob_read(struct buf *out, struct gitstore *g, const git_oid *id,
			const char *path)
{
	cleanup_error struct error *err = blob_read_from(out, g->odb, id, path);

	if (error_is(err, ERROR_NOT_FOUND))
		TRY(is_promised(g, path));
	return steal(&err);
}

/* Loose objects first: one that was just written is not yet in a pack. */
bool object_is_there(struct gitstore *g, const git_oid *id)
{
	return (g->loose && g->loose->exists(g->loose, id)) ||
	       git_odb_exists(g->odb, id);
}

struct error *object_check(struct gitstore *g, const git_oid *id)
{
	struct commit_id hex;

	if (object_is_there(g, id))
		return NULL;
	hex = oid_hex(id);
	return error_new(ERROR_REPO,
			 "object %s is missing in the repository (`git gc "
			 "--prune=now` or `git prune` took it meanwhile): do "
			 "it again",
			 hex.hex);
}

struct error *object_written(int rc, struct gitstore *g, const git_oid *id,
			     const char *what)
{
	TRY(git_check(rc, "%s", what));
	if (object_is_there(g, id))
		return NULL;
	return error_new(ERROR_REPO,
			 "%s: there is no space left on its disk (free some, "
			 "then start again: what was recorded is whole)",
			 what);
}

/* The only backend that writes; NULL if there are several, because those of
 * alternates must not be written to. */
git_odb_backend *loose_backend(git_odb *odb)
{
	git_odb_backend *found = NULL, *b;
	size_t n = 0;

	for (size_t i = 0; i < git_odb_num_backends(odb); i++)
		if (git_odb_get_backend(&b, odb, i) == 0 && b->write) {
			found = b;
			n++;
		}
	return n == 1 ? found : NULL;
}

/* libgit2 looks for collisions as it hashes, which takes three times as long. A
 * tree that is written here has ids that were hashed so, and names made of ids:
 * nobody can choose its bytes. */
static int hash_object(git_oid *out, const void *data, size_t len,
		       git_object_t type)
{
	char hex[HASH_HEX_LEN + 1], header[32];
	struct hash *h;

	if (type != GIT_OBJECT_TREE)
		return git_odb_hash(out, data, len, type);
	snprintf(header, sizeof header, "tree %zu", len);
	h = hash_new_sha1();
	hash_adds(h, header);
	hash_add(h, data, len);
	hash_finish(hex, h);
	return git_oid_fromstr(out, hex);
}

/* The object's id is *out. With alternates, libgit2 does it: see loose_backend. */
static int write_object(git_oid *out, struct gitstore *g, const void *data,
			size_t len, git_object_t type)
{
	if (!g->loose)
		return git_odb_write(out, g->odb, data, len, type);
	if (loose_is_stored(len, type))
		return loose_write(g->repo, out, data, len, type);
	return g->loose->write(g->loose, out, data, len, type);
}

/* git_odb_write first searches for the object: in every pack, among the loose
 * ones, and then, after a check for new packs, in all of them again. */
struct error *object_write(git_oid *out, struct gitstore *g, const void *data,
			   size_t len, git_object_t type, const char *what)
{
	unsigned tries = 0;
	int rc;

	TRY(git_check(hash_object(out, data, len, type), "%s", what));
	do {
		rc = write_object(out, g, data, len, type);
	} while (git_transient(rc, &tries));
	return object_written(rc, g, out, what);
}

struct error *blob_write(git_oid *out, struct gitstore *g, const void *data,
			 size_t len)
{
	return object_write(out, g, data, len, GIT_OBJECT_BLOB,
			    "cannot write to the repository");
}

/* ---- commits ------------------------------------------------------------ */

struct error *empty_tree_id(const git_oid **out, struct gitstore *g)
{
	if (git_oid_is_zero(&g->empty_tree))
		TRY(git_check(git_odb_hash(&g->empty_tree, "", 0,
					   GIT_OBJECT_TREE),
			      "cannot hash the empty tree"));
	*out = &g->empty_tree;
	return NULL;
}

struct error *empty_tree(const git_oid **out, struct gitstore *g)
{
	git_oid id;

	TRY(empty_tree_id(out, g));
	if (object_is_there(g, *out))
		return NULL;
	return object_write(&id, g, "", 0, GIT_OBJECT_TREE,
			    "cannot write to the repository");
}

static void add_id(struct buf *b, const char *key, const git_oid *id)
{
	struct commit_id hex;

	hex = oid_hex(id);
	buf_addf(b, "%s %s\n", key, hex.hex);
}

static void add_signature(struct buf *b, const char *key,
			  const git_signature *who)
{
	int offset = abs(who->when.offset);
	bool minus = who->when.offset < 0 || who->when.sign == '-';

	buf_addf(b, "%s %s <%s> %lld %c%02d%02d\n", key, who->name, who->email,
		 (long long)who->when.time, minus ? '-' : '+', offset / 60,
		 offset % 60);
}

static struct error *write_commit(git_oid *out, struct gitstore *g,
				  const struct commit_spec *spec,
				  const git_signature *author,
				  const git_signature *committer)
{
	cleanup_buf struct buf b = BUF_INIT(COMMIT_MAX);

	TRY(object_check(g, spec->tree));
	add_id(&b, "tree", spec->tree);
	for (size_t i = 0; i < spec->n_parents; i++) {
		TRY(object_check(g, spec->parent[i]));
		add_id(&b, "parent", spec->parent[i]);
	}
	add_signature(&b, "author", author);
	add_signature(&b, "committer", committer);
	buf_addc(&b, '\n');
	buf_adds(&b, spec->message);
	if (b.truncated)
		return error_new(ERROR_TOO_BIG, "a commit is too big");
	return object_write(out, g, b.data, b.len, GIT_OBJECT_COMMIT,
			    "cannot write a commit");
}

struct error *commit_write(git_oid *out, struct gitstore *g,
			   const struct commit_spec *spec)
{
	cleanup_git_signature git_signature *author = NULL, *committer = NULL;
	int64_t now = (int64_t)time(NULL);

	TRY(identity_load(g));
	TRY(identity_at(&author, g->author, now));
	TRY(identity_at(&committer, g->committer, now));
	return write_commit(out, g, spec, spec->author ? spec->author : author,
			    spec->committer ? spec->committer : committer);
}

struct error *commit_lookup(git_commit **out, struct gitstore *g,
			    const char *hex)
{
	git_oid id;

	TRY(oid_parse(&id, hex));
	return git_check(git_commit_lookup(out, g->repo, &id),
			 "cannot read commit %s", hex);
}

struct error *commit_tree_id(git_oid *out, struct gitstore *g,
			     const char *commit)
{
	cleanup_git_commit git_commit *c = NULL;

	TRY(commit_lookup(&c, g, commit));
	git_oid_cpy(out, git_commit_tree_id(c));
	return NULL;
}

struct error *gitstore_commit_info(struct commit_info *out, struct gitstore *g,
				   const char *id)
{
	cleanup_git_commit git_commit *c = NULL;
	const git_signature *who;

	TRY(commit_lookup(&c, g, id));
	*out = (struct commit_info){.n_parents = git_commit_parentcount(c)};
	out->id = oid_hex(git_commit_id(c));
	out->tree = oid_hex(git_commit_tree_id(c));
	out->parents = xcalloc(out->n_parents, sizeof *out->parents);
	for (unsigned i = 0; i < out->n_parents; i++)
		out->parents[i] = oid_hex(git_commit_parent_id(c, i));
	who = git_commit_author(c);
	out->author = xasprintf("%s <%s>", who->name, who->email);
	out->message = xstrdup(git_commit_message(c));
	out->time = git_commit_time(c);
	return NULL;
}

struct error *gitstore_descends(bool *out, struct gitstore *g, const char *id,
				const char *ancestor)
{
	git_oid a, b;
	int rc;

	TRY(oid_parse(&a, id));
	TRY(oid_parse(&b, ancestor));
	rc = git_oid_equal(&a, &b) || git_graph_descendant_of(g->repo, &a, &b);
	TRY(git_check(rc < 0 ? rc : 0, "%.12s", id));
	*out = rc == 1;
	return NULL;
}

void commit_info_release(struct commit_info *c)
{
	free(c->parents);
	free(c->message);
	free(c->author);
	*c = (struct commit_info){0};
}
