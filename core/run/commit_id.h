/* The id of a commit, in hex. A value: copied by assignment. "" means no
 * commit. */
#ifndef CORE_RUN_COMMIT_ID_H
#define CORE_RUN_COMMIT_ID_H

#include "core/base/base.h"

#define COMMIT_ID_LEN 40

struct commit_id {
	char hex[COMMIT_ID_LEN + 1];
};

/* From a text that is an id or ""; a longer text is cut. */
static inline struct commit_id commit_id(const char *hex)
{
	struct commit_id id = {""};

	memcpy(id.hex, hex, strnlen(hex, COMMIT_ID_LEN));
	return id;
}

/* Is the whole text an id, and not ""? */
static inline bool commit_id_is(const char *hex)
{
	return str_is_hex(hex, COMMIT_ID_LEN);
}

#endif
