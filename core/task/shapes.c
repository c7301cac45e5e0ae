/* The shapes that a reference was made for, as a comment in it. */
#include "core/base/buf.h"
#include "core/task/task.h"

static const char head[] =
	" * Made for the arrays below: where they change in the task, `avogit "
	"init\n"
	" * --reference` makes it again.\n";

static void add_list(struct buf *out, struct expr *const *e, size_t n)
{
	buf_addc(out, '[');
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%s", i ? ", " : "", expr_text(e[i]));
	buf_addc(out, ']');
}

void task_shapes(struct buf *out, const struct task *t)
{
	static const char *const directions[] = {"in", "out", "inout"};

	buf_adds(out, head);
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		if (a->kind != ARGUMENT_TENSOR || a->passing == PASSED_BACK)
			continue;
		buf_addf(out, " *   %s %s ", directions[a->direction], a->name);
		add_list(out, a->shape, a->n_dims);
		if (a->has_strides) {
			buf_addc(out, ' ');
			add_list(out, a->stride, a->n_dims);
		}
		buf_addc(out, '\n');
	}
}

bool task_reference_is_older(const struct task *t, const struct fileset *files)
{
	cleanup_buf struct buf now = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_strvec struct strvec paths = STRVEC_INIT;

	task_shapes(&now, t);
	task_push_paths(&paths, t, &t->reference.sources);
	for (size_t i = 0; !now.truncated && i < paths.n; i++) {
		const struct file_entry *f = fileset_get(files, paths.v[i]);

		if (f && strstr(f->data, head) && !strstr(f->data, now.data))
			return true;
	}
	return false;
}
