/*
 * The only includer of libyaml: a document as a tree that knows its lines.
 * Refused, since a task file needs none of it and people are surprised by
 * each: anchors and aliases, tags, several documents, duplicate keys; and
 * what is larger or deeper than YAML_MAX_BYTES and YAML_MAX_DEPTH. The verbs
 * are document_*: libyaml calls its own yaml_free, and would find ours.
 */
#ifndef CORE_BASE_YAML_H
#define CORE_BASE_YAML_H

#include "core/base/error.h"

#define YAML_MAX_BYTES ((size_t)1 << 20)
#define YAML_MAX_DEPTH 32
#define YAML_MAX_KEYS  1024 /* of one mapping */

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml {
	enum yaml_kind kind;
	size_t line;	   /* 1-based, where it begins */
	char *text;	   /* of a scalar */
	bool plain;	   /* a scalar without quotes */
	char **key;	   /* of a mapping, one a child */
	struct yaml *item; /* of a sequence or mapping */
	size_t n, cap;
};

/* `path` is for messages: "FILE:LINE: what". */
struct error *document_parse(struct yaml **out, const char *path,
			     const char *text, size_t len) MUST_CHECK;
/* Borrowed; NULL if the mapping has no such key (or is none). */
const struct yaml *document_get(const struct yaml *mapping, const char *key);
/* "a mapping", "a list", "'text'": for messages; free() disposes. */
char *document_describe(const struct yaml *y) MUST_CHECK;
void document_free(struct yaml *y);

DEFINE_CLEANUP(document, struct yaml, document_free)
#define cleanup_document CLEANUP(document)

#endif
