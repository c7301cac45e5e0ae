/*
 * Cuts a text into passages of a size suited to search results: 150 to 300
 * words where the text has places to cut (a heading, an empty line), never more
 * than PASSAGE_MAX bytes. A passage includes the headings above it.
 */
#ifndef AGENT_KNOWLEDGE_PASSAGES_H
#define AGENT_KNOWLEDGE_PASSAGES_H

#include "agent/knowledge/documents.h"

#define PASSAGE_MAX	    4000 /* bytes of its text */
#define PASSAGE_MAX_HEADING 400	 /* bytes of the headings above it */
#define PASSAGES_MAX	    8192 /* of one document; the rest is left out */

struct passage {
	char *heading; /* "Title > Section"; "lines 1-40" of code; or "" */
	char *text;
};

struct passages {
	struct passage *v;
	size_t n, cap;
};

/* Appends the passages of `text`, which must be clean (document_text). */
void passages_cut(struct passages *out, enum document_kind kind,
		  const char *text);
void passages_release(struct passages *p);

DEFINE_RELEASE(passages, struct passages, passages_release)
#define cleanup_passages CLEANUP(passages)

#endif
