/* A task file as any repository may have it: what parses has a layout of
 * every case, declared and drawn, whose arguments lie where they should. */
#include "core/task/layout.h"
#include "core/score/measurement.h"
#include "core/base/secret.h"
#include "core/task/hidden.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tensor(const struct layout *l, const struct tensor_layout *t)
{
	if (t->region >= REGION_COUNT || t->begin % LAYOUT_PAGE ||
	    t->end > l->region_bytes[t->region] || t->offset < t->begin ||
	    t->offset > t->end || t->bytes > t->end - t->offset)
		abort();
}

static void lay_out(const struct task *t, const struct task_case *c)
{
	cleanup_free struct layout *l = xcalloc(1, sizeof *l);
	double work;
	bool bytes;

	for (int end_aligned = 0; end_aligned < 2; end_aligned++) {
		cleanup_error struct error *err =
			layout_make(l, t, c, end_aligned);

		if (err)
			return;
		for (size_t i = 0; i < l->n; i++)
			if (l->arg[i].is_tensor)
				check_tensor(l, &l->arg[i].tensor);
	}
	error_free(task_work(&work, &bytes, t, c));
}

static void draw(const struct task *t, struct secret_random *r)
{
	struct hidden_number v[] = {{1, HIDDEN_OTHER},
				    {64, HIDDEN_TUNABLE},
				    {INT64_C(1000000000000), HIDDEN_STEP}};
	const struct hidden_numbers numbers = {.v = v, .n = ARRAY_SIZE(v)};
	cleanup_free struct task_case *c =
		xcalloc(hidden_total(t) + 1, sizeof *c);

	hidden_draw_all(c, t, &numbers, r);
	for (size_t i = 0; i < hidden_total(t); i++) {
		lay_out(t, &c[i]);
		task_case_release(&c[i]);
	}
}

static void apply(const struct task *t)
{
	cleanup_fileset struct fileset none = FILESET_INIT;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	char id[IDENTITY_HEX_LEN + 1];
	struct secret_random r;

	secret_random_repeat(&r, 1);
	for (size_t i = 0; i < t->n_cases; i++)
		lay_out(t, &t->cases[i]);
	draw(t, &r);
	error_free(task_check_files(t, &none));
	task_patterns(&patterns, t);
	task_build_patterns(&patterns, t);
	task_source_patterns(&patterns, t);
	task_identity(id, t, &none);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long: a byte read beyond is a fault. */
	cleanup_free char *text =
		xmemdup(size ? (const void *)data : "", MAX(size, 1));
	cleanup_task struct task *t = NULL;
	cleanup_error struct error *err =
		task_parse(&t, "dir/avogit.yaml", text, size);

	if (!err)
		apply(t);
	return 0;
}
