#include "cmd/session/consent.h"

#include "cmd/ui/out.h"

struct error *session_trust_place(char **out, const struct session *s)
{
	const char *dir = gitstore_git_dir(s->git);
	char *real = realpath(dir, NULL);

	if (!real)
		return error_errno("%s", dir);
	*out = real;
	return NULL;
}

static void list_keys(struct buf *out, const struct trust *t)
{
	for (size_t i = 0; i < t->n; i++)
		buf_addf(out, "%s%s", i ? ", " : "", t->item[i].key);
}

/* Runners and baselines are in the sandbox, which shows them more of the
 * machine. */
static const char *doing(const struct trust *t)
{
	bool libraries = true;

	for (size_t i = 0; i < t->n; i++) {
		bool is_library = starts_with(t->item[i].key, "baselines.");

		if (!is_library && !starts_with(t->item[i].key, "language."))
			return "act outside the sandbox";
		libraries &= is_library;
	}
	return libraries ? "load libraries of this machine in the sandbox"
			 : "show candidates folders of this machine";
}

static struct error *refuse(const struct trust *t, const struct session *s,
			    const char *file)
{
	cleanup_buf struct buf keys = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf command = BUF_INIT(BUF_LIMIT_TEXT);

	list_keys(&keys, t);
	buf_adds(&command, "avogit trust");
	if (file) {
		buf_adds(&command, " --task ");
		out_shell_word(&command, file);
	}
	return error_new(ERROR_REFUSED,
			 "%s: %s would %s, which is "
			 "refused until `%s` (it shows what exactly, and asks)",
			 s->at.task->path, keys.data, doing(t), command.data);
}

/* Has the user agreed to these, in this repository? */
static struct error *is_trusted(bool *out, const struct trust *t,
				const struct session *s)
{
	cleanup_trust_store struct trust_store store = {0};
	cleanup_free char *place = NULL;
	char digest[HASH_HEX_LEN + 1];

	TRY(session_trust_place(&place, s));
	TRY(trust_store_read(&store));
	trust_digest(digest, t);
	*out = trust_store_find(&store, place, digest) != NULL;
	return NULL;
}

struct error *session_require_trust(const struct session *s,
				    enum trust_group group, const char *file)
{
	cleanup_trust struct trust t = {0};
	bool trusted;

	TRY(trust_collect(&t, s->at.task, group));
	if (!t.n)
		return NULL;
	TRY(is_trusted(&trusted, &t, s));
	return trusted ? NULL : refuse(&t, s, file);
}

/* ---- git ----------------------------------------------------------------- */

static const char *sentence_of(const char *key)
{
	if (starts_with(key, "hooks/"))
		return "git runs this hook of the repository, with your rights";
	if (ends_with(key, "url") || strchr(key, '/'))
		return "git goes there, or has that run, with your rights";
	return "this setting of the repository may have git run programs, or "
	       "lead it elsewhere, with your rights";
}

struct error *session_git_items(struct trust *out, const struct session *s,
				enum git_use use)
{
	cleanup_git_named struct git_named named = {.keys = STRVEC_INIT};
	cleanup_trust struct trust t = {
		.group = use == GIT_CHECKOUT ? TRUST_PICK : TRUST_SYNC};

	if (use == GIT_INSIDE)
		return NULL;
	TRY(gitstore_named(&named, s->git, use));
	for (size_t i = 0; i < named.keys.n; i++)
		TRY(trust_add(&t, named.keys.v[i], sentence_of(named.keys.v[i]),
			      named.values.v[i]));
	*out = t;
	t = (struct trust){0};
	return NULL;
}

struct error *session_require_git(const struct session *s, enum git_use use)
{
	cleanup_trust struct trust t = {0};
	cleanup_buf struct buf keys = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);
	bool trusted;

	TRY(session_git_items(&t, s, use));
	if (!t.n)
		return NULL;
	TRY(is_trusted(&trusted, &t, s));
	if (trusted)
		return NULL;
	list_keys(&keys, &t);
	out_clean_line(&line, keys.data);
	return error_new(ERROR_REFUSED,
			 "%s of this repository may have git run programs "
			 "outside the sandbox, which is refused until `avogit "
			 "trust --git` (it shows what exactly, and asks)",
			 line.data);
}
