#include "cmd/session/base.h"

#include "cmd/ui/out.h"

/* Commits looked at for one that can be a base, files named. */
#define MAX_LOOKED_AT 200
#define MAX_NAMED     4

static bool same_file(const struct file_entry *a, const struct file_entry *b)
{
	return a && b && a->len == b->len &&
	       memcmp(a->data, b->data, a->len) == 0;
}

static void add_missing(struct strvec *out, const struct fileset *from,
			const struct fileset *other,
			const struct strvec *sources)
{
	for (size_t i = 0; i < from->n; i++) {
		const char *path = from->file[i].path;

		if (!path_matches(path, sources) && !strvec_has(out, path) &&
		    !same_file(&from->file[i], fileset_get(other, path)))
			strvec_push(out, path);
	}
}

/* "avogit.yaml, reference.c": what no candidate may change and somebody did. */
static void name_differing(struct buf *out, const struct committed_task *now,
			   const struct committed_task *then)
{
	cleanup_strvec struct strvec sources = STRVEC_INIT;
	cleanup_strvec struct strvec paths = STRVEC_INIT;
	cleanup_buf struct buf list = BUF_INIT(BUF_LIMIT_TEXT);

	task_source_patterns(&sources, now->task);
	add_missing(&paths, &now->files, &then->files, &sources);
	add_missing(&paths, &then->files, &now->files, &sources);
	for (size_t i = 0; i < MIN(paths.n, MAX_NAMED); i++)
		buf_addf(&list, "%s%s", i ? ", " : "", paths.v[i]);
	if (paths.n > MAX_NAMED)
		buf_addf(&list, " and %zu more", paths.n - MAX_NAMED);
	out_clean_line(out, list.data);
}

static bool has_same_task(const struct session *s, const char *commit)
{
	cleanup_committed_task struct committed_task then = {0};
	cleanup_error struct error *err =
		committed_task_read(&then, s, commit, s->at.task->path);

	return !err && str_eq(then.id, s->at.id);
}

/* Along the first parents, as far back as the task is the same. */
static struct error *find_oldest(char id[COMMIT_ID_LEN + 1],
				 const struct session *s)
{
	memcpy(id, s->at.commit, COMMIT_ID_LEN + 1);
	for (size_t i = 0; i < MAX_LOOKED_AT; i++) {
		cleanup_commit_info struct commit_info info = {0};

		TRY(gitstore_commit_info(&info, s->git, id));
		if (!info.n_parents || !has_same_task(s, info.parents[0]))
			break;
		memcpy(id, info.parents[0], COMMIT_ID_LEN + 1);
	}
	return NULL;
}

static struct error *refuse(const struct session *s, const char *base,
			    const char *why)
{
	char oldest[COMMIT_ID_LEN + 1], brief[COMMIT_ID_LEN + 1];

	TRY(find_oldest(oldest, s));
	gitstore_abbreviate(brief, s->git, oldest);
	return error_new(ERROR_REFUSED,
			 "%.12s cannot be the base of %.12s: %s; the oldest "
			 "commit with the task of now is %s",
			 base, s->at.commit, why, brief);
}

struct error *base_find(char id[COMMIT_ID_LEN + 1], const struct session *s,
			const char *rev)
{
	cleanup_committed_task struct committed_task then = {0};
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_error struct error *err = NULL;
	bool descends;

	TRY(gitstore_resolve(id, s->git, rev));
	TRY(gitstore_descends(&descends, s->git, s->at.commit, id));
	if (!descends)
		return error_new(ERROR_REFUSED,
				 "%.12s cannot be the base of %.12s: it is no "
				 "ancestor of it",
				 id, s->at.commit);
	err = committed_task_read(&then, s, id, s->at.task->path);
	if (err)
		return refuse(s, id, error_message(err));
	if (str_eq(then.id, s->at.id))
		return NULL;
	name_differing(&why, &s->at, &then);
	buf_adds(&why, " differs between them, and a run has one task");
	return refuse(s, id, why.data);
}
