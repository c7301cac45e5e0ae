/* What git has to be told so that scores show and travel, in the
 * repository's own config only. */
#ifndef CMD_SESSION_SETTINGS_H
#define CMD_SESSION_SETTINGS_H

#include "gitstore/gitstore.h"

/* Sets what is not set yet, if `yes` or after a "y" on a terminal; otherwise
 * prints the commands that would. */
struct error *settings_offer(struct gitstore *g, bool yes) MUST_CHECK;

#endif
