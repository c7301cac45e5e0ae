/*
 * The contents of a knowledge base: the notes embedded in avogit, and files
 * that a task names. They are read whole, up to limits; passages.h cuts them
 * into passages later.
 *
 * No single file causes an error: a file that is too large, is not text, is a
 * link or cannot be read is skipped and counted; the first few reasons are
 * kept.
 */
#ifndef AGENT_KNOWLEDGE_DOCUMENTS_H
#define AGENT_KNOWLEDGE_DOCUMENTS_H

#include "core/base/fileset.h"
#include "core/sandbox/sandbox.h"

#define DOCUMENTS_MAX	    4096
#define DOCUMENTS_MAX_BYTES ((size_t)256 << 20) /* of all */
#define DOCUMENT_MAX_BYTES  ((size_t)8 << 20)	/* of one; a PDF four times */
#define DOCUMENT_MAX_TEXT   ((size_t)4 << 20)	/* taken from one */
/* Prefix of the names of embedded notes: "avogit/tma.md". */
#define DOCUMENT_OWN "avogit/"

enum document_kind {
	DOCUMENT_MARKDOWN,
	DOCUMENT_TEXT,
	DOCUMENT_SOURCE, /* code: .c .cu .cuh .h .ptx .py and the like */
	DOCUMENT_HTML,
	DOCUMENT_PDF,
	DOCUMENT_ROW, /* added by knowledge_add, not a file */
	DOCUMENT_KIND_COUNT
};
/* The name of a kind as it is stored and shown. Static. */
const char *document_kind_name(enum document_kind k);

struct document {
	char *source; /* path from the top, or "avogit/NAME.md" */
	enum document_kind kind;
	char *data; /* followed by a NUL that len does not count */
	size_t len;
};

struct documents {
	struct document *doc; /* sorted by source */
	size_t n, cap;
	size_t bytes;
	size_t skipped;	   /* files that a limit or fault kept out */
	struct strvec why; /* "PATH: reason" of the first few skipped files */
};

#define DOCUMENTS_INIT \
	{              \
		0      \
	}

/* Adds the embedded notes of agent/knowledge/. */
void documents_add_notes(struct documents *d);
/* Copies each file whose name has the ending of a kind; other files are ignored
 * without being counted as skipped. */
void documents_add_files(struct documents *d, const struct fileset *files);
/* Adds the files below the folder `top` that the patterns match (as in
 * path_matches; the path of a folder means all files below it). Links are not
 * followed, and names that begin with a dot are ignored. A `top` that cannot be
 * opened is an error; a fault below it only skips the file. */
struct error *documents_add_tree(struct documents *d, const char *top,
				 const struct strvec *patterns) MUST_CHECK;
/* Is there a document of this kind? */
bool documents_have(const struct documents *d, enum document_kind kind);
void documents_release(struct documents *d);

/* Is pdftotext installed where a sandbox can run it? */
bool document_pdf_readable(void);
/* Adds the document's text: valid UTF-8, lines ended by one newline, no control
 * characters except newline and tab, at most DOCUMENT_MAX_TEXT bytes. HTML and
 * PDF become Markdown; without `s` (NULL), PDFs are not read. */
struct error *document_text(struct buf *out, const struct document *doc,
			    const struct sandbox *s) MUST_CHECK;
/* Adds untrusted bytes as text that meets the rules of document_text. */
void document_clean(struct buf *out, const char *data, size_t len);

DEFINE_RELEASE(documents, struct documents, documents_release)
#define cleanup_documents CLEANUP(documents)

#endif
