/*
 * Reads regular files from a tar archive (ustar) of an untrusted writer. Other
 * entries are ignored, and nothing is written to disk.
 */
#ifndef AGENT_TOOLS_TAR_H
#define AGENT_TOOLS_TAR_H

#include "core/base/fileset.h"

/* Adds the regular files whose paths match; a leading "./" is removed. Unsafe
 * paths are left out. ERROR_MALFORMED if the archive is damaged or has no
 * end. */
struct error *tar_read(struct fileset *out, const char *data, size_t len,
		       const struct strvec *patterns) MUST_CHECK;

#endif
