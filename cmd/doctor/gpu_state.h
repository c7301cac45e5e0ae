/* What a GPU does at this moment, in words: for `avogit doctor`. */
#ifndef CMD_DOCTOR_GPU_STATE_H
#define CMD_DOCTOR_GPU_STATE_H

#include "core/base/base.h"

struct gpu_condition {
	/* "driver 580.1, 345 of 1980 MHz, 76 of 700 W, 31 C, idle"; or why it
	 * cannot be told. Owned. */
	char *text;
	/* What to do before measuring; NULL where all is well. */
	const char *mend;
};

void gpu_state_read(struct gpu_condition *out, const char *uuid);
void gpu_state_release(struct gpu_condition *s);

DEFINE_RELEASE(gpu_state, struct gpu_condition, gpu_state_release)
#define cleanup_gpu_state CLEANUP(gpu_state)

#endif
