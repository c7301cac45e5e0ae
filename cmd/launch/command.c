#include "cmd/launch/command.h"

#include <fcntl.h>
#include <unistd.h>

#include "cmd/ui/out.h"
#include "core/base/hash.h"

/* It asks for no password, and gives up a line that is silent for a minute. */
#define SSH                                             \
	"ssh -T -o BatchMode=yes -o ConnectTimeout=20 " \
	"-o ServerAliveInterval=15 -o ServerAliveCountMax=4 -- "

/* ---- configuration ------------------------------------------------------- */

static char *key_of(const char *name, const char *last)
{
	return xasprintf("avogit.launch.%s.%s", name, last);
}

/* NULL in *out if it is unset. Only what the user wrote starts a command: a
 * repository's own settings may come from others. */
static struct error *setting(char **out, const struct gitstore *g,
			     const char *name, const char *last)
{
	cleanup_free char *key = key_of(name, last);
	cleanup_free char *any = gitstore_config(g, key);
	cleanup_free char *own = gitstore_user_config(g, key);
	cleanup_buf struct buf shown = BUF_INIT(BUF_LIMIT_TEXT);

	if (own && *own) {
		*out = steal(&own);
		return NULL;
	}
	if (!any || !*any)
		return NULL;
	out_clean_line(&shown, key);
	return error_new(ERROR_REFUSED,
			 "%s is set in the repository, whose settings may come "
			 "from others: what starts a command must be your own, "
			 "`git config --global %s VALUE`",
			 shown.data, shown.data);
}

/* ---- ssh ----------------------------------------------------------------- */

/* One word for the other machine's login shell: a script for sh there. */
static void add_remote(struct buf *out, const char *host, const char *script)
{
	cleanup_buf struct buf word = BUF_INIT(BUF_LIMIT_TEXT);

	buf_adds(&word, "exec sh -c ");
	buf_add_quoted(&word, script);
	buf_adds(out, SSH);
	buf_add_quoted(out, host);
	buf_addc(out, ' ');
	buf_add_quoted(out, word.data);
}

static struct error *hash_file(char out[HASH_HEX_LEN + 1], const char *path)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct hash *h;
	char chunk[65536];
	ssize_t n;

	if (fd < 0)
		return error_errno("cannot read the bundle %s", path);
	h = hash_new();
	while ((n = read(fd, chunk, sizeof chunk)) > 0)
		hash_add(h, chunk, (size_t)n);
	hash_finish(out, h);
	return n < 0 ? error_errno("cannot read the bundle %s", path) : NULL;
}

/* Brings the bundle there, unless it is there: whole, by its hash, under that
 * name, by rename. Two that do so at once leave one. */
static void add_bringing(struct buf *out, const char *host, const char *bundle,
			 const char *folder, const char *hash)
{
	cleanup_free char *test = xasprintf(
		"test -x %s/%s/avogit-bundle/bin/avogit", folder, hash);
	cleanup_free char *bring = xasprintf(
		"umask 077 && mkdir -p %s && t=$(mktemp -d %s/new-XXXXXX) && "
		"cat >\"$t/tar\" && echo \"%s  $t/tar\" | "
		"sha256sum -c --status && "
		"tar xzf \"$t/tar\" -C \"$t\" && rm \"$t/tar\" && "
		"chmod 755 \"$t\" && "
		"{ mv -T \"$t\" %s/%s 2>/dev/null || rm -rf \"$t\"; }; "
		"r=$?; test \"$r\" = 0 || rm -rf \"$t\"; exit \"$r\"",
		folder, folder, hash, folder, hash);

	add_remote(out, host, test);
	buf_adds(out, " </dev/null || ");
	add_remote(out, host, bring);
	buf_adds(out, " <");
	buf_add_quoted(out, bundle);
	buf_adds(out, " || exit\n");
}

static struct error *over_ssh(char **out, const char *host, const char *bundle)
{
	const char *folder =
		"\"${XDG_CACHE_HOME:-$HOME/.cache}\"/avogit/bundle";
	cleanup_buf struct buf script = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *score = NULL;
	char hash[HASH_HEX_LEN + 1];

	if (bundle) {
		TRY(hash_file(hash, bundle));
		add_bringing(&script, host, bundle, folder, hash);
		score = xasprintf(
			"exec %s/%s/avogit-bundle/bin/avogit score --job",
			folder, hash);
	} else {
		score = xstrdup("exec avogit score --job");
	}
	add_remote(&script, host, score);
	*out = buf_take(&script);
	return NULL;
}

/* ---- Slurm --------------------------------------------------------------- */

#define JOBS_SLURM 16
#define JOBS_MAX   200

static struct error *read_jobs(int64_t *out, int64_t unset, const char *name,
			       const char *text)
{
	cleanup_buf struct buf shown = BUF_INIT(BUF_LIMIT_TEXT);
	char *end = NULL;

	*out = text ? strtol(text, &end, 10) : unset;
	if (*out >= 1 && *out <= JOBS_MAX && !(end && *end))
		return NULL;
	out_clean_line(&shown, name);
	return error_new(ERROR_REFUSED,
			 "avogit.launch.%s.jobs must be 1 to %d, the jobs at a "
			 "time",
			 shown.data, JOBS_MAX);
}

/* `s` is released by the caller, whatever happens. */
static struct error *by_slurm(struct slurm_settings *s,
			      const struct gitstore *g, const char *name)
{
	cleanup_buf struct buf shown = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(setting(&s->gres, g, name, "gres"));
	TRY(setting(&s->time, g, name, "time"));
	TRY(setting(&s->options, g, name, "options"));
	TRY(setting(&s->folder, g, name, "folder"));
	if (!s->folder || *s->folder == '/')
		return NULL;
	out_clean_line(&shown, name);
	return error_new(
		ERROR_REFUSED,
		"avogit.launch.%s.folder must be a whole path, from /: "
		"the nodes read it",
		shown.data);
}

/* ---- any of them --------------------------------------------------------- */

void launch_way_release(struct launch_way *w)
{
	free(w->command);
	slurm_settings_release(&w->slurm);
}

static struct error *check_one(const char *name, const char *command,
			       const char *ssh, const char *bundle,
			       const char *slurm)
{
	cleanup_buf struct buf shown = BUF_INIT(BUF_LIMIT_TEXT);

	out_clean_line(&shown, name);
	if (!command && !ssh && !slurm)
		return error_new(ERROR_NOT_FOUND,
				 "no launch is called so: `git config --global "
				 "avogit.launch.%s.command COMMAND`, or .ssh "
				 "HOST, or .slurm PARTITION, makes one "
				 "(docs/launch.md)",
				 shown.data);
	if (command && (ssh || bundle))
		return error_new(ERROR_REFUSED,
				 "avogit.launch.%s.command excludes .ssh and "
				 ".bundle of this launch: remove one or the "
				 "others",
				 shown.data);
	if (slurm && (command || ssh || bundle))
		return error_new(ERROR_REFUSED,
				 "avogit.launch.%s.slurm excludes .command, "
				 ".ssh and .bundle of this launch: remove one "
				 "or the others",
				 shown.data);
	return NULL;
}

struct error *launch_way_read(struct launch_way *out, const struct gitstore *g,
			      const char *name)
{
	cleanup_free char *ssh = NULL, *bundle = NULL, *jobs = NULL;

	TRY(setting(&out->command, g, name, "command"));
	TRY(setting(&ssh, g, name, "ssh"));
	TRY(setting(&bundle, g, name, "bundle"));
	TRY(setting(&out->slurm.partition, g, name, "slurm"));
	TRY(check_one(name, out->command, ssh, bundle, out->slurm.partition));
	TRY(setting(&jobs, g, name, "jobs"));
	TRY(read_jobs(&out->slurm.jobs, out->slurm.partition ? JOBS_SLURM : 1,
		      name, jobs));
	out->at_once = (size_t)out->slurm.jobs;
	if (ssh)
		return over_ssh(&out->command, ssh, bundle);
	if (out->slurm.partition)
		return by_slurm(&out->slurm, g, name);
	return NULL;
}
