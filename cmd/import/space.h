/* A space that another tuner describes (T1) as declarations in a source. */
#ifndef CMD_IMPORT_SPACE_H
#define CMD_IMPORT_SPACE_H

#include "core/base/error.h"

struct space_request {
	const char *space;  /* the file in T1 */
	const char *source; /* gets the declarations; NULL: none, they alone */
	const char *output; /* NULL: stdout */
	bool force;	    /* replace it */
};

struct error *space_import(const struct space_request *r) MUST_CHECK;

#endif
