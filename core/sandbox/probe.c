/* Finds out what this machine allows, and the remedy if that is too little. */
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/sandbox/plan.h"

/* Far above the users that Debian creates; needs no entry in a file. */
#define UID_FIRST 61234
#define UID_LAST  61333

#define PROBE_SECONDS 20

static uid_t unused_uid(void)
{
	for (uid_t uid = UID_FIRST; uid <= UID_LAST; uid++)
		if (!getpwuid(uid) && !getgrgid(uid))
			return uid;
	return 0;
}

/* Without the name of the program that printed it. */
static const char *bare_reason(const char *message)
{
	static const char *const who[] = {"bwrap: ", "true: "};

	for (size_t i = 0; i < ARRAY_SIZE(who); i++) {
		const char *said = strstr(message, who[i]);

		if (said)
			return said + strlen(who[i]);
	}
	return message;
}

/* Starts a shell in the way of candidates, which finds itself in /proc; NULL if
 * that works, else the reason in one line. free() disposes. */
static char *try_start(const struct sandbox *s)
{
	static const char *const argv[] = {"sh", "-c", "test -d /proc/self/fd",
					   NULL};
	const struct sandbox_spec spec = {
		.argv = argv,
		.limits.wall_seconds = PROBE_SECONDS,
		.alone = true,
	};
	cleanup_process_result struct process_result r = {0};
	cleanup_error struct error *err = sandbox_run(&r, s, &spec, 4096);

	if (err)
		return xstrdup(bare_reason(error_message(err)));
	if (r.exit_code != 0)
		return xasprintf("a first start ended with %d", r.exit_code);
	return NULL;
}

/* "bubblewrap 0.8.0", or NULL if it cannot be run. */
static char *bwrap_version(const char *bwrap)
{
	const char *const argv[] = {bwrap, "--version", NULL};
	cleanup_strvec struct strvec env = STRVEC_INIT;
	struct process_spec spec = {
		.argv = argv,
		.limits.wall_seconds = PROBE_SECONDS,
	};
	cleanup_process_result struct process_result r = {0};
	cleanup_error struct error *err = NULL;

	plan_environment(&env);
	spec.env = (const char *const *)env.v;
	err = process_run(&r, &spec, 256);
	if (err || r.exit_code != 0)
		return NULL;
	buf_trim_end(&r.output);
	return buf_take(&r.output);
}

static uid_t uid_inside(const struct sandbox *s)
{
	return s->uid ? s->uid : geteuid();
}

/* Takes `mend`, the remedy. */
static void set_mend(struct sandbox *s, char *mend)
{
	free(s->mend);
	s->mend = mend;
}

static bool kernel_says(const char *path, const char *value)
{
	cleanup_file FILE *f = fopen(path, "re");
	char text[32] = "";

	if (!f || !fgets(text, sizeof text, f))
		return false;
	text[strcspn(text, "\n")] = '\0';
	return str_eq(text, value);
}

static char *mend_namespaces(void)
{
	static const struct {
		const char *path, *value, *mend;
	} switches[] = {
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
		 "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
		{"/proc/sys/kernel/unprivileged_userns_clone", "0",
		 "sudo sysctl kernel.unprivileged_userns_clone=1"},
		{"/proc/sys/user/max_user_namespaces", "0",
		 "sudo sysctl user.max_user_namespaces=16384"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(switches); i++)
		if (kernel_says(switches[i].path, switches[i].value))
			return xasprintf("user namespaces are off here: %s",
					 switches[i].mend);
	return xstrdup("where this is a container, start it with "
		       "--security-opt seccomp=unconfined --security-opt "
		       "systempaths=unconfined, so that it can make "
		       "namespaces");
}

/* One function for each level: NULL if it works here, and then s describes it;
 * else the reason, and s may hold the remedy. free() disposes. */

static char *try_none(struct sandbox *s)
{
	cleanup_free char *why = try_start(s);

	s->has_seccomp = !why;
	return NULL;
}

static char *try_landlock(struct sandbox *s)
{
	cleanup_error struct error *err = landlock_open(&s->landlock);
	char *why;

	if (err)
		return xstrdup(error_message(err));
	why = try_start(s);
	if (!why)
		s->description = xasprintf("Landlock ABI %d, seccomp, uid %u",
					   s->landlock.abi, uid_inside(s));
	return why;
}

static char *try_this_bwrap(struct sandbox *s, const char *bwrap)
{
	cleanup_free char *version = bwrap_version(bwrap);
	char *why;

	if (!version)
		return xstrdup("bubblewrap is not installed");
	free(s->bwrap);
	s->bwrap = xstrdup(bwrap);
	s->shows_one_process = access(BWRAP_ROOT, F_OK) < 0;
	why = try_start(s);
	if (why && s->shows_one_process) {
		free(why);
		s->shows_one_process = false;
		why = try_start(s);
	}
	if (!why)
		s->description = xasprintf("%s, seccomp, uid %u", version,
					   uid_inside(s));
	return why;
}

static char *mend_bwrap(const struct sandbox *s)
{
	if (!s->bwrap)
		return xstrdup("install bubblewrap "
			       "(apt-get install bubblewrap)");
	return mend_namespaces();
}

static char *try_bwrap(struct sandbox *s)
{
	cleanup_free char *carried = file_carried("bwrap");
	char *why = try_this_bwrap(s, "bwrap");

	if (why && carried) {
		free(why);
		why = try_this_bwrap(s, carried);
	}
	if (why)
		set_mend(s, mend_bwrap(s));
	return why;
}

static const struct {
	const char *name;
	char *(*attempt)(struct sandbox *s);
} levels[] = {
	[SANDBOX_NONE] = {"none", try_none},
	[SANDBOX_LANDLOCK] = {"landlock", try_landlock},
	[SANDBOX_BWRAP] = {"bwrap", try_bwrap},
};

static void describe_none(struct sandbox *s, const char *reason)
{
	s->description = xasprintf(
		"none: %s; limits, %suid %u only", reason,
		s->has_seccomp ? "seccomp, " : "no seccomp, ", uid_inside(s));
}

/* The reason, without characters that would end the sentence early. */
static void add_reason(struct buf *reasons, enum sandbox_level level,
		       const char *why)
{
	int len = (int)strcspn(why, ".,;\n");

	buf_addf(reasons, "%s%s (%.*s)", reasons->len ? ", " : "",
		 level == SANDBOX_BWRAP ? "no bubblewrap" : "no Landlock", len,
		 why);
}

/* Finds the strongest level that works. */
static void find_level(struct sandbox *s)
{
	cleanup_buf struct buf reasons = BUF_INIT(BUF_LIMIT_TEXT);

	for (s->level = SANDBOX_BWRAP;; s->level--) {
		cleanup_free char *why = levels[s->level].attempt(s);

		if (!why)
			break;
		add_reason(&reasons, s->level, why);
	}
	if (s->level == SANDBOX_NONE)
		describe_none(s, reasons.data);
}

/* The level of that name; ARRAY_SIZE(levels) if none was asked for. */
static struct error *read_wish(size_t *level, const char *wish)
{
	size_t i = wish ? 0 : ARRAY_SIZE(levels);

	while (wish && i < ARRAY_SIZE(levels) && !str_eq(wish, levels[i].name))
		i++;
	if (wish && i == ARRAY_SIZE(levels))
		return error_new(ERROR_REFUSED,
				 "AVOGIT_SANDBOX=%s: it is one of none, "
				 "landlock, bwrap",
				 wish);
	*level = i;
	return NULL;
}

static struct error *refuse_level(const struct sandbox *s, size_t level,
				  const char *why)
{
	return error_new(ERROR_REFUSED,
			 "AVOGIT_SANDBOX=%s: this machine cannot (%s)%s%s",
			 levels[level].name, why, s->mend ? "; " : "",
			 s->mend ? s->mend : "");
}

static struct error *take_level(struct sandbox *s, size_t level)
{
	cleanup_free char *why = NULL;

	s->level = (enum sandbox_level)level;
	why = levels[level].attempt(s);
	if (why)
		return refuse_level(s, level, why);
	if (level == SANDBOX_NONE)
		describe_none(s, "AVOGIT_SANDBOX=none asks for it");
	return NULL;
}

/* A container may have no user other than root. */
static bool can_step_down(uid_t uid)
{
	static const char *const argv[] = {"/bin/true", NULL};
	const struct process_spec spec = {
		.argv = argv,
		.dir = "/",
		.limits.wall_seconds = PROBE_SECONDS,
		.step_down_uid = uid,
	};
	cleanup_process_result struct process_result r = {0};
	cleanup_error struct error *err = process_run(&r, &spec, 256);

	return uid && !err && r.exit_code == 0;
}

/* Since Linux 5.14; before, RLIMIT_NPROC counts all processes of the user. */
static bool counts_namespaces(void)
{
	struct utsname kernel;
	unsigned long major, minor = 0;
	char *end;

	if (uname(&kernel) < 0)
		return false;
	major = strtoul(kernel.release, &end, 10);
	if (*end == '.')
		minor = strtoul(end + 1, NULL, 10);
	return major > 5 || (major == 5 && minor >= 14);
}

/* In a user namespace that another user made, root has only that user's rights:
 * the first line then maps 0 to the number of that user. */
static bool is_root_of_the_machine(void)
{
	cleanup_file FILE *f = NULL;
	char line[128];
	char *at = line;

	if (geteuid() != 0)
		return false;
	f = fopen("/proc/self/uid_map", "re");
	if (!f || !fgets(line, sizeof line, f))
		return true;
	return strtoul(at, &at, 10) != 0 || strtoul(at, NULL, 10) == 0;
}

/* What runs as root must not be called sandboxed. */
static struct error *stay_root(struct sandbox *s, size_t wish)
{
	static const char reason[] = "root cannot become another user here";

	if (wish == SANDBOX_NONE)
		return take_level(s, wish);
	set_mend(s, xstrdup("run as an ordinary user, or give the container a "
			    "range of user ids"));
	if (wish < ARRAY_SIZE(levels))
		return refuse_level(s, wish, reason);
	s->level = SANDBOX_NONE;
	free(levels[SANDBOX_NONE].attempt(s));
	describe_none(s, reason);
	return NULL;
}

struct error *sandbox_probe(struct sandbox **out)
{
	cleanup_sandbox struct sandbox *s = xcalloc(1, sizeof *s);
	size_t wish = 0;

	TRY(read_wish(&wish, env_get("AVOGIT_SANDBOX")));
	for (size_t i = 0; i < FILTER_COUNT; i++)
		TRY(filter_make(&s->filter[i], (enum filter_kind)i));
	s->has_seccomp = true;
	s->counts_namespaces = counts_namespaces();
	if (geteuid() == 0)
		s->uid = unused_uid();
	if (s->uid && !can_step_down(s->uid))
		s->uid = 0;
	if (!s->uid && is_root_of_the_machine())
		TRY(stay_root(s, wish));
	else if (wish < ARRAY_SIZE(levels))
		TRY(take_level(s, wish));
	else
		find_level(s);
	*out = steal(&s);
	return NULL;
}
