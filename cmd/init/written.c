#include "cmd/init/written.h"

#include <inttypes.h>

#include "core/base/file.h"

#define BEGIN "/* Unchanged since avogit init wrote it: "
#define END   " */\n"
#define LIMIT ((size_t)16 << 20)

/* FNV-1a: against mistakes, not against anybody. */
static uint64_t sum(const char *text, size_t len)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	return h;
}

void written_add_sum(struct buf *text)
{
	uint64_t h = sum(text->data, text->len);

	buf_addf(text, BEGIN "%016" PRIx64 END, h);
}

bool written_is_unchanged(const char *path)
{
	cleanup_buf struct buf text = BUF_INIT(LIMIT);
	cleanup_error struct error *err = file_read(&text, path);
	size_t len = strlen(BEGIN) + 16 + strlen(END);
	cleanup_buf struct buf last = BUF_INIT(BUF_LIMIT_TEXT);

	if (err || text.len < len)
		return false;
	buf_addf(&last, BEGIN "%016" PRIx64 END,
		 sum(text.data, text.len - len));
	return str_eq(text.data + text.len - len, last.data);
}
