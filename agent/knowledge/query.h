/*
 * Any text as an expression of FTS5. Words are kept, everything that FTS5
 * could take for syntax is not, so no text can be malformed or mean anything
 * but its words.
 */
#ifndef AGENT_KNOWLEDGE_QUERY_H
#define AGENT_KNOWLEDGE_QUERY_H

#include "core/base/buf.h"

struct knowledge_query {
	struct buf all; /* every word; empty: there is none */
	struct buf any; /* at least one, or a part of an identifier */
};

/* An identifier ("cp.async.bulk", "__syncthreads") is a phrase of its parts,
 * as the index cuts it. Common English words do not count where there are
 * others. The last word stands for all that begin with it. */
void knowledge_query_init(struct knowledge_query *q, const char *text);
void knowledge_query_release(struct knowledge_query *q);

DEFINE_RELEASE(knowledge_query, struct knowledge_query, knowledge_query_release)
#define cleanup_knowledge_query CLEANUP(knowledge_query)

#endif
