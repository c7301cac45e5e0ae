/* Which kernels a change affects, and whether it touches what measures them. */
#include "cmd/gate/gate.h"

#include "cmd/ui/markdown.h"

static struct gate_kernel *add_kernel(struct gate_change *g, const char *task)
{
	GROW(g->kernel, g->n, g->cap);
	g->kernel[g->n] = (struct gate_kernel){.task = xstrdup(task)};
	return &g->kernel[g->n++];
}

static void note_difference(struct gate_kernel *k, const char *path,
			    const struct strvec *sources)
{
	if (path_matches(path, sources))
		k->sources_changed = true;
	else
		strvec_push(&k->trusted_changed, path);
}

/* Paths in either that are not the same in both. */
static void compare(struct gate_kernel *k, const struct fileset *before,
		    const struct fileset *after, const struct strvec *sources)
{
	for (size_t i = 0; i < before->n; i++) {
		const struct file_entry *f = &before->file[i];

		if (!file_entry_equal(f, fileset_get(after, f->path)))
			note_difference(k, f->path, sources);
	}
	for (size_t i = 0; i < after->n; i++)
		if (!fileset_get(before, after->file[i].path))
			note_difference(k, after->file[i].path, sources);
}

/* Of what differs only that counts which a score would differ by: a comment or
 * a budget in the task file does not. */
static void drop_harmless(struct gate_kernel *k, const struct session *s,
			  const struct committed_task *before, const char *head)
{
	cleanup_committed_task struct committed_task after = {0};
	cleanup_error struct error *err =
		committed_task_read(&after, s, head, k->task);

	if (!err && str_eq(after.id, before->id))
		strvec_release(&k->trusted_changed);
}

static struct error *look_at(struct gate_kernel *k, struct session *s,
			     const struct committed_task *before,
			     const char *head)
{
	cleanup_fileset struct fileset after = FILESET_INIT;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_strvec struct strvec sources = STRVEC_INIT;

	k->no_slower_case = before->task->no_slower_case;
	task_patterns(&patterns, before->task);
	task_source_patterns(&sources, before->task);
	TRY(gitstore_files(&after, s->git, head, &patterns));
	compare(k, &before->files, &after, &sources);
	if (k->trusted_changed.n)
		drop_harmless(k, s, before, head);
	return NULL;
}

/* BASE is trusted, so a task file of it that cannot be used is not an attack:
 * it is said, and decides nothing. */
static void add_unusable(struct gate_change *g, const struct error *err)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	markdown_add_code(&text, error_message(err));
	strvec_push(&g->unusable, text.data);
}

static void look_at_task(struct gate_change *g, struct session *s,
			 const char *path)
{
	cleanup_committed_task struct committed_task before = {0};
	cleanup_error struct error *err =
		committed_task_read(&before, s, g->base.hex, path);
	struct gate_kernel *k;

	if (err) {
		add_unusable(g, err);
		return;
	}
	g->n_tasks++;
	k = add_kernel(g, path);
	err = look_at(k, s, &before, g->head.hex);
	if (err) {
		cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

		markdown_add_code(&why, error_message(err));
		gate_say(k, GATE_OPEN, "HEAD's files cannot be read: %s",
			 why.data);
	} else if (!k->sources_changed && !k->trusted_changed.n) {
		gate_kernel_release(&g->kernel[--g->n]);
	}
}

static struct error *find_all(struct gate_change *g, struct session *s)
{
	cleanup_strvec struct strvec wanted = STRVEC_INIT;
	cleanup_strvec struct strvec before = STRVEC_INIT;
	cleanup_strvec struct strvec after = STRVEC_INIT;

	strvec_push(&wanted, "//" TASK_FILE);
	TRY(gitstore_paths(&before, s->git, g->base.hex, &wanted));
	TRY(gitstore_paths(&after, s->git, g->head.hex, &wanted));
	for (size_t i = 0; i < after.n; i++)
		if (!strvec_has(&before, after.v[i]))
			strvec_push(&g->added, after.v[i]);
	if (!before.n)
		return error_new(ERROR_TASK,
				 "BASE (%.12s) has no " TASK_FILE
				 ", so that nothing says what is right there: "
				 "name its task with --task FILE, or write one",
				 g->base.hex);
	for (size_t i = 0; i < before.n; i++)
		look_at_task(g, s, before.v[i]);
	return NULL;
}

struct error *gate_find(struct gate_change *g, struct session *s,
			const char *file)
{
	TRY(gitstore_descends(&g->descends, s->git, g->head.hex, g->base.hex));
	if (!file)
		return find_all(g, s);
	TRY(session_task(s, g->base.hex, file));
	look_at_task(g, s, s->at.task->path);
	return NULL;
}
