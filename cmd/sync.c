/* avogit sync: exchanges journals and notes with another repository, by git. */
#include "gitstore/sync/sync.h"

#include <time.h>

#include "cmd/cmd.h"
#include "cmd/session/consent.h"
#include "cmd/ui/out.h"
#include "cmd/session/session.h"
#include "core/base/random.h"

struct sync_flags {
	const char *run;
	bool branches, logs, dry_run, receive_only;
};

static const struct opt options[] = {
	OPT(struct sync_flags, run, "run", 'r', "NAME",
	    "only this run; @ is what was scored outside runs"),
	OPT(struct sync_flags, branches, "branches", 0, NULL,
	    "send the branches avo/RUN/..., too"),
	OPT(struct sync_flags, logs, "logs", 0, NULL,
	    "move the logs, too (they may be private)"),
	OPT(struct sync_flags, receive_only, "receive-only", 0, NULL,
	    "fetch, and send nothing (where you may not push)"),
	OPT(struct sync_flags, dry_run, "dry-run", 'n', NULL,
	    "say what would move, and move nothing"),
	OPT_END,
};

/* Most tries if the other side changes meanwhile. */
#define MAX_TRIES 6
/* Refspecs per command line. */
#define MAX_SPECS     500
#define LISTING_LIMIT ((size_t)64 << 20)

struct syncing {
	struct session session;
	struct sync_flags flags;
	char *remote;
	size_t journals, logs, sent, restored;
	bool notes_received;
};

static void syncing_release(struct syncing *s)
{
	free(s->remote);
	session_release(&s->session);
}
DEFINE_RELEASE(syncing, struct syncing, syncing_release)

/* ---- which repository ---------------------------------------------------- */

/* As git fetch: the branch's own remote, else origin, else the only one. */
static struct error *default_remote(char **out)
{
	const char *remotes[] = {"remote", NULL};
	const char *head[] = {"rev-parse", "--abbrev-ref",
			      "--symbolic-full-name", "@{upstream}", NULL};
	cleanup_buf struct buf list = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf upstream = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_strvec struct strvec names = STRVEC_INIT;
	char *save = NULL;
	int code;

	TRY(git_run_foreground(&code, &list, GIT_INSIDE, remotes));
	if (code == 0 && list.len)
		for (char *name = strtok_r(list.data, "\n", &save); name;
		     name = strtok_r(NULL, "\n", &save))
			strvec_push(&names, name);
	if (names.n > 1 && !strvec_has(&names, "origin"))
		TRY(git_run_foreground(&code, &upstream, GIT_INSIDE, head));
	for (size_t i = 0; i < names.n && upstream.len; i++)
		if (starts_with(upstream.data, names.v[i]) &&
		    upstream.data[strlen(names.v[i])] == '/')
			*out = xstrdup(names.v[i]);
	if (*out)
		return NULL;
	if (names.n == 1 || strvec_has(&names, "origin")) {
		*out = xstrdup(names.n == 1 ? names.v[0] : "origin");
		return NULL;
	}
	return error_new(ERROR_USAGE,
			 names.n ? "sync: which remote? There is none called "
				   "origin: name one"
				 : "sync: there is no remote: name a "
				   "repository, or `git remote add` one");
}

/* ---- what git does ------------------------------------------------------- */

static struct error *list_theirs(struct buf *out, const struct syncing *s)
{
	const char *words[] = {"ls-remote",
			       "--refs",
			       "--",
			       s->remote,
			       "refs/avogit/*",
			       "refs/notes/avogit",
			       "refs/heads/avo/*",
			       NULL};
	int code;

	TRY(git_run_foreground(&code, out, GIT_TRANSPORT, words));
	if (code != 0)
		return error_new(ERROR_REPO, "git cannot read '%s'", s->remote);
	if (out->truncated)
		return error_new(ERROR_TOO_BIG, "'%s' has too many refs",
				 s->remote);
	return NULL;
}

/* Runs git with these words, as often as the number of refspecs requires. */
static struct error *transport(bool *ok, const struct syncing *s,
			       const char *const *words,
			       const struct strvec *specs, struct buf *said)
{
	*ok = true;
	for (size_t i = 0; i < specs->n && *ok; i += MAX_SPECS) {
		cleanup_strvec struct strvec argv = STRVEC_INIT;
		int code;

		for (const char *const *w = words; *w; w++)
			strvec_push(&argv, *w);
		strvec_push(&argv, s->remote);
		for (size_t j = i; j < MIN(i + MAX_SPECS, specs->n); j++)
			strvec_push(&argv, specs->v[j]);
		TRY(git_run_foreground(&code, said, GIT_TRANSPORT,
				       (const char *const *)argv.v));
		*ok = code == 0;
	}
	return NULL;
}

/* Fetches only these refs: no tags, no submodules, no FETCH_HEAD, no gc. */
static struct error *fetch(const struct syncing *s, const struct strvec *specs)
{
	static const char *const words[] = {"fetch",
					    "-q",
					    "--no-tags",
					    "--no-recurse-submodules",
					    "--no-write-fetch-head",
					    "--",
					    NULL};
	bool ok;

	TRY(transport(&ok, s, words, specs, NULL));
	if (!ok)
		return error_new(ERROR_MOVED, "git cannot fetch from '%s'",
				 s->remote);
	return NULL;
}

/* Finds the next "!\tFROM:TO\tWHY": a ref that the other side refused. */
static bool next_refusal(char **ref, char **why, const char **at)
{
	while (**at) {
		const char *line = *at, *to, *tab;
		size_t len = strcspn(line, "\n");

		*at = line + len + (line[len] == '\n');
		tab = len > 2 && line[0] == '!' && line[1] == '\t'
			      ? memchr(line + 2, '\t', len - 2)
			      : NULL;
		if (!tab)
			continue;
		to = memchr(line, ':', (size_t)(tab - line));
		to = to ? to + 1 : line + 2;
		*ref = xstrndup(to, (size_t)(tab - to));
		*why = xstrndup(tab + 1, len - (size_t)(tab + 1 - line));
		return true;
	}
	return false;
}

/* True if the other side changed meanwhile or was locked, so that another try
 * can succeed. Its own rules ("remote rejected") do not change. */
static bool is_passing(const char *why)
{
	if (starts_with(why, "[rejected]"))
		return true;
	return strstr(why, "lock") || strstr(why, "failed to update ref") ||
	       strstr(why, "incorrect old value");
}

/* Is every refusal of that kind? If git names no ref, the push was refused as a
 * whole. */
static bool has_moved(const char *said)
{
	size_t n = 0;

	for (const char *at = said;;) {
		cleanup_free char *ref = NULL, *why = NULL;

		if (!next_refusal(&ref, &why, &at))
			return n > 0;
		if (!is_passing(why))
			return false;
		n++;
	}
}

static struct error *refused_for_good(const struct syncing *s, const char *said)
{
	cleanup_buf struct buf refs = BUF_INIT(BUF_LIMIT_TEXT);

	for (const char *at = said;;) {
		cleanup_free char *ref = NULL, *why = NULL;

		if (!next_refusal(&ref, &why, &at))
			break;
		if (is_passing(why))
			continue;
		buf_adds(&refs, refs.len ? ", " : "");
		out_clean_line(&refs, ref);
		buf_adds(&refs, " ");
		out_clean_line(&refs, why);
	}
	return error_new(
		ERROR_REFUSED,
		"what '%s' has was received, but it does not take what "
		"is here%s%s: ask its administrator for the right to "
		"push to refs/avogit/ and refs/notes/avogit, sync with "
		"another repository, or say --receive-only",
		s->remote, refs.len ? ": " : "", refs.data);
}

/* Skips the user's pre-push hook, because no work of the user is pushed. */
static struct error *push(const struct syncing *s, const struct strvec *specs)
{
	static const char *const words[] = {"push",
					    "-q",
					    "--porcelain",
					    "--no-verify",
					    "--no-follow-tags",
					    "--recurse-submodules=no",
					    "--",
					    NULL};
	bool ok;

	cleanup_buf struct buf said = BUF_INIT(LISTING_LIMIT);

	TRY(transport(&ok, s, words, specs, &said));
	if (ok)
		return NULL;
	if (has_moved(said.data))
		return error_new(ERROR_MOVED, "git cannot push to '%s'",
				 s->remote);
	return refused_for_good(s, said.data);
}

/* ---- one try ------------------------------------------------------------- */

static void say_refused(const struct strvec *refused, const char *why)
{
	for (size_t i = 0; i < refused->n; i++) {
		cleanup_free char *line =
			xasprintf("not taken: %s%s", refused->v[i], why);

		out_error(line);
	}
}

static struct error *take(struct syncing *s)
{
	cleanup_sync_taken struct sync_taken t = {.journals = 0};

	TRY(sync_take(&t, s->session.git));
	s->journals += t.journals;
	s->logs += t.logs;
	s->restored += t.restored;
	s->notes_received = s->notes_received || t.notes;
	say_refused(&t.refused, "");
	return NULL;
}

static struct error *plan(struct sync_plan *out, const struct syncing *s,
			  const char *listing)
{
	const struct sync_options o = {.branches = s->flags.branches,
				       .logs = s->flags.logs,
				       .run = s->flags.run};

	sync_plan_release(out);
	*out = (struct sync_plan){.receive = STRVEC_INIT};
	return sync_plan_make(out, s->session.git, listing, &o);
}

/* Is --run a name that neither side has? */
static struct error *check_run(const struct syncing *s, const char *listing)
{
	cleanup_strvec struct strvec here = STRVEC_INIT;
	cleanup_buf struct buf shown = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *there = NULL;

	if (!s->flags.run || str_eq(s->flags.run, "@"))
		return NULL;
	TRY(gitstore_runs(&here, s->session.git));
	there = xasprintf("\trefs/avogit/%s/journal/", s->flags.run);
	if (strvec_has(&here, s->flags.run) || strstr(listing, there))
		return NULL;
	out_clean_line(&shown, s->flags.run);
	return error_new(ERROR_NOT_FOUND,
			 "no run '%s', neither here nor in '%s': `avogit runs` "
			 "lists those here",
			 shown.data, s->remote);
}

/* ERROR_MOVED if another try can succeed. */
static struct error *sync_once(struct syncing *s)
{
	cleanup_sync_plan struct sync_plan p = {.receive = STRVEC_INIT};
	cleanup_buf struct buf listing = BUF_INIT(LISTING_LIMIT);

	TRY(list_theirs(&listing, s));
	TRY(check_run(s, listing.data));
	TRY(plan(&p, s, listing.data));
	if (p.receive.n)
		TRY(fetch(s, &p.receive));
	/* Includes what an interrupted earlier sync fetched. */
	TRY(take(s));
	TRY(plan(&p, s, listing.data));
	say_refused(&p.diverged, ": two machines wrote it, and neither's is "
				 "the other's beginning");
	if (s->flags.receive_only)
		return NULL;
	if (p.send.n)
		TRY(push(s, &p.send));
	s->sent += p.send.n;
	return NULL;
}

static void wait_a_little(struct random *r, unsigned tries)
{
	double seconds = 0.1 * (double)(1u << tries) * (0.5 + random_unit(r));
	const struct timespec pause = {
		.tv_sec = (time_t)seconds,
		.tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds)),
	};

	nanosleep(&pause, NULL);
}

static struct error *sync_all(struct syncing *s)
{
	struct random r;

	random_init(&r, random_seed());
	for (unsigned tries = 0;; tries++) {
		struct error *err = sync_once(s);

		if (!error_is(err, ERROR_MOVED) || tries + 1 == MAX_TRIES)
			return err;
		error_free(err);
		wait_a_little(&r, tries);
	}
}

/* ---- reporting ----------------------------------------------------------- */

static void print_specs(const char *what, const struct strvec *specs)
{
	for (size_t i = 0; i < specs->n; i++) {
		const char *ref = specs->v[i] + (*specs->v[i] == '+');
		cleanup_free char *name = xstrndup(ref, strcspn(ref, ":"));
		cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

		out_clean_line(&line, name);
		printf("%s %s\n", what, line.data);
	}
}

static struct error *dry_run(struct syncing *s)
{
	cleanup_sync_plan struct sync_plan p = {.receive = STRVEC_INIT};
	cleanup_buf struct buf listing = BUF_INIT(LISTING_LIMIT);

	TRY(list_theirs(&listing, s));
	TRY(check_run(s, listing.data));
	TRY(plan(&p, s, listing.data));
	print_specs("would receive", &p.receive);
	if (s->flags.receive_only)
		strvec_release(&p.send);
	print_specs("would send", &p.send);
	print_specs("would leave (two machines wrote it)", &p.diverged);
	if (!p.receive.n && !p.send.n)
		puts("nothing to move");
	return NULL;
}

static void print_summary(const struct syncing *s)
{
	if (!s->journals && !s->logs && !s->notes_received && !s->sent &&
	    !s->restored) {
		puts("nothing to move");
		return;
	}
	printf("received %zu journals%s", s->journals,
	       s->notes_received ? " and notes" : "");
	if (s->logs)
		printf(" and %zu logs", s->logs);
	printf(", sent %zu refs\n", s->sent);
	if (s->restored)
		printf("put back %zu notes that had vanished\n", s->restored);
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	CLEANUP(syncing) struct syncing s = {.remote = NULL};
	cleanup_strvec struct strvec operands = STRVEC_INIT;

	(void)code;
	TRY(command_parse(self, &s.flags, &operands, argv));
	TRY(session_open(&s.session, NULL));
	if (operands.n)
		s.remote = xstrdup(operands.v[0]);
	else
		TRY(default_remote(&s.remote));
	TRY(session_require_git(&s.session, GIT_TRANSPORT));
	if (s.flags.dry_run)
		return dry_run(&s);
	TRY(error_wrap(sync_all(&s), "sync"));
	print_summary(&s);
	return NULL;
}

const struct command command_sync = {
	.name = "sync",
	.operands = "[REMOTE]",
	.summary = "exchanges runs and scores with another repository",
	.about =
		"Fetches the journals and notes of REMOTE (a remote, a path or "
		"a URL; the branch's\nown remote, else origin) and pushes "
		"yours: afterwards both know what either did.\nJournals have "
		"one writer each and only grow; notes are merged line by line "
		"and then\nchecked against the journals. Branches are computed "
		"here; logs stay at home unless\nasked for. git does the "
		"transport, with your ssh and credential helpers.",
	.options = options,
	.max_operands = 1,
	.run = run,
};
