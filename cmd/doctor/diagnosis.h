/*
 * What was found, a row each: whether it is well, and what mends it where it
 * is not.
 */
#ifndef CMD_DOCTOR_DIAGNOSIS_H
#define CMD_DOCTOR_DIAGNOSIS_H

#include "cmd/ui/color.h"
#include "core/base/error.h"

enum state { STATE_OK, STATE_WARN, STATE_MISSING };

struct diagnosis {
	struct doctor_finding {
		enum state state;
		const char *what; /* static: "gpu" */
		char *text;
		char *mend; /* what to do; NULL: nothing */
	} * finding;
	size_t n, cap;
};

/* Takes text; mend may be NULL. */
void diagnosis_add(struct diagnosis *d, enum state state, const char *what,
		   char *text, const char *mend);
/* Its message is the text. Takes err. */
void diagnosis_add_error(struct diagnosis *d, enum state state,
			 const char *what, struct error *err, const char *mend);
bool diagnosis_any(const struct diagnosis *d, enum state state);
/* To stdout, as a table or as JSON. */
void diagnosis_print(const struct diagnosis *d, const struct palette *p);
void diagnosis_print_json(const struct diagnosis *d);
void diagnosis_release(struct diagnosis *d);

#endif
