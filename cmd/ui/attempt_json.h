/* An attempt for programs: the same members in `log --json` and in the lines of
 * `evolve --json`. */
#ifndef CMD_UI_ATTEMPT_JSON_H
#define CMD_UI_ATTEMPT_JSON_H

#include "core/base/json.h"
#include "core/run/population.h"

/* Adds the members to an object; a: an attempt of p. */
void attempt_json_add(struct json *object, const struct population *p,
		      const struct attempt *a);

#endif
