/*
 * Copies of an index on disk: "<dir>/knowledge-<key>", a header with the key
 * and the hash of what follows, then SQLite's own bytes. The newest few are
 * kept.
 */
#ifndef AGENT_KNOWLEDGE_CACHE_H
#define AGENT_KNOWLEDGE_CACHE_H

#include "agent/knowledge/documents.h"
#include "core/base/hash.h"

/* Over the contents and names of the documents, the format of the index, and
 * whether PDFs can be read here. */
void knowledge_key(char out[HASH_HEX_LEN + 1], const struct documents *d,
		   bool pdf);
/* The bytes that were stored under this key; false if there are none, or not
 * those that were stored. Clears b. */
bool knowledge_cache_get(struct buf *b, const char *dir, const char *key);
/* Failing to store is no failure: the next one builds again. */
void knowledge_cache_put(const char *dir, const char *key, const void *data,
			 size_t len);

#endif
