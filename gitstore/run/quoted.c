#include "gitstore/run/quoted.h"

#include "gitstore/candidate/candidate.h"
#include "gitstore/git/internal.h"

/* Limits, because the data may come from others: task files that are tried,
 * steps of a lineage, and different measurements examined in one note. */
#define MAX_TASKS  32
#define MAX_STEPS  10000
#define MAX_QUOTES 16

/* ---- which task ---------------------------------------------------------- */

static struct error *parent_tree(git_tree **out, const git_commit *c)
{
	cleanup_git_commit git_commit *parent = NULL;

	*out = NULL;
	/* A shallow clone lacks the parent. */
	if (!git_commit_parentcount(c) || git_commit_parent(&parent, c, 0) < 0)
		return NULL;
	return git_check(git_commit_tree(out, parent), "cannot read a commit");
}

static struct error *diff_trees(git_diff **out, struct gitstore *g,
				git_tree *from, git_tree *to)
{
	return git_check(git_diff_tree_to_tree(out, g->repo, from, to, NULL),
			 "cannot compare two commits");
}

static void add_task(struct strvec *out, const char *path)
{
	if (out->n < MAX_TASKS && !strvec_has(out, path))
		strvec_push(out, path);
}

/* The task file in the folder of the path, and in those above it. */
static void add_nearest(struct strvec *out, const char *path)
{
	cleanup_free char *folder = xstrdup(path);
	char *slash;

	while ((slash = strrchr(folder, '/'))) {
		cleanup_free char *file = NULL;

		*slash = '\0';
		file = xasprintf("%s/" TASK_FILE, folder);
		add_task(out, file);
	}
	add_task(out, TASK_FILE);
}

static struct error *add_of_commit(struct strvec *out, struct gitstore *g,
				   const char *id)
{
	cleanup_git_commit git_commit *c = NULL;
	cleanup_git_tree git_tree *now = NULL, *before = NULL;
	cleanup_git_diff git_diff *diff = NULL;

	TRY(commit_lookup(&c, g, id));
	TRY(git_check(git_commit_tree(&now, c), "cannot read a commit"));
	TRY(parent_tree(&before, c));
	if (before)
		TRY(diff_trees(&diff, g, before, now));
	for (size_t i = 0; diff && i < git_diff_num_deltas(diff); i++)
		add_nearest(out, git_diff_get_delta(diff, i)->new_file.path);
	add_task(out, TASK_FILE);
	return NULL;
}

static struct error *find_tasks(struct strvec *out, struct gitstore *g,
				const char *commit, const char *of,
				const char *run)
{
	cleanup_population struct population p = {0};
	cleanup_error struct error *err = NULL;

	if (*run)
		err = gitstore_recent(&p, g, run, 1);
	if (!err && p.record.task_path)
		add_task(out, p.record.task_path);
	if (of)
		TRY(add_of_commit(out, g, of));
	return add_of_commit(out, g, commit);
}

/* ---- by the sources that the task names ---------------------------------- */

static struct error *sources_of(char out[FILESET_ID_LEN + 1],
				struct gitstore *g, const char *commit,
				const struct strvec *patterns)
{
	cleanup_fileset struct fileset files = FILESET_INIT;

	TRY(gitstore_files(&files, g, commit, patterns));
	fileset_id(out, &files);
	return NULL;
}

static bool are(const char id[FILESET_ID_LEN + 1], const struct measurement *m)
{
	return strncmp(id, m->identity.sources, IDENTITY_HEX_LEN) == 0;
}

static struct error *is_task_of(bool *out, struct gitstore *g,
				const char *commit, const struct task *t,
				const struct measurement *m)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_fileset struct fileset files = FILESET_INIT;
	char id[IDENTITY_HEX_LEN + 1];

	task_patterns(&patterns, t);
	TRY(gitstore_files(&files, g, commit, &patterns));
	task_identity(id, t, &files);
	*out = str_eq(id, m->identity.task);
	return NULL;
}

DEFINE_CLEANUP(quoted_task, struct task, task_free)

/* The task file in `from` names the sources. It is the right one if the
 * candidate has the measured sources, or if the task's own id matches. */
static struct error *by_task(enum quoted *out, struct gitstore *g,
			     const char *commit, const char *from,
			     const char *path, const struct measurement *m)
{
	cleanup_strvec struct strvec sources = STRVEC_INIT;
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	CLEANUP(quoted_task) struct task *t = NULL;
	char here[FILESET_ID_LEN + 1], there[FILESET_ID_LEN + 1];
	bool right;

	*out = QUOTED_UNKNOWN;
	TRY(gitstore_file(&text, g, from, path));
	TRY(task_parse(&t, path, text.data, text.len));
	task_source_patterns(&sources, t);
	TRY(sources_of(here, g, commit, &sources));
	if (are(here, m)) {
		*out = QUOTED_OWN;
		return NULL;
	}
	TRY(sources_of(there, g, from, &sources));
	right = are(there, m);
	if (!right)
		TRY(is_task_of(&right, g, from, t, m));
	if (right)
		*out = QUOTED_OTHERS;
	return NULL;
}

/* ---- by what the candidate changed --------------------------------------- */

/* The commit at which its run began: the first outside the run. */
static struct error *base_of(git_commit **out, struct gitstore *g,
			     const char *id)
{
	cleanup_git_commit git_commit *at = NULL;
	cleanup_free char *run = NULL;

	*out = NULL;
	TRY(commit_lookup(&at, g, id));
	TRY(commit_trailer(&run, at, "Avogit-Run"));
	for (size_t i = 0; run && i < MAX_STEPS; i++) {
		cleanup_git_commit git_commit *before = NULL;
		cleanup_free char *of = NULL;

		if (!git_commit_parentcount(at) ||
		    git_commit_parent(&before, at, 0) < 0)
			return NULL;
		TRY(commit_trailer(&of, before, "Avogit-Run"));
		git_commit_free(at);
		at = steal(&before);
		if (!of || !str_eq(of, run)) {
			*out = steal(&at);
			return NULL;
		}
	}
	return NULL;
}

static bool same_entry(git_tree *a, git_tree *b, const char *path)
{
	cleanup_git_tree_entry git_tree_entry *x = NULL, *y = NULL;
	bool there = git_tree_entry_bypath(&x, a, path) == 0;

	if ((git_tree_entry_bypath(&y, b, path) == 0) != there)
		return false;
	return !there ||
	       (git_oid_equal(git_tree_entry_id(x), git_tree_entry_id(y)) &&
		git_tree_entry_filemode(x) == git_tree_entry_filemode(y));
}

static struct error *by_change(enum quoted *out, struct gitstore *g,
			       const char *commit, const char *of)
{
	cleanup_git_commit git_commit *base = NULL, *there = NULL, *c = NULL;
	cleanup_git_tree git_tree *from = NULL, *to = NULL, *here = NULL;
	cleanup_git_diff git_diff *diff = NULL;

	*out = QUOTED_UNKNOWN;
	TRY(base_of(&base, g, of));
	if (!base)
		return NULL;
	TRY(commit_lookup(&there, g, of));
	TRY(commit_lookup(&c, g, commit));
	TRY(git_check(git_commit_tree(&from, base), "cannot read a commit"));
	TRY(git_check(git_commit_tree(&to, there), "cannot read a commit"));
	TRY(git_check(git_commit_tree(&here, c), "cannot read a commit"));
	TRY(diff_trees(&diff, g, from, to));
	if (git_diff_num_deltas(diff))
		*out = QUOTED_OWN;
	for (size_t i = 0; i < git_diff_num_deltas(diff); i++)
		if (!same_entry(here, to,
				git_diff_get_delta(diff, i)->new_file.path))
			*out = QUOTED_OTHERS;
	return NULL;
}

/* ---- all ----------------------------------------------------------------- */

struct error *gitstore_quoted(enum quoted *out, struct gitstore *g,
			      const char *commit, const struct measurement *m,
			      const char *of, const char *run)
{
	cleanup_strvec struct strvec tasks = STRVEC_INIT;
	git_oid id;

	*out = QUOTED_UNKNOWN;
	if (of && (git_oid_fromstr(&id, of) < 0 || !object_is_there(g, &id)))
		of = NULL;
	TRY(find_tasks(&tasks, g, commit, of, run));
	/* A note that does not name what was measured is used as before. */
	for (size_t i = 0; *m->identity.sources && tasks.n && i < 2 * tasks.n &&
			   *out == QUOTED_UNKNOWN;
	     i++) {
		const char *from = i < tasks.n ? of : commit;

		/* A file that is not readable as a task is skipped. */
		if (from)
			error_free(by_task(out, g, commit, from,
					   tasks.v[i % tasks.n], m));
	}
	if (*out == QUOTED_UNKNOWN && of)
		return by_change(out, g, commit, of);
	return NULL;
}

struct quote_search {
	struct gitstore *g;
	const char *commit, *run;
	bool (*wanted)(const struct measurement *m);
	struct error *err;
	struct measurement *others;
	/* The newest that was examined, and the result. */
	struct measurement *last;
	enum quoted answer;
	size_t examined;
};

static void quote_search_release(struct quote_search *s)
{
	measurement_free(s->others);
	measurement_free(s->last);
}
DEFINE_RELEASE(quote_search, struct quote_search, quote_search_release)

/* If one commit was measured often, the result is the same each time. */
static bool is_like_last(const struct quote_search *s,
			 const struct measurement *m)
{
	const char *of = measurement_get(m, "of");
	const char *before = s->last ? measurement_get(s->last, "of") : NULL;

	return s->last &&
	       str_eq(m->identity.sources, s->last->identity.sources) &&
	       str_eq(m->identity.task, s->last->identity.task) &&
	       str_eq(of ? of : "", before ? before : "");
}

/* A measurement that is not examined counts as that of another kernel: only an
 * examined one can be the commit's own. */
static void examine(struct quote_search *s, const struct measurement *m)
{
	if (is_like_last(s, m))
		return;
	measurement_free(s->last);
	s->last = measurement_dup(m);
	s->answer = QUOTED_OTHERS;
	if (s->examined++ < MAX_QUOTES)
		s->err = gitstore_quoted(&s->answer, s->g, s->commit, m,
					 measurement_get(m, "of"), s->run);
}

static bool is_own(const struct measurement *m, void *arg)
{
	struct quote_search *s = arg;

	if (s->err || (s->wanted && !s->wanted(m)))
		return false;
	examine(s, m);
	if (!s->err && s->answer == QUOTED_OTHERS && !s->others)
		s->others = measurement_dup(m);
	return !s->err && s->answer != QUOTED_OTHERS;
}

struct error *gitstore_note_own(struct measurement **out,
				struct measurement **others, struct gitstore *g,
				const char *commit,
				bool (*wanted)(const struct measurement *m))
{
	cleanup_git_commit git_commit *c = NULL;
	cleanup_free char *note = NULL, *run = NULL;
	CLEANUP(quote_search)
	struct quote_search s = {.g = g, .commit = commit, .wanted = wanted};

	*out = *others = NULL;
	TRY(gitstore_note(&note, g, commit));
	if (!note)
		return NULL;
	TRY(commit_lookup(&c, g, commit));
	TRY(commit_trailer(&run, c, "Avogit-Run"));
	s.run = run ? run : "";
	*out = measurement_note_find(note, is_own, &s);
	if (!*out && !s.err)
		*others = steal(&s.others);
	return s.err;
}
