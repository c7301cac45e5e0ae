/*
 * The CUDA toolkit of this machine: that of $CUDA_HOME, else the one whose
 * nvcc is on the PATH, else /usr/local/cuda. Links are followed, so that the
 * folder is where the toolkit really lies; nothing of it is run here.
 *
 * AVOGIT_LIBRARY_PATH in the environment names more folders, as PATH does,
 * with libraries that baselines and candidates link: where cuDNN lies.
 */
#ifndef SCORER_DEVICE_TOOLKIT_H
#define SCORER_DEVICE_TOOLKIT_H

#include "core/base/error.h"
#include "core/base/strvec.h"

#define TOOLKIT_FOLDERS 8

struct toolkit {
	char *root;		 /* "/usr/local/cuda-13.0" */
	char *nvcc;		 /* "<root>/bin/nvcc" */
	struct strvec libraries; /* folders to link with and load from */
	/* What the sandbox must be given to see all that, NULL-terminated; not
	 * what lies in /usr. For sandbox_spec.folders. */
	const char *folder[TOOLKIT_FOLDERS + 2];
};

/* ERROR_NOT_FOUND with the mend. A folder that is more than a toolkit (an
 * nvcc script in a home folder) is refused: all of it would be shown. */
struct error *toolkit_find(struct toolkit *out) MUST_CHECK;
void toolkit_release(struct toolkit *t);

DEFINE_RELEASE(toolkit, struct toolkit, toolkit_release)
#define cleanup_toolkit CLEANUP(toolkit)

#endif
