/*
 * The author of a candidate: the user's git identity, found as git finds it, or
 * a documented fallback if the user has none. Signing settings never apply.
 */
#include "gitstore/git/internal.h"

#define FALLBACK_NAME "avogit"
#define FALLBACK_MAIL "avogit@localhost"

/* The first of an environment variable and two keys; NULL if none is set. */
static const char *choose(struct gitstore *g, const char *variable,
			  const char *key, const char *common_key)
{
	const char *value = getenv(variable);

	if (value && *value)
		return value;
	value = config_get(g, key);
	if (!value || !*value)
		value = config_get(g, common_key);
	return value && *value ? value : NULL;
}

/* Without characters that would break the "Name <mail>" of a commit. */
static char *clean(const char *text)
{
	char *out = xcalloc(strlen(text) + 1, 1);
	size_t n = 0;

	for (; *text; text++)
		if (!strchr("<>\n\r", *text))
			out[n++] = *text;
	return out;
}

static struct error *signature(git_signature **out, const char *name,
			       const char *mail)
{
	cleanup_free char *clean_name = clean(name);
	cleanup_free char *clean_mail = clean(mail);

	return git_check(git_signature_now(out, clean_name, clean_mail),
			 "git's user.name '%s' or user.email '%s' is not "
			 "usable",
			 name, mail);
}

/* False if name or mail is missing: both are needed. */
static bool find(struct gitstore *g, const char **name, const char **mail,
		 const char *role)
{
	bool author = str_eq(role, "author");

	*name = choose(g, author ? "GIT_AUTHOR_NAME" : "GIT_COMMITTER_NAME",
		       author ? "author.name" : "committer.name", "user.name");
	*mail = choose(g, author ? "GIT_AUTHOR_EMAIL" : "GIT_COMMITTER_EMAIL",
		       author ? "author.email" : "committer.email",
		       "user.email");
	if (!*mail)
		*mail = getenv("EMAIL");
	return *name && *mail && **mail;
}

static struct error *load_one(git_signature **out, bool *found,
			      struct gitstore *g, const char *role)
{
	const char *name, *mail;

	*found = find(g, &name, &mail, role);
	if (*found)
		return signature(out, name, mail);
	return signature(out, FALLBACK_NAME, FALLBACK_MAIL);
}

struct error *identity_load(struct gitstore *g)
{
	bool committer;

	if (g->committer)
		return NULL;
	if (!g->author)
		TRY(load_one(&g->author, &g->has_identity, g, "author"));
	TRY(load_one(&g->committer, &committer, g, "committer"));
	/* No reflogs are written, and libgit2 asks for their author all the same:
	 * it would read the configuration again for each ref that is moved. */
	return git_check(git_repository_set_ident(g->repo, g->committer->name,
						  g->committer->email),
			 "cannot set the name for reflogs");
}

bool gitstore_has_identity(const struct gitstore *g)
{
	struct error *err = identity_load((struct gitstore *)g);

	error_free(err);
	return !err && g->has_identity;
}

struct error *identity_at(git_signature **out, const git_signature *who,
			  int64_t seconds)
{
	return git_check(git_signature_new(out, who->name, who->email, seconds,
					   who->when.offset),
			 "cannot make a signature");
}
