/* A source as a candidate has it: the tunables of every point that is applied
 * read back as that point, and no other line changes. */
#include "agent/tuner/tunables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 64 /* tunables */

static bool is_at(const struct tunables *t, const size_t *point)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->tunable[i].current != point[i])
			return false;
	return true;
}

static size_t lines(const struct file_entry *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->len; i++)
		n += f->data[i] == '\n';
	return n;
}

static void try_point(const struct fileset *files, const struct tunables *t,
		      const struct task *task, const size_t *point)
{
	cleanup_fileset struct fileset changed = FILESET_INIT;
	cleanup_tunables struct tunables again = {0};
	cleanup_error struct error *err = fileset_copy(&changed, files);

	if (err || (err = tunables_apply(&changed, t, point)))
		abort();
	if (lines(&changed.file[0]) != lines(&files->file[0]))
		abort();
	/* Where the point is not allowed, a requirement may not compute. */
	err = tunables_read(&again, &changed, task);
	if (err ? tunables_allowed(t, point)
		: again.n != t->n || !is_at(&again, point))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};
	cleanup_error struct error *err = NULL;
	struct task task = {.path = (char[]){"avogit.yaml"}};
	size_t point[MOST] = {0};

	strvec_push(&task.allowed_flags, "-O2");
	strvec_push(&task.allowed_flags, "-O3");
	err = fileset_put(&files, "k.c", data, size, false);
	if (!err)
		err = tunables_read(&t, &files, &task);
	if (!err) {
		try_point(&files, &t, &task, point);
		for (size_t i = 0; i < t.n; i++)
			point[i] = t.tunable[i].n_values - 1;
		try_point(&files, &t, &task, point);
	}
	strvec_release(&task.allowed_flags);
	return 0;
}
