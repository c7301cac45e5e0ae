/*
 * The CUDA toolkit of this machine: that of $CUDA_HOME, else the one whose nvcc
 * is in the PATH, else /usr/local/cuda. Links are followed, so the folder is
 * where the toolkit really is. Runs nothing of it.
 *
 * AVOGIT_LIBRARY_PATH in the environment names more folders, separated as in
 * PATH, with libraries that baselines and candidates link: for example cuDNN's.
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
	/* The folders that a sandbox must show for all of this, except those in
	 * /usr. NULL-terminated. For sandbox_spec.folders. */
	const char *folder[TOOLKIT_FOLDERS + 2];
};

/* ERROR_NOT_FOUND with the remedy. Refuses a folder that is more than a toolkit
 * (an nvcc script in a home folder), because a sandbox would show all of it. */
struct error *toolkit_find(struct toolkit *out) MUST_CHECK;
void toolkit_release(struct toolkit *t);

DEFINE_RELEASE(toolkit, struct toolkit, toolkit_release)
#define cleanup_toolkit CLEANUP(toolkit)

#endif
