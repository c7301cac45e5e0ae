/*
 * The functions that a built object offers, read from its table of dynamic
 * symbols: nothing of the object is run, so that a name can be looked for where
 * there is nothing to run it on, and by who holds the clock.
 */
#ifndef SCORER_BUILD_EXPORTS_H
#define SCORER_BUILD_EXPORTS_H

#include "core/base/strvec.h"
#include "scorer/build/elf.h"

/* Their names, sorted; one that is longer than any name that
 * could be asked for is left out. False where they cannot be told: the loader
 * will say. */
bool exports_read(struct strvec *out, const struct bytes *object);
bool exports_read_fd(struct strvec *out, int object_fd);
/* Why there is no function `name` among them: "no function 'scann'; they have:
 * scan". NULL where there is one. free() disposes. */
char *exports_lack(const struct strvec *exports, const char *name) MUST_CHECK;

#endif
