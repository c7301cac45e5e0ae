/*
 * Which of a repository's own settings and hooks would make git run something.
 * The table has the settings that are known to run nothing and to lead nowhere.
 * Every other setting counts, so that a new setting of a later git that names a
 * program is asked about before it is used.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "gitstore/git/internal.h"
#include "gitstore/git/program.h"

#define LEGACY_BYTES ((size_t)2048)

enum { INSIDE = 1, TRANSPORT = 2, CHECKOUT = 4, ALL = 7 };

/* The first pattern that matches decides. Keys in the form that git lists:
 * section and name in lower case. */
static const struct git_setting {
	const char *pattern;
	unsigned inert; /* harmless for these uses */
} settings[] = {
	/* Run in one use, and turned off or not reached in the others. */
	{"core.hookspath", INSIDE | TRANSPORT},
	{"core.fsmonitor", INSIDE | TRANSPORT},
	{"core.alternaterefscommand", INSIDE | TRANSPORT},
	{"core.sshcommand", INSIDE},
	{"core.gitproxy", INSIDE},
	{"core.askpass", INSIDE},
	{"core.pager", INSIDE | TRANSPORT},
	{"core.editor", INSIDE | TRANSPORT},
	{"credential.*", INSIDE},
	{"filter.*", INSIDE | TRANSPORT},
	{"merge.*.driver", INSIDE | TRANSPORT},
	{"diff.external", INSIDE | TRANSPORT},
	{"diff.*.command", INSIDE | TRANSPORT},
	{"diff.*.textconv", INSIDE | TRANSPORT},
	{"sequence.editor", INSIDE | TRANSPORT},
	{"pager.*", INSIDE | TRANSPORT},
	{"interactive.difffilter", INSIDE | TRANSPORT},
	{"trailer.*", INSIDE | TRANSPORT},
	{"gpg.*", INSIDE},
	{"http.*", INSIDE | CHECKOUT},
	{"https.*", INSIDE | CHECKOUT},
	{"url.*", INSIDE},
	{"protocol.version", ALL},
	{"protocol.*", INSIDE},
	{"remote.*.uploadpack", INSIDE},
	{"remote.*.receivepack", INSIDE},
	{"remote.*.vcs", INSIDE},
	{"remote.*.proxy*", INSIDE},
	{"submodule.*.update", INSIDE | TRANSPORT},
	{"remote.*", ALL}, /* addresses are checked: add_address */
	/* The rest of core. */
	{"core.repositoryformatversion", ALL},
	{"core.filemode", ALL},
	{"core.bare", ALL},
	{"core.logallrefupdates", ALL},
	{"core.ignorecase", ALL},
	{"core.precomposeunicode", ALL},
	{"core.symlinks", ALL},
	{"core.worktree", ALL},
	{"core.autocrlf", ALL},
	{"core.eol", ALL},
	{"core.safecrlf", ALL},
	{"core.checkroundtripencoding", ALL},
	{"core.sparsecheckout*", ALL},
	{"core.untrackedcache", ALL},
	{"core.preloadindex", ALL},
	{"core.splitindex", ALL},
	{"core.fsync*", ALL},
	{"core.*compression", ALL},
	{"core.bigfilethreshold", ALL},
	{"core.deltabasecachelimit", ALL},
	{"core.packedgit*", ALL},
	{"core.quotepath", ALL},
	{"core.excludesfile", ALL},
	{"core.attributesfile", ALL},
	{"core.abbrev", ALL},
	{"core.comment*", ALL},
	{"core.whitespace", ALL},
	{"core.multipackindex", ALL},
	{"core.commitgraph", ALL},
	{"core.notesref", ALL},
	{"core.protecthfs", ALL},
	{"core.protectntfs", ALL},
	{"core.trustctime", ALL},
	{"core.checkstat", ALL},
	{"core.ignorestat", ALL},
	{"core.sharedrepository", ALL},
	{"core.warnambiguousrefs", ALL},
	{"core.createobject", ALL},
	{"core.longpaths", ALL},
	{"core.fscache", ALL},
	{"core.usereplacerefs", ALL},
	{"core.disambiguate", ALL},
	{"core.filesreflocktimeout", ALL},
	{"core.packedrefstimeout", ALL},
	/* How git collects, without its hook and its folder for packs. */
	{"gc.*auto*", ALL},
	{"gc.*expire*", ALL},
	{"gc.aggressive*", ALL},
	{"gc.packrefs", ALL},
	{"gc.bigpackthreshold", ALL},
	{"gc.cruftpacks", ALL},
	{"gc.maxcruftsize", ALL},
	{"gc.rerere*", ALL},
	{"gc.writecommitgraph", ALL},
	{"maintenance.*", ALL},
	{"pack.*", ALL},
	{"repack.*", ALL},
	{"index.*", ALL},
	{"commitgraph.*", ALL},
	{"feature.*", ALL},
	{"extensions.*", ALL},
	{"rerere.*", ALL},
	/* An alias cannot replace one of git's own commands; settings from an
	 * included file are listed with the rest. */
	{"alias.*", ALL},
	{"include.path", ALL},
	{"includeif.*", ALL},
	{"advice.*", ALL},
	{"apply.*", ALL},
	{"author.*", ALL},
	{"avogit.*", ALL},
	{"blame.*", ALL},
	{"branch.*", ALL},
	{"checkout.*", ALL},
	{"clean.*", ALL},
	{"clone.*", ALL},
	{"color.*", ALL},
	{"column.*", ALL},
	{"commit.*", ALL},
	{"committer.*", ALL},
	{"diff.*", ALL},
	{"fetch.*", ALL},
	{"format.*", ALL},
	{"fsck.*", ALL},
	{"grep.*", ALL},
	{"gui.*", ALL},
	{"guitool.*", ALL},
	{"help.*", ALL},
	{"i18n.*", ALL},
	{"init.*", ALL},
	{"lfs.*", ALL},
	{"log.*", ALL},
	{"merge.*", ALL},
	{"notes.*", ALL},
	{"pull.*", ALL},
	{"push.*", ALL},
	{"rebase.*", ALL},
	{"receive.*", ALL},
	{"safe.*", ALL}, /* without effect there */
	{"stash.*", ALL},
	{"status.*", ALL},
	{"submodule.*", ALL},
	{"svn-remote.*", ALL},
	{"tag.*", ALL},
	{"transfer.*", ALL},
	{"uploadpack.*", ALL}, /* its hook has no effect there */
	{"user.*", ALL},
	{"versionsort.*", ALL},
	{"worktree.*", ALL},
};

void git_named_release(struct git_named *n)
{
	strvec_release(&n->keys);
	strvec_release(&n->values);
}

static void add(struct git_named *n, const char *key, const char *value)
{
	strvec_push(&n->keys, key);
	strvec_push(&n->values, value);
}

static bool is_inert(const char *key, const char *value, unsigned use)
{
	/* The daemon of git itself. */
	if (str_eq(key, "core.fsmonitor") &&
	    (str_eq(value, "true") || str_eq(value, "false")))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (fnmatch(settings[i].pattern, key, 0) == 0)
			return settings[i].inert & use;
	return false;
}

/* ---- addresses ----------------------------------------------------------- */

/* Protocols by which git itself talks to another machine. */
static bool is_elsewhere(const char *address)
{
	static const char *const schemes[] = {"https://",   "http://",
					      "ssh://",	    "git://",
					      "git+ssh://", "ssh+git://",
					      "ftp://",	    "ftps://"};
	size_t before_colon = strcspn(address, ":/");

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (starts_with(address, schemes[i]))
			return *address != '-';
	/* host:path, as scp has it; but "ext::..." is a program. */
	return before_colon > 0 && address[before_colon] == ':' &&
	       *address != '-' && !starts_with(address + before_colon, "::") &&
	       !starts_with(address + before_colon, "://");
}

/* The folder on this machine that it names; NULL if it names none. */
static char *local_folder(const struct gitstore *g, const char *address)
{
	struct stat st;
	const char *top = g->work_dir ? g->work_dir : g->git_dir;
	cleanup_free char *path = NULL;

	if (starts_with(address, "file://"))
		address += strlen("file://");
	else if (strstr(address, "::") || strstr(address, "://"))
		return NULL;
	path = *address == '/' ? xstrdup(address)
			       : xasprintf("%s/%s", top, address);
	/* A bundle is a file, and is only read. */
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) ? steal(&path)
							    : NULL;
}

static bool is_bundle(const struct gitstore *g, const char *address)
{
	const char *top = g->work_dir ? g->work_dir : g->git_dir;
	cleanup_free char *path = *address == '/'
					  ? xstrdup(address)
					  : xasprintf("%s/%s", top, address);
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static struct error *collect(struct git_named *out, struct gitstore *g,
			     unsigned use, bool is_remote);

/* A push makes git run, as the user, the hooks of a repository on this machine
 * and the programs that its configuration names. */
static struct error *is_quiet_there(bool *out, const char *folder)
{
	cleanup_git_named struct git_named n = {.keys = STRVEC_INIT};
	cleanup_gitstore struct gitstore *there = NULL;
	cleanup_error struct error *err = gitstore_open(&there, folder);

	*out = false;
	if (err)
		return NULL;
	TRY(collect(&n, there, CHECKOUT, true));
	*out = n.keys.n == 0;
	return NULL;
}

static struct error *add_address(struct git_named *n, const struct gitstore *g,
				 const char *key, const char *address,
				 bool is_remote)
{
	cleanup_free char *folder = NULL;
	bool quiet = true;

	if (is_elsewhere(address))
		return NULL;
	folder = local_folder(g, address);
	/* git finds that folder itself, and its contents may be from others. */
	if (folder && !is_remote)
		TRY(is_quiet_there(&quiet, folder));
	if (!quiet ||
	    (!folder && !is_bundle(g, address) && strstr(address, ":")))
		add(n, key, address);
	return NULL;
}

/* Files remotes/NAME and branches/NAME of git's first years: addresses too. */
static void add_legacy(struct git_named *n, const struct gitstore *g,
		       const char *folder)
{
	cleanup_free char *path = xasprintf("%s%s", g->git_dir, folder);
	cleanup_dir DIR *d = opendir(path);

	for (struct dirent *e; d && (e = readdir(d));) {
		cleanup_buf struct buf text = BUF_INIT(LEGACY_BYTES);
		cleanup_free char *file = xasprintf("%s/%s", path, e->d_name);
		cleanup_free char *key = xasprintf("%s/%s", folder, e->d_name);
		struct error *err;

		if (*e->d_name == '.')
			continue;
		err = file_read(&text, file);
		add(n, key, err ? "(it cannot be read)" : text.data);
		error_free(err);
	}
}

/* ---- hooks --------------------------------------------------------------- */

static struct error *add_hook(struct git_named *n, const char *path,
			      const char *name)
{
	cleanup_free char *file = xasprintf("%s/%s", path, name);
	cleanup_free char *key = xasprintf("hooks/%s", name);
	cleanup_free char *value = NULL;
	cleanup_buf struct buf text = BUF_INIT((size_t)4 << 20);
	char digest[HASH_HEX_LEN + 1];
	struct hash *h;

	if (*name == '.' || ends_with(name, ".sample") ||
	    access(file, X_OK) < 0)
		return NULL;
	TRY(file_read(&text, file));
	h = hash_new();
	hash_add(h, text.data, text.len);
	hash_finish(digest, h);
	value = xasprintf("SHA-256 %s", digest);
	add(n, key, value);
	return NULL;
}

static struct error *add_hooks(struct git_named *n, const struct gitstore *g)
{
	cleanup_free char *path = xasprintf("%shooks", g->git_dir);
	cleanup_dir DIR *d = opendir(path);

	for (struct dirent *e; d && (e = readdir(d));)
		TRY(add_hook(n, path, e->d_name));
	return NULL;
}

/* ---- all ----------------------------------------------------------------- */

static struct error *add_setting(struct git_named *n, const struct gitstore *g,
				 unsigned use, const char *key,
				 const char *value, bool is_remote)
{
	bool is_address = fnmatch("remote.*.url", key, 0) == 0 ||
			  fnmatch("remote.*.pushurl", key, 0) == 0;

	if (is_address && use != INSIDE)
		return add_address(n, g, key, value, is_remote);
	if (!is_inert(key, value, use))
		add(n, key, value);
	return NULL;
}

static struct error *collect(struct git_named *out, struct gitstore *g,
			     unsigned use, bool is_remote)
{
	const struct strvec *keys, *values;

	config_own(&keys, &values, g);
	for (size_t i = 0; i < keys->n; i++)
		TRY(add_setting(out, g, use, keys->v[i], values->v[i],
				is_remote));
	if (use != INSIDE) {
		add_legacy(out, g, "remotes");
		add_legacy(out, g, "branches");
	}
	return use == CHECKOUT ? add_hooks(out, g) : NULL;
}

struct error *gitstore_named(struct git_named *out, struct gitstore *g,
			     enum git_use use)
{
	return collect(out, g, 1U << use, false);
}
