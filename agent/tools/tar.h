/*
 * Regular files out of a tar archive (ustar) of an untrusted writer: everything
 * else in it is ignored, and nothing is written to disk.
 */
#ifndef AGENT_TOOLS_TAR_H
#define AGENT_TOOLS_TAR_H

#include "core/base/fileset.h"

/* Adds the regular files whose paths match; "./" before them is taken off.
 * Other kinds of entry, and paths that are not safe, are left out.
 * ERROR_MALFORMED where the archive is damaged or does not end. */
struct error *tar_read(struct fileset *out, const char *data, size_t len,
		       const struct strvec *patterns) MUST_CHECK;

#endif
