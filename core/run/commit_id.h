/* The id of a commit, in hex, as a value: copied by assignment, owned by what
 * holds it. An empty one is none. */
#ifndef CORE_RUN_COMMIT_ID_H
#define CORE_RUN_COMMIT_ID_H

#include "core/base/base.h"

#define COMMIT_ID_LEN 40

struct commit_id {
	char hex[COMMIT_ID_LEN + 1];
};

/* Of text that is one, or ""; what is longer is cut. */
static inline struct commit_id commit_id(const char *hex)
{
	struct commit_id id = {""};

	memcpy(id.hex, hex, strnlen(hex, COMMIT_ID_LEN));
	return id;
}

#endif
