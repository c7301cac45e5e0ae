/* avogit doctor --ceilings: what the card can do at most. */
#ifndef CMD_DOCTOR_CEILINGS_H
#define CMD_DOCTOR_CEILINGS_H

#include "cmd/ui/color.h"
#include "core/base/error.h"

/* Prints what is kept of this card, else measures it (`again`: in any case)
 * and keeps it. ERROR_REFUSED where there is no GPU. */
struct error *ceilings_tell(bool again, bool json,
			    const struct palette *p) MUST_CHECK;

#endif
