/* Turns a document of any kind into clean text. */
#include "agent/knowledge/documents.h"

#include "core/base/utf8.h"

#include <unistd.h>

#include "agent/knowledge/html.h"
#include "core/base/text.h"

#define PDFTOTEXT     "/usr/bin/pdftotext"
#define PDF_SECONDS   60
#define PDF_MEMORY    ((uint64_t)1 << 30)
#define BINARY_WINDOW 8192 /* a NUL in these first bytes means: not a text */

void document_clean(struct buf *out, const char *data, size_t len)
{
	text_add_lines(out, data, len);
}

bool document_pdf_readable(void)
{
	return access(PDFTOTEXT, X_OK) == 0;
}

/* Gives each page a heading. */
static void add_pages(struct buf *out, const struct buf *text)
{
	unsigned page = 1;

	for (size_t at = 0; at < text->len; page++) {
		const char *start = text->data + at;
		const char *end = memchr(start, '\f', text->len - at);
		size_t len = end ? (size_t)(end - start) : text->len - at;

		buf_addf(out, "# page %u\n", page);
		document_clean(out, start, len);
		buf_addc(out, '\n');
		at += len + 1;
	}
}

static struct error *pdf_text(struct buf *out, const struct document *doc,
			      const struct sandbox *s)
{
	static const char *const argv[] = {"pdftotext", "-q",	"-enc",
					   "UTF-8",	"-eol", "unix",
					   "in.pdf",	"-",	NULL};
	cleanup_process_result struct process_result r = {0};
	cleanup_fileset struct fileset files = FILESET_INIT;
	const struct sandbox_spec spec = {
		.profile = SANDBOX_BUILD,
		.threads = 1,
		.argv = argv,
		.files = &files,
		.limits = {.wall_seconds = PDF_SECONDS,
			   .cpu_seconds = PDF_SECONDS / 2,
			   .memory_bytes = PDF_MEMORY,
			   .open_files = 64},
	};

	if (!s || !document_pdf_readable())
		return error_new(ERROR_NOT_FOUND,
				 "pdftotext is not installed (poppler-utils)");
	TRY(fileset_put(&files, "in.pdf", doc->data, doc->len, false));
	TRY(sandbox_run(&r, s, &spec, DOCUMENT_MAX_TEXT));
	if (r.timed_out || r.exit_code != 0)
		return error_new(ERROR_MALFORMED, "pdftotext %s",
				 r.timed_out ? "took too long"
					     : "cannot read it");
	add_pages(out, &r.output);
	return NULL;
}

static struct error *html_document(struct buf *out, const struct document *doc)
{
	cleanup_buf struct buf text = BUF_INIT(DOCUMENT_MAX_TEXT);

	html_text(&text, doc->data, doc->len);
	document_clean(out, text.data, text.len);
	return NULL;
}

struct error *document_text(struct buf *out, const struct document *doc,
			    const struct sandbox *s)
{
	if (doc->kind == DOCUMENT_PDF)
		return pdf_text(out, doc, s);
	if (memchr(doc->data, '\0', MIN(doc->len, (size_t)BINARY_WINDOW)))
		return error_new(ERROR_MALFORMED, "no text");
	if (doc->kind == DOCUMENT_HTML)
		return html_document(out, doc);
	document_clean(out, doc->data, doc->len);
	return NULL;
}
