/*
 * What a knowledge base is made of: the project's own notes, which the
 * program carries, and files that a task names. Read whole and bounded, as
 * they are; cut into passages later (passages.h).
 *
 * Nothing here fails because of a file: what is too large, no text, a link,
 * or cannot be read is left out and counted, with the first few reasons.
 */
#ifndef AGENT_KNOWLEDGE_DOCUMENTS_H
#define AGENT_KNOWLEDGE_DOCUMENTS_H

#include "core/base/fileset.h"
#include "core/sandbox/sandbox.h"

#define DOCUMENTS_MAX	    4096
#define DOCUMENTS_MAX_BYTES ((size_t)256 << 20) /* of all */
#define DOCUMENT_MAX_BYTES  ((size_t)8 << 20)	/* of one; a PDF four times */
#define DOCUMENT_MAX_TEXT   ((size_t)4 << 20)	/* that is taken from one */
/* Before the names of the notes that the program carries: "avogit/tma.md". */
#define DOCUMENT_OWN "avogit/"

enum document_kind {
	DOCUMENT_MARKDOWN,
	DOCUMENT_TEXT,
	DOCUMENT_SOURCE, /* code: .c .cu .cuh .h .ptx .py and the like */
	DOCUMENT_HTML,
	DOCUMENT_PDF,
	DOCUMENT_ROW, /* handed in by knowledge_add, no file */
	DOCUMENT_KIND_COUNT
};
const char *document_kind_name(enum document_kind k);

struct document {
	char *source; /* path from the top, or "avogit/NAME.md" */
	enum document_kind kind;
	char *data; /* NUL after len bytes, not counted */
	size_t len;
};

struct documents {
	struct document *doc; /* sorted by source */
	size_t n, cap;
	size_t bytes;
	size_t skipped;	   /* files that would have belonged here */
	struct strvec why; /* "PATH: reason" of the first of them */
};

#define DOCUMENTS_INIT \
	{              \
		0      \
	}

/* The notes of agent/knowledge/. */
void documents_add_notes(struct documents *d);
/* Every file whose name ends as one of the kinds does; others are no
 * documents and are not counted. Copies. */
void documents_add_files(struct documents *d, const struct fileset *files);
/* The files below the folder `top` that a pattern names (as path_matches has
 * them; a pattern that is the path of a folder means all below it). No link
 * is followed, no name that begins with a dot is looked at. A `top` that
 * cannot be opened is an error; whatever is below it is skipped. */
struct error *documents_add_tree(struct documents *d, const char *top,
				 const struct strvec *patterns) MUST_CHECK;
bool documents_have(const struct documents *d, enum document_kind kind);
void documents_release(struct documents *d);

/* Is pdftotext installed where a sandbox finds it? */
bool document_pdf_readable(void);
/* Its text: valid UTF-8, lines ended by one newline, no control characters
 * but newline and tab, at most DOCUMENT_MAX_TEXT. HTML and PDF become
 * Markdown. An error says why it has no text. `s` may be NULL: then no PDF
 * is read. */
struct error *document_text(struct buf *out, const struct document *doc,
			    const struct sandbox *s) MUST_CHECK;
/* Adds the text of other people's bytes as document_text promises it. */
void document_clean(struct buf *out, const char *data, size_t len);

DEFINE_RELEASE(documents, struct documents, documents_release)
#define cleanup_documents CLEANUP(documents)

#endif
