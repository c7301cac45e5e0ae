#include "cmd/session/session.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/ui/out.h"
#include "cmd/ui/stop.h"
#include "core/base/file.h"
#include "gitstore/journal/restore.h"
#include "gitstore/run/pick.h"
#include "gitstore/sync/sync.h"
#include "scorer/device/gpu.h"

void committed_task_release(struct committed_task *t)
{
	task_free(t->task);
	fileset_release(&t->files);
	*t = (struct committed_task){0};
}

size_t committed_task_guesses(const struct committed_task *t)
{
	const struct file_entry *f = fileset_get(&t->files, t->task->path);
	size_t n = 0;

	for (const char *s = f ? f->data : ""; (s = strstr(s, "# GUESS")); n++)
		s += strcspn(s, "\n");
	return n;
}

void session_release(struct session *s)
{
	gitstore_archive_free(s->archive);
	scorer_pool_free(s->cards);
	for (size_t i = 0; i < s->n_other; i++)
		scorer_free(s->other[i]);
	free(s->other);
	scorer_free(s->evaluator);
	free(s->stage);
	sandbox_free(s->sandbox);
	free(s->cache);
	committed_task_release(&s->at);
	gitstore_close(s->git);
	*s = (struct session){0};
}

/* Nothing depends on these notes: if they cannot be written (a read-only
 * repository), a later command adds them. */
static void mend_picked(struct session *s)
{
	size_t attached = 0;
	cleanup_error struct error *err = pick_mend(&attached, s->git);

	if (!err && attached)
		fprintf(stderr,
			"avogit: attached the scores of %zu picked commit%s\n",
			attached, attached == 1 ? "" : "s");
}

/* The same for journals. `avogit doctor` reports lost ones. */
static void mend_journals(struct session *s)
{
	cleanup_tips_mended struct tips_mended m = {.back = STRVEC_INIT};
	cleanup_error struct error *err = tips_mend(&m, s->git);

	for (size_t i = 0; !err && i < m.back.n; i++)
		fprintf(stderr,
			"avogit: brought back %s, which was removed or set "
			"back without avogit (`git fetch` does so where "
			"fetch.prune is set)\n",
			m.back.v[i]);
}

/* What `git fetch` brought is read from now on. In a repository that cannot be
 * written it stays where it is. */
static void take_fetched(struct session *s)
{
	cleanup_sync_taken struct sync_taken t = {.journals = 0};
	cleanup_error struct error *err = sync_take_fetched(&t, s->git);

	for (size_t i = 0; !err && i < t.refused.n; i++)
		fprintf(stderr, "avogit: not taken from `git fetch`: %s\n",
			t.refused.v[i]);
	if (!err && (t.journals || t.notes))
		fprintf(stderr,
			"avogit: took in what `git fetch` brought: %zu "
			"journal%s%s\n",
			t.journals, t.journals == 1 ? "" : "s",
			t.notes ? " and notes" : "");
}

struct error *session_open(struct session *s, const char *color)
{
	cleanup_free char *configured = NULL;

	TRY(gitstore_open(&s->git, "."));
	mend_journals(s);
	take_fetched(s);
	mend_picked(s);
	configured = gitstore_config(s->git, "color.ui");
	return palette_init(&s->color, color, configured, STDOUT_FILENO);
}

/* ---- where the task is -------------------------------------------------- */

/* The user's folder relative to the top of the repository: "" or "dir/". */
static struct error *here(char **out, const struct session *s)
{
	if (gitstore_work_dir(s->git))
		return gitstore_prefix(out, s->git, ".");
	*out = xstrdup("");
	return NULL;
}

static struct error *path_of(char **out, const struct session *s,
			     const char *file)
{
	const char *slash = strrchr(file, '/');
	cleanup_free char *dir = NULL, *prefix = NULL;

	dir = !slash	      ? xstrdup(".")
	      : slash == file ? xstrdup("/")
			      : xstrndup(file, (size_t)(slash - file));
	if (gitstore_work_dir(s->git))
		TRY(gitstore_prefix(&prefix, s->git, dir));
	else
		prefix = xstrdup("");
	*out = xasprintf("%s%s", prefix, slash ? slash + 1 : file);
	return NULL;
}

static bool in_work_tree(const struct session *s, const char *path)
{
	const char *top = gitstore_work_dir(s->git);
	cleanup_free char *full = NULL;

	if (!top)
		return false;
	full = xasprintf("%s%s", top, path);
	return file_exists(full);
}

/* Is the path in the commit? An error if it is only in the work tree. */
static struct error *committed(bool *out, const struct session *s,
			       const char *commit, const char *path)
{
	cleanup_strvec struct strvec wanted = STRVEC_INIT;
	cleanup_strvec struct strvec found = STRVEC_INIT;
	cleanup_buf struct buf command = BUF_INIT(BUF_LIMIT_TEXT);
	char brief[COMMIT_ID_LEN + 1];

	strvec_push(&wanted, path);
	TRY(gitstore_paths(&found, s->git, commit, &wanted));
	if (!found.n && in_work_tree(s, path)) {
		gitstore_abbreviate(brief, s->git, commit);
		session_add_command(&command, s, &wanted);
		return error_new(ERROR_REFUSED,
				 "%s is not in commit %s: run `%s` and "
				 "`git commit` first, with what it names",
				 path, brief, command.data);
	}
	*out = found.n > 0;
	return NULL;
}

/* Removes the last folder: "a/b/" becomes "a/", then "". */
static void go_up(char *prefix)
{
	size_t len = strlen(prefix);

	while (len > 0 && prefix[--len] == '/')
		prefix[len] = '\0';
	while (len > 0 && prefix[len - 1] != '/')
		len--;
	prefix[len] = '\0';
}

struct error *session_nearest_task(char **out, const struct session *s,
				   const char *commit)
{
	cleanup_free char *prefix = NULL;
	bool found = false;

	TRY(here(&prefix, s));
	for (;;) {
		cleanup_free char *path = xasprintf("%s" TASK_FILE, prefix);

		TRY(committed(&found, s, commit, path));
		if (found) {
			*out = steal(&path);
			return NULL;
		}
		if (!*prefix)
			return error_new(ERROR_TASK,
					 "no " TASK_FILE " here or above: "
					 "`avogit init KERNEL.c` (or "
					 "KERNEL.cu) writes one");
		go_up(prefix);
	}
}

static struct error *named(char **out, const struct session *s,
			   const char *commit, const char *file)
{
	cleanup_free char *path = NULL;
	char brief[COMMIT_ID_LEN + 1];
	bool found = false;

	TRY(path_of(&path, s, file));
	TRY(committed(&found, s, commit, path));
	if (!found) {
		gitstore_abbreviate(brief, s->git, commit);
		return error_new(ERROR_TASK, "commit %s has no task file %s",
				 brief, path);
	}
	*out = steal(&path);
	return NULL;
}

/* ---- reading the task ---------------------------------------------------- */

/* --arch makes a different task, so that its measurements are kept apart from
 * those of the file's own. */
static struct error *choose_arch(struct task *t, const struct session *s)
{
	if (!s->arch)
		return NULL;
	if (!arch_is_name(s->arch))
		return error_new(ERROR_USAGE,
				 "--arch %s: it must be such as sm_80 or "
				 "sm_90a",
				 s->arch);
	if (!task_compiles_cuda(t))
		return error_new(ERROR_USAGE,
				 "--arch is for language: cuda, and %s is a "
				 "task in %s",
				 t->path, task_language(t));
	free(t->cuda.arch);
	t->cuda.arch = xstrdup(s->arch);
	return NULL;
}

struct error *committed_task_read(struct committed_task *out,
				  const struct session *s, const char *commit,
				  const char *path)
{
	cleanup_committed_task struct committed_task t = {0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	/* A run that was fetched may lack it. */
	if (!path)
		return error_new(ERROR_MALFORMED,
				 "the run's journal does not say which task it "
				 "is of: it is damaged; name another run "
				 "(--run NAME)");
	TRY(gitstore_file(&text, s->git, commit, path));
	/* held: a task of its own, into which nothing points yet */
	TRY(task_parse(&t.task, path, text.data, text.len));
	TRY(choose_arch(t.task, s));
	task_patterns(&patterns, t.task);
	TRY(gitstore_files(&t.files, s->git, commit, &patterns));
	TRY(task_check_files(t.task, &t.files));
	task_identity(t.id, t.task, &t.files);
	t.commit = commit_id(commit);
	*out = t;
	memset(&t, 0, sizeof t);
	return NULL;
}

struct error *session_task(struct session *s, const char *commit,
			   const char *file)
{
	cleanup_free char *path = NULL;

	if (file)
		TRY(named(&path, s, commit, file));
	else
		TRY(session_nearest_task(&path, s, commit));
	return committed_task_read(&s->at, s, commit, path);
}

struct error *session_run_task(struct session *s, const char *commit,
			       const char *path)
{
	return path ? committed_task_read(&s->at, s, commit, path)
		    : session_task(s, commit, NULL);
}

/* A candidate keeps its parent's files unless the task allows otherwise. */
static struct error *refuse_missing(const struct session *s,
				    const struct strvec *sources)
{
	cleanup_strvec struct strvec paths = STRVEC_INIT;

	if (s->at.task->may_remove)
		return NULL;
	TRY(gitstore_paths(&paths, s->git, s->at.commit.hex, sources));
	for (size_t i = 0; i < paths.n; i++)
		if (!in_work_tree(s, paths.v[i]))
			return error_new(ERROR_REFUSED,
					 "%s, named under sources, is not in "
					 "the work tree: `git restore FILE` "
					 "brings it back",
					 paths.v[i]);
	return NULL;
}

struct error *session_snapshot(struct commit_id *id, const struct session *s,
			       const char *command)
{
	cleanup_strvec struct strvec sources = STRVEC_INIT;
	cleanup_free char *message =
		xasprintf("the work tree as it was %sd", command);
	bool same;

	if (!gitstore_work_dir(s->git))
		return error_new(ERROR_USAGE,
				 "%s needs a REV in a bare repository",
				 command);
	TRY(session_refuse_dirty(s, DIRTY_TRUSTED));
	task_source_patterns(&sources, s->at.task);
	TRY(refuse_missing(s, &sources));
	return gitstore_snapshot(id, &same, s->git, s->at.commit.hex, &sources,
				 message);
}

/* ---- scoring ------------------------------------------------------------ */

static struct error *probe(struct session *s)
{
	const char *what, *mend;

	TRY(sandbox_probe(&s->sandbox));
	if (sandbox_level(s->sandbox) != SANDBOX_NONE)
		return NULL;
	what = sandbox_describe(s->sandbox);
	mend = sandbox_mend(s->sandbox);
	if (starts_with(what, "none: "))
		what += strlen("none: ");
	fprintf(stderr, "avogit: candidates run unsandboxed: %s%s%s\n", what,
		mend ? "; " : "", mend ? mend : "");
	return NULL;
}

char *session_cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	cleanup_free char *above = NULL;
	cleanup_free char *path = NULL;
	struct stat st;

	if (cache && *cache == '/')
		above = xstrdup(cache);
	else if (home && *home == '/')
		above = xasprintf("%s/.cache", home);
	else
		return NULL;
	path = xasprintf("%s/avogit", above);
	error_free(dir_make_private(path));
	if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) ||
	    st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return NULL;
	return steal(&path);
}

static struct error *open_scorer(struct evaluator **out, struct session *s,
				 struct scorer_options *options, size_t card)
{
	const char *word = s->gpus && card < s->gpus->n ? s->gpus->v[card]
							: NULL;
	struct error *err;

	options->gpu = word;
	options->stage = &s->stage[card];
	err = scorer_new(out, s->at.task, &s->at.files, s->sandbox, options);
	return word ? error_wrap(err, "--gpus") : err;
}

/* The scorers of the second card and those after it. */
static struct error *open_other_cards(struct session *s,
				      struct scorer_options *options)
{
	size_t n = s->gpus ? s->gpus->n : 0;
	struct evaluator *all[GPU_MAX] = {s->evaluator};
	const volatile int *stop_now = options->stop_now;

	if (n <= 1)
		return NULL;
	if (n > GPU_MAX)
		return error_new(ERROR_USAGE,
				 "--gpus: at most %d cards: name fewer",
				 GPU_MAX);
	s->other = xcalloc(n - 1, sizeof(struct evaluator *));
	options->stop_now = &s->stop_others;
	/* They wait at the same time: the first one's is counted. */
	options->waited = NULL;
	for (size_t i = 1; i < n; i++) {
		TRY(open_scorer(&s->other[i - 1], s, options, i));
		s->n_other = i;
		all[i] = s->other[i - 1];
	}
	return error_wrap(scorer_pool_new(&s->cards, all, n, stop_now,
					  &s->stop_others),
			  "--gpus");
}

struct error *session_scorer(struct session *s, const char *base,
			     const volatile int *stop_now)
{
	struct scorer_options options = {
		.stop_now = stop_now ? stop_now : stop_now_watch(),
		.stop = stop_asked(),
		.comparison_seconds = s->comparison_seconds,
		.locks = env_get("AVOGIT_LOCKS"),
		.say = out_error,
		.waited = &s->waited,
	};

	if (!options.locks)
		options.locks = "/tmp";

	s->cache = session_cache_folder();
	options.cache_dir = s->cache;
	/* A candidate that dies during the exchange gets a verdict. */
	signal(SIGPIPE, SIG_IGN);
	if (!s->stage)
		s->stage = xcalloc(GPU_MAX, sizeof *s->stage);
	TRY(probe(s));
	TRY(open_scorer(&s->evaluator, s, &options, 0));
	TRY(open_other_cards(s, &options));
	return gitstore_archive(&s->archive, s->git, s->at.task, base);
}
