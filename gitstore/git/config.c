/*
 * git's configuration as git itself reads it. libgit2 1.5 reads the files but
 * not GIT_CONFIG_GLOBAL, GIT_CONFIG_COUNT or `git -c`, so git is asked, once.
 * If no git program is installed, libgit2's answer is used.
 */
#include <ctype.h>

#include "gitstore/git/internal.h"
#include "gitstore/git/program.h"

#define CONFIG_BYTES ((size_t)4 << 20)

struct config {
	struct strvec keys, values; /* pairs, in order: the last one counts */
	/* Settings that cannot come from a repository, and those that can. */
	struct strvec user_keys, user_values;
	struct strvec own_keys, own_values;
};

static void add(struct config *c, const char *key, const char *value, bool user)
{
	/* A key without a value means true. */
	if (!value)
		value = "true";
	strvec_push(&c->keys, key);
	strvec_push(&c->values, value);
	strvec_push(user ? &c->user_keys : &c->own_keys, key);
	strvec_push(user ? &c->user_values : &c->own_values, value);
}

/* "scope\0key\nvalue\0" records. */
static void parse(struct config *c, const struct buf *list)
{
	for (size_t at = 0; at < list->len;) {
		const char *scope = list->data + at;
		const char *record = scope + strlen(scope) + 1;
		bool user = str_eq(scope, "system") ||
			    str_eq(scope, "global") || str_eq(scope, "command");
		const char *end = strchr(record, '\n');
		size_t len = end ? (size_t)(end - record) : strlen(record);
		cleanup_free char *key = xstrndup(record, len);

		add(c, key, end ? end + 1 : NULL, user);
		at = (size_t)(record - list->data) + strlen(record) + 1;
	}
}

static bool ask_git(struct config *c, const struct gitstore *g)
{
	const char *words[] = {"--git-dir",    git_repository_path(g->repo),
			       "config",       "-z",
			       "--list",       "--includes",
			       "--show-scope", NULL};
	cleanup_process_result struct process_result result = {0};
	cleanup_error struct error *err =
		git_run(&result, GIT_INSIDE, NULL, words, 10, CONFIG_BYTES);

	if (err || result.exit_code != 0)
		return false;
	parse(c, &result.output);
	return true;
}

static int add_entry(const git_config_entry *e, void *arg)
{
	add(arg, e->name, e->value, e->level < GIT_CONFIG_LEVEL_LOCAL);
	return 0;
}

static void ask_libgit2(struct config *c, const struct gitstore *g)
{
	cleanup_git_config git_config *config = NULL;

	if (git_repository_config_snapshot(&config, g->repo) == 0)
		git_config_foreach(config, add_entry, c);
}

static struct config *load(const struct gitstore *g)
{
	struct config *c = xcalloc(1, sizeof *c);

	if (!ask_git(c, g))
		ask_libgit2(c, g);
	return c;
}

void config_free(struct config *c)
{
	if (!c)
		return;
	strvec_release(&c->keys);
	strvec_release(&c->values);
	strvec_release(&c->user_keys);
	strvec_release(&c->user_values);
	strvec_release(&c->own_keys);
	strvec_release(&c->own_values);
	free(c);
}

/* Section and name in lower case, as git lists them; the part between the first
 * and the last dot keeps its case. */
static char *normalize(const char *key)
{
	char *copy = xstrdup(key);
	char *first = strchr(copy, '.'), *last = strrchr(copy, '.');

	for (char *p = copy; *p; p++)
		if (!first || p < first || p > last)
			*p = (char)tolower((unsigned char)*p);
	return copy;
}

static const char *last(const struct strvec *keys, const struct strvec *values,
			const char *key)
{
	cleanup_free char *name = normalize(key);

	for (size_t i = keys->n; i-- > 0;)
		if (str_eq(keys->v[i], name))
			return values->v[i];
	return NULL;
}

const char *config_get(struct gitstore *g, const char *key)
{
	if (!g->config)
		g->config = load(g);
	return last(&g->config->keys, &g->config->values, key);
}

bool config_says(struct gitstore *g, const char *begin, const char *end)
{
	if (!g->config)
		g->config = load(g);
	for (size_t i = 0; i < g->config->keys.n; i++)
		if (starts_with(g->config->keys.v[i], begin) &&
		    ends_with(g->config->keys.v[i], end) &&
		    str_eq(g->config->values.v[i], "true"))
			return true;
	return false;
}

void config_own(const struct strvec **keys, const struct strvec **values,
		struct gitstore *g)
{
	if (!g->config)
		g->config = load(g);
	*keys = &g->config->own_keys;
	*values = &g->config->own_values;
}

char *gitstore_config(const struct gitstore *g, const char *key)
{
	/* The cast is safe: callers cannot see that the result is read once and
	 * kept. */
	return xstrdup_null(config_get((struct gitstore *)g, key));
}

char *gitstore_user_config(const struct gitstore *store, const char *key)
{
	struct gitstore *g = (struct gitstore *)store;

	if (!g->config)
		g->config = load(g);
	return xstrdup_null(
		last(&g->config->user_keys, &g->config->user_values, key));
}

void gitstore_user_config_list(struct strvec *names, struct strvec *values,
			       const struct gitstore *store, const char *begin,
			       const char *end)
{
	struct gitstore *g = (struct gitstore *)store;
	const size_t both = strlen(begin) + strlen(end);

	if (!g->config)
		g->config = load(g);
	for (size_t i = 0; i < g->config->user_keys.n; i++) {
		const char *key = g->config->user_keys.v[i];

		if (strlen(key) <= both || !starts_with(key, begin) ||
		    !ends_with(key, end))
			continue;
		strvec_pushf(names, "%.*s", (int)(strlen(key) - both),
			     key + strlen(begin));
		strvec_push(values, g->config->user_values.v[i]);
	}
}

static struct error *has_value(bool *out, git_config *config, const char *key,
			       const char *value)
{
	git_config_iterator *it = NULL;
	git_config_entry *e;
	int rc = git_config_multivar_iterator_new(&it, config, key, NULL);

	*out = false;
	while (rc == 0 && (rc = git_config_next(&e, it)) == 0)
		*out = *out || (e->value && str_eq(e->value, value));
	git_config_iterator_free(it);
	if (rc == GIT_ITEROVER || rc == GIT_ENOTFOUND)
		return NULL;
	return git_check(rc, "cannot read %s from git's configuration", key);
}

static struct error *open_local(git_config **out, struct gitstore *g)
{
	cleanup_git_config git_config *all = NULL;

	TRY(git_check(git_repository_config(&all, g->repo),
		      "cannot read git's configuration"));
	return git_check(git_config_open_level(out, all,
					       GIT_CONFIG_LEVEL_LOCAL),
			 "cannot open the repository's configuration");
}

struct error *gitstore_config_add(struct gitstore *g, const char *key,
				  const char *value)
{
	cleanup_git_config git_config *local = NULL;
	bool there;

	TRY(open_local(&local, g));
	TRY(has_value(&there, local, key, value));
	if (there)
		return NULL;
	/* The pattern matches nothing, so that the value is added and replaces
	 * no other. */
	TRY(git_check(git_config_set_multivar(local, key, "a^", value),
		      "cannot set %s in %sconfig", key, g->git_dir));
	config_free(g->config);
	g->config = NULL;
	return NULL;
}

struct error *gitstore_config_remove(struct gitstore *g, const char *key,
				     const char *value)
{
	cleanup_git_config git_config *local = NULL;
	cleanup_buf struct buf exact = BUF_INIT(BUF_LIMIT_TEXT);
	bool there;

	TRY(open_local(&local, g));
	TRY(has_value(&there, local, key, value));
	if (!there)
		return NULL;
	buf_addc(&exact, '^');
	for (const char *p = value; *p; p++)
		buf_addf(&exact, "[%c]", *p);
	buf_addc(&exact, '$');
	TRY(git_check(git_config_delete_multivar(local, key, exact.data),
		      "cannot remove %s from %sconfig", key, g->git_dir));
	config_free(g->config);
	g->config = NULL;
	return NULL;
}
