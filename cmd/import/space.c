#include "cmd/import/space.h"

#include "agent/tuner/t1.h"
#include "agent/tuner/tunables.h"
#include "cmd/ui/out.h"
#include "core/base/file.h"

/* What was made is a source that the tuner reads. */
static struct error *check(size_t *tunables, const struct buf *text,
			   const char *path)
{
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_tunables struct tunables t = {0};
	const struct task task = {.path = (char[]){"avogit.yaml"},
				  .fixed_flags = true};

	TRY(fileset_put(&files, "source", text->data, text->len, false));
	TRY(error_wrap(tunables_read(&t, &files, &task),
		       "what %s says makes no declarations", path));
	*tunables = t.n;
	return NULL;
}

static struct error *refuse_existing(const struct space_request *r)
{
	if (!r->output || r->force || !file_exists(r->output))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "%s is there already: --force replaces it", r->output);
}

struct error *space_import(const struct space_request *r)
{
	cleanup_buf struct buf space = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf source = BUF_INIT(FILESET_MAX_BYTES);
	cleanup_buf struct buf out = BUF_INIT(FILESET_MAX_BYTES);
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_t1 struct t1 t = {0};
	size_t n = 0;

	TRY(refuse_existing(r));
	TRY(file_read(&space, r->space));
	TRY(error_wrap(t1_parse(&t, space.data, space.len), "%s", r->space));
	if (r->source)
		TRY(file_read(&source, r->source));
	TRY(error_wrap(t1_declare(&out, &t, source.data, source.len), "%s",
		       r->source ? r->source : r->space));
	TRY(check(&n, &out, r->space));
	if (!r->output) {
		fwrite(out.data, 1, out.len, stdout);
		return NULL;
	}
	TRY(file_write_atomic(r->output, out.data, out.len));
	out_clean_line(&clean, r->output);
	printf("wrote %s with %zu tunables\n", clean.data, n);
	return NULL;
}
