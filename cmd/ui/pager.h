/*
 * A pager for what is longer than a screen, as git has it: GIT_PAGER, the
 * user's core.pager, PAGER, less. Only where stdout is a terminal, and never
 * what the configuration of the repository names: that may have come with it.
 */
#ifndef CMD_UI_PAGER_H
#define CMD_UI_PAGER_H

#include <sys/types.h>

#include "core/base/error.h"

struct pager {
	pid_t pid;     /* 0: none */
	int stdout_fd; /* the terminal, kept */
};

/* From here on stdout goes to the pager, if there is one to be had. */
void pager_begin(struct pager *p);
/* Waits until the user has left it; stdout is the terminal again. */
void pager_end(struct pager *p);

DEFINE_RELEASE(pager, struct pager, pager_end)
#define cleanup_pager CLEANUP(pager)

#endif
