/* An attempt for programs: the same members in `log --json` and in the lines of
 * `evolve --json`. */
#ifndef CMD_UI_ATTEMPT_JSON_H
#define CMD_UI_ATTEMPT_JSON_H

#include "core/base/json.h"
#include "core/run/population.h"

/* Adds the members to an object; a: an attempt of p. */
void attempt_json_add(struct json *object, const struct population *p,
		      const struct attempt *a);

/* Of `score`, which has no prefix: "cells/s" where tables say Gcells/s. Borrowed. */
const char *attempt_json_unit(const struct measurement *m);

/* Adds what the run's models took: `spend`, and `spend_by_role`, an object by
 * the roles' names. Nothing if none was asked. */
void spend_json_add(struct json *j, const struct population *p);

#endif
