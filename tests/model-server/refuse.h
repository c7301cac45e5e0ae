/* What the real servers refuse of any request, by their words. */
#ifndef MODEL_SERVER_REFUSE_H
#define MODEL_SERVER_REFUSE_H

#include "tests/model-server/encode.h"

/* NULL: a server of the dialect takes the request. free() disposes. */
char *refuse(enum dialect dialect, const char *path,
	     const struct json *request) MUST_CHECK;

#endif
