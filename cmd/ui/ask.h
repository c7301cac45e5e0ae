/* Asking before something is lost. */
#ifndef CMD_UI_ASK_H
#define CMD_UI_ASK_H

#include "core/base/error.h"

/* Prints the question and reads a line: *yes where it is `word`. Refuses
 * where stdin or stdout is no terminal; `instead` is the command to run then. */
struct error *ask_for(bool *yes, const char *question, const char *word,
		      const char *instead) MUST_CHECK;

#endif
