/*
 * A pager for long output, chosen as in git: GIT_PAGER, the user's core.pager,
 * PAGER, less. Only used if stdout is a terminal. The repository's
 * configuration is ignored, because it may come from a stranger.
 */
#ifndef CMD_UI_PAGER_H
#define CMD_UI_PAGER_H

#include <sys/types.h>

#include "core/base/error.h"

struct pager {
	pid_t pid;     /* 0: none */
	int stdout_fd; /* copy of the terminal's descriptor */
};

/* From here on stdout goes to the pager, if one can be started. */
void pager_begin(struct pager *p);
/* Waits until the user quits the pager; stdout is the terminal again. */
void pager_end(struct pager *p);

DEFINE_RELEASE(pager, struct pager, pager_end)
#define cleanup_pager CLEANUP(pager)

#endif
