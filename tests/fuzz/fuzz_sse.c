/* A stream gives the same events however it is cut. */
#include "agent/provider/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct error *note(void *arg, const char *name, const char *data,
			  size_t len)
{
	buf_addf(arg, "%zu:%s:%zu:", strlen(name), name, len);
	buf_add(arg, data, len);
	return NULL;
}

static bool feed(struct buf *seen, const char *text, size_t size, size_t step)
{
	cleanup_sse struct sse s;
	cleanup_error struct error *err = NULL;

	sse_init(&s, 256, note, seen);
	for (size_t at = 0; !err && at < size; at += step)
		err = sse_feed(&s, text + at, MIN(step, size - at));
	if (!err)
		err = sse_end(&s);
	return !err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct buf whole = BUF_INIT((size_t)1 << 24);
	cleanup_buf struct buf cut = BUF_INIT((size_t)1 << 24);
	bool ok = feed(&whole, (const char *)data, size, size + 1);

	if (feed(&cut, (const char *)data, size, 1) != ok)
		abort();
	if (ok && (cut.len != whole.len ||
		   memcmp(cut.data, whole.data, cut.len) != 0))
		abort();
	return 0;
}
