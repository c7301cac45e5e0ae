/* What this machine lets us have, and what to do where it is too little. */
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "core/sandbox_plan.h"

/* Far above where Debian gives out users; no entry needed. */
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

/* Without who says it. */
static const char *bare_reason(const char *message)
{
	const char *said = strstr(message, "bwrap: ");

	return said ? said + strlen("bwrap: ") : message;
}

/* Starts `true` as candidates will be; the reason in one line if that fails,
 * NULL if it works. free() disposes. */
static char *try_start(const struct sandbox *s)
{
	static const char *const argv[] = {"true", NULL};
	const struct sandbox_spec spec = {
		.argv = argv,
		.limits.wall_seconds = PROBE_SECONDS,
	};
	cleanup_process_result struct process_result r = {0};
	cleanup_error struct error *err = sandbox_run(&r, s, &spec, 4096);

	if (err)
		return xstrdup(bare_reason(error_message(err)));
	if (r.exit_code != 0)
		return xasprintf("a first start ended with %d", r.exit_code);
	return NULL;
}

/* "bubblewrap 0.8.0", or NULL if it is not there. */
static char *bwrap_version(void)
{
	static const char *const argv[] = {"bwrap", "--version", NULL};
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
			return xstrdup(switches[i].mend);
	return xstrdup("where this is a container, start it with "
		       "--security-opt seccomp=unconfined --security-opt "
		       "systempaths=unconfined, so that bubblewrap can make "
		       "namespaces");
}

/* Without namespaces; and without seccomp, if the kernel has none. */
static void fall_back(struct sandbox *s, const char *reason)
{
	cleanup_free char *why = NULL;

	s->level = SANDBOX_NONE;
	why = try_start(s);
	s->has_seccomp = !why;
	s->description =
		xasprintf("none: %s; limits, %suid %u only", reason,
			  s->has_seccomp ? "seccomp, " : "no seccomp, ",
			  s->uid ? s->uid : geteuid());
}

static void try_bwrap(struct sandbox *s)
{
	cleanup_free char *version = bwrap_version();
	cleanup_free char *why = NULL;
	cleanup_free char *reason = NULL;

	if (!version) {
		s->mend = xstrdup("install bubblewrap "
				  "(apt-get install bubblewrap)");
		fall_back(s, "bubblewrap is not installed");
		return;
	}
	s->level = SANDBOX_BWRAP;
	why = try_start(s);
	if (!why) {
		s->description = xasprintf("%s, seccomp, uid %u", version,
					   s->uid ? s->uid : geteuid());
		return;
	}
	s->mend = mend_namespaces();
	reason = xasprintf("bubblewrap cannot make namespaces here (%.*s)",
			   (int)strcspn(why, ".,;\n"), why);
	fall_back(s, reason);
}

/* A container may have no other user than root. */
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

struct error *sandbox_probe(struct sandbox **out)
{
	cleanup_sandbox struct sandbox *s = xcalloc(1, sizeof *s);
	const char *wish = getenv("AVOGIT_SANDBOX");

	for (size_t i = 0; i < FILTER_COUNT; i++)
		TRY(filter_make(&s->filter[i], (enum filter_kind)i));
	s->has_seccomp = true;
	s->uid = geteuid() == 0 ? unused_uid() : 0;
	if (geteuid() == 0 && !can_step_down(s->uid)) {
		s->uid = 0;
		s->mend = xstrdup("run as an ordinary user, or give the "
				  "container a range of user ids");
		fall_back(s, "root cannot become another user here");
	} else if (wish && str_eq(wish, "none")) {
		fall_back(s, "AVOGIT_SANDBOX=none asks for it");
	} else {
		try_bwrap(s);
	}
	*out = steal(&s);
	return NULL;
}
