/* A document of a knowledge base: clean text whatever it was, and passages
 * within their bounds. The first byte says what kind it is. */
#include "agent/knowledge/passages.h"
#include "core/base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct buf *text)
{
	if (strlen(text->data) != text->len || text->len > DOCUMENT_MAX_TEXT)
		abort();
	for (size_t i = 0; i < text->len; i++)
		if ((unsigned char)text->data[i] < ' ' &&
		    text->data[i] != '\n' && text->data[i] != '\t')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum document_kind kinds[] = {DOCUMENT_HTML,
						   DOCUMENT_MARKDOWN,
						   DOCUMENT_TEXT,
						   DOCUMENT_SOURCE};
	cleanup_passages struct passages p = {0};
	cleanup_buf struct buf text = BUF_INIT(DOCUMENT_MAX_TEXT);
	cleanup_error struct error *err = NULL;
	struct document d = {.source = (char[]){"doc"}};

	if (!size)
		return 0;
	d.kind = kinds[*data % ARRAY_SIZE(kinds)];
	d.len = size - 1;
	d.data = xstrndup("", 0);
	d.data = xrealloc(d.data, size, 1);
	memcpy(d.data, data + 1, d.len);
	d.data[d.len] = '\0';
	err = document_text(&text, &d, NULL);
	if (!err) {
		check_text(&text);
		passages_cut(&p, d.kind, text.data);
	}
	for (size_t i = 0; i < p.n; i++)
		if (strlen(p.v[i].text) > PASSAGE_MAX ||
		    strlen(p.v[i].heading) > PASSAGE_MAX_HEADING)
			abort();
	free(d.data);
	return 0;
}
