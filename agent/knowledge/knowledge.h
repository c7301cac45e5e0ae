/*
 * The knowledge base: documents and rows (what earlier runs tried, notes an
 * agent made), cut into passages and searched by words. SQLite's FTS5 is the
 * index.
 *
 * The index is in memory. In a cache folder a copy of it is kept, named by the
 * hash of the documents' contents and guarded by one of its own: where it is
 * missing, of other contents or damaged it is made again from the documents,
 * which alone are trusted. Rows are never cached.
 */
#ifndef AGENT_KNOWLEDGE_KNOWLEDGE_H
#define AGENT_KNOWLEDGE_KNOWLEDGE_H

#include "agent/knowledge/documents.h"

#define KNOWLEDGE_MAX_HITS     50
#define KNOWLEDGE_MAX_QUERY    4000 /* bytes that are looked at */
#define KNOWLEDGE_MAX_PASSAGES 100000

struct knowledge;

struct knowledge_options {
	const char *cache_dir;	       /* exists; NULL: nothing is kept */
	const struct sandbox *sandbox; /* for PDF; NULL: none is read */
};

/* Indexes the documents, which are not needed afterwards. */
struct error *knowledge_open(struct knowledge **out, const struct documents *d,
			     const struct knowledge_options *o) MUST_CHECK;
/* A row, in place of one with the same source and title: source is who says
 * it ("run matmul"), title what it is about. Any bytes will do as text. Past
 * KNOWLEDGE_MAX_PASSAGES it is ERROR_TOO_BIG. */
struct error *knowledge_add(struct knowledge *k, const char *source,
			    const char *title, const char *text) MUST_CHECK;

struct knowledge_hit {
	char *source;
	char *heading; /* may be "" */
	char *text;    /* at most PASSAGE_MAX bytes */
	double score;  /* bm25: higher is better, within one search */
	bool all;      /* it has every word of the query */
};
struct knowledge_hits {
	struct knowledge_hit *hit; /* best first; those with every word lead */
	size_t n, cap;
};
/* Any text is a query: words, identifiers ("cp.async.bulk", "wgmma"), a whole
 * question. The last word may be the beginning of one. At most `limit` hits,
 * and KNOWLEDGE_MAX_HITS. No words: no hits. */
struct error *knowledge_search(struct knowledge_hits *out, struct knowledge *k,
			       const char *query, size_t limit) MUST_CHECK;
void knowledge_hits_release(struct knowledge_hits *h);

struct knowledge_item {
	char *source, *title; /* title is "" for a document */
	char *kind;	      /* document_kind_name */
	size_t passages;      /* 0: nothing could be read */
	char *problem;	      /* why, or NULL */
};
struct knowledge_list {
	struct knowledge_item *item; /* by kind, source, title */
	size_t n, cap;
};
struct error *knowledge_list(struct knowledge_list *out,
			     struct knowledge *k) MUST_CHECK;
void knowledge_list_release(struct knowledge_list *l);
/* Adds all passages of a source, in order, under their headings;
 * ERROR_NOT_FOUND if there are none. */
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
