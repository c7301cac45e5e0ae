/*
 * Watches a GPU through NVML, the management library of NVIDIA's driver. A
 * process of its own opens it and answers for as long as the watch lasts:
 * avogit is not linked to it, starts where there is none, and a driver that
 * crashes or hangs does not take it along.
 *
 * Not being able to watch is no error: a card without figures is measured all
 * the same, and `why` says what to write in their place. Once an answer fails
 * to come the watch is over, so that a driver that hangs costs its patience
 * once.
 *
 * AVOGIT_LIBNVML in the environment names another library than
 * libnvidia-ml.so.1 (a path, for dlopen).
 */
#ifndef SCORER_DEVICE_NVML_H
#define SCORER_DEVICE_NVML_H

#include <sys/types.h>

#include "scorer/device/nvml_library.h"
#include "scorer/device/nvml_sample.h"
#include "core/score/measurement.h"

struct nvml_watch {
	struct nvml_card card; /* where it is watched */
	/* Where it is not, one sentence: "the driver's management library
	 * cannot be opened: ..."; else empty. */
	char why[NVML_WHY_SIZE];
	/* Private: */
	pid_t pid; /* 0: none */
	int fd;
	bool greeted, asked;
};

/* uuid: "GPU-8a4f..." (scorer/device/gpu.h). Takes as long as the library's
 * start: some ten milliseconds where the driver is kept loaded. An error only
 * where no process can be started. nvml_watch_stop disposes. */
struct error *nvml_watch_start(struct nvml_watch *w,
			       const char *uuid) MUST_CHECK;

/* False where no watch was started, or it is over: another may be started. */
bool nvml_watch_lasts(struct nvml_watch *w);

/*
 * Two halves, so that a sample is of the moment when the card is at work and
 * no process waits for it: ask when a batch has been launched, take when it is
 * over. Asking again before taking does nothing. The answer takes a few
 * milliseconds of another CPU.
 */
void nvml_watch_ask(struct nvml_watch *w);
/* Waits for what was asked. False where nothing was asked or nothing came;
 * w->why says so where the watch is over. */
bool nvml_watch_take(struct nvml_sample *out, struct nvml_watch *w);

void nvml_watch_stop(struct nvml_watch *w);

DEFINE_RELEASE(nvml_watch, struct nvml_watch, nvml_watch_stop)
#define cleanup_nvml_watch CLEANUP(nvml_watch)

/* ---- the card during a comparison ---------------------------------------- */

/* The conditions of a comparison on a GPU: samples of the card while it works,
 * and how much they can explain of a difference between two arms. */
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
