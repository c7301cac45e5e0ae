/*
 * The conditions of a comparison on a GPU: the card watched while it is at work,
 * and what of it could have made a difference between two arms.
 */
#ifndef SCORER_DEVICE_WATCH_H
#define SCORER_DEVICE_WATCH_H

#include "core/score/measurement.h"
#include "scorer/device/nvml.h"

struct gpu_watch {
	struct nvml_watch *watch;   /* borrowed */
	struct nvml_sample *sample; /* one a half of a block */
	size_t n, cap;
};

/* A card that cannot be watched is measured all the same. `watch` goes on from
 * the comparison before; where it is over, or there was none, it begins. What
 * opens the driver for it need only be waited for before something is timed. */
void gpu_watch_start(struct gpu_watch *w, struct nvml_watch *watch,
		     const char *uuid);
void gpu_watch_await(struct gpu_watch *w);
/* Begins a sample of this moment; takes it, if one was begun. */
void gpu_watch_ask(struct gpu_watch *w);
void gpu_watch_take(struct gpu_watch *w);
/* Into the environment of a measurement. */
void gpu_watch_record(struct measurement *m, const struct gpu_watch *w);
/* The largest difference (log ratio) that a card which slowed itself down, for
 * heat or by its board, could have made; *why (free it) says so. 0: it did
 * not. */
double gpu_watch_bias(char **why, const struct gpu_watch *w);
void gpu_watch_stop(struct gpu_watch *w);

#endif
