/*
 * The knowledge base: documents and rows (what earlier runs tried, notes of an
 * agent), cut into passages and searched by words. SQLite's FTS5 is the index.
 *
 * The index is in memory. A cache folder can keep a copy, named by the hash of
 * the documents' contents and protected by a hash of its own. If the copy is
 * missing, outdated or damaged, the index is built again from the documents,
 * which alone are trusted. Rows are never cached.
 */
#ifndef AGENT_KNOWLEDGE_KNOWLEDGE_H
#define AGENT_KNOWLEDGE_KNOWLEDGE_H

#include "agent/knowledge/documents.h"

#define KNOWLEDGE_MAX_HITS     50
#define KNOWLEDGE_MAX_QUERY    4000 /* bytes of the query that are used */
#define KNOWLEDGE_MAX_PASSAGES 100000

struct knowledge;

struct knowledge_options {
	const char *cache_dir;	       /* an existing folder; NULL: no cache */
	const struct sandbox *sandbox; /* for PDFs; NULL: PDFs are not read */
};

/* Indexes the documents; they are not needed afterwards. */
struct error *knowledge_open(struct knowledge **out, const struct documents *d,
			     const struct knowledge_options *o) MUST_CHECK;
/* Adds a row, or replaces the one with the same source and title. The source
 * names the origin ("run matmul"), the title the subject; the text may be any
 * bytes. ERROR_TOO_BIG above KNOWLEDGE_MAX_PASSAGES. */
struct error *knowledge_add(struct knowledge *k, const char *source,
			    const char *title, const char *text) MUST_CHECK;

struct knowledge_hit {
	char *source;
	char *heading; /* may be "" */
	char *text;    /* at most PASSAGE_MAX bytes */
	double score;  /* bm25 within one search; higher is better */
	bool all;      /* matched every word of the query */
};
struct knowledge_hits {
	struct knowledge_hit *hit; /* best first; those with `all` lead */
	size_t n, cap;
};
/* Searches for any text: words, identifiers ("cp.async.bulk", "wgmma") or a
 * whole question. The last word may be incomplete. Returns at most `limit` and
 * KNOWLEDGE_MAX_HITS hits, and none for a query without words. */
struct error *knowledge_search(struct knowledge_hits *out, struct knowledge *k,
			       const char *query, size_t limit) MUST_CHECK;
void knowledge_hits_release(struct knowledge_hits *h);

struct knowledge_item {
	char *source, *title; /* title is "" for a document */
	char *kind;	      /* document_kind_name */
	size_t passages;      /* 0: nothing could be read */
	char *problem;	      /* the reason, or NULL */
};
struct knowledge_list {
	struct knowledge_item *item; /* sorted by kind, source and title */
	size_t n, cap;
};
/* Lists the documents and rows. */
struct error *knowledge_list(struct knowledge_list *out,
			     struct knowledge *k) MUST_CHECK;
void knowledge_list_release(struct knowledge_list *l);
/* Adds a source's passages in order, under their headings; ERROR_NOT_FOUND if
 * it has none. */
struct error *knowledge_read(struct buf *out, struct knowledge *k,
			     const char *source) MUST_CHECK;
void knowledge_free(struct knowledge *k);

DEFINE_CLEANUP(knowledge, struct knowledge, knowledge_free)
#define cleanup_knowledge CLEANUP(knowledge)
DEFINE_RELEASE(knowledge_hits, struct knowledge_hits, knowledge_hits_release)
#define cleanup_knowledge_hits CLEANUP(knowledge_hits)
DEFINE_RELEASE(knowledge_list, struct knowledge_list, knowledge_list_release)
#define cleanup_knowledge_list CLEANUP(knowledge_list)

#endif
