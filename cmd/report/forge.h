/* Where a forge shows a commit of a repository that was pushed there. */
#ifndef CMD_REPORT_FORGE_H
#define CMD_REPORT_FORGE_H

#include "core/base/base.h"

/* "https://github.com/owner/name/commit/" of a remote's URL, in any of git's forms,
 * where the forge is one that is known; else NULL. Names and passwords of the URL are
 * left out. free() disposes. */
char *forge_commits(const char *remote_url) MUST_CHECK;

#endif
