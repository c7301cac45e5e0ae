/*
 * Watches a GPU through NVML, the management library of NVIDIA's driver. A
 * separate process opens it and answers as long as the watch lasts. avogit is
 * not linked to it, so it starts without it, and a driver that crashes or hangs
 * does not affect avogit.
 *
 * A failure to watch is not an error: the card is measured without these
 * figures, and `why` says what to record instead. The watch ends at the first
 * missing answer, so that a driver that hangs costs the wait only once.
 *
 * AVOGIT_LIBNVML in the environment names a library to use instead of
 * libnvidia-ml.so.1 (a path, for dlopen).
 */
#ifndef SCORER_DEVICE_NVML_H
#define SCORER_DEVICE_NVML_H

#include <sys/types.h>

#include "scorer/device/nvml_library.h"
#include "scorer/device/nvml_sample.h"
#include "core/score/measurement.h"

struct nvml_watch {
	struct nvml_card card; /* while it is watched */
	/* If it is not watched, one sentence: "the driver's management library
	 * cannot be opened: ..."; else empty. */
	char why[NVML_WHY_SIZE];
	/* Private: */
	pid_t pid; /* 0: not running */
	int fd;
	bool greeted, asked;
};

/* uuid: "GPU-8a4f..." (scorer/device/gpu.h). Takes as long as the library's
 * start: some ten milliseconds if the driver is kept loaded. An error only if
 * the process cannot be started. nvml_watch_stop disposes. */
struct error *nvml_watch_start(struct nvml_watch *w,
			       const char *uuid) MUST_CHECK;

/* False if no watch was started or it has ended: another one may be started. */
bool nvml_watch_lasts(struct nvml_watch *w);

/*
 * A sample in two steps, so that it is taken while the card works and no
 * process waits for it: ask after a batch was launched, take when the batch is
 * over. Asking again before taking does nothing. The answer takes a few
 * milliseconds of another CPU.
 */
void nvml_watch_ask(struct nvml_watch *w);
/* Waits for the answer. False if nothing was asked or no answer came; w->why
 * says why if the watch ended. */
bool nvml_watch_take(struct nvml_sample *out, struct nvml_watch *w);

void nvml_watch_stop(struct nvml_watch *w);

DEFINE_RELEASE(nvml_watch, struct nvml_watch, nvml_watch_stop)
#define cleanup_nvml_watch CLEANUP(nvml_watch)

/* ---- the card during a comparison ---------------------------------------- */

/* The conditions of a comparison on a GPU: samples of the card while it works,
 * and how much of a difference between two arms they can explain. */
struct gpu_watch {
	struct nvml_watch *watch;   /* borrowed */
	struct nvml_sample *sample; /* one for each half of a block, or fewer */
	size_t n, cap;
};

/* Starts sampling; a card that cannot be watched is measured without. Reuses
 * `watch` from the comparison before; starts it if it has ended or never ran.
 * The driver opens meanwhile; gpu_watch_await waits for that, and is needed
 * only before something is timed. */
void gpu_watch_start(struct gpu_watch *w, struct nvml_watch *watch,
		     const char *uuid);
void gpu_watch_await(struct gpu_watch *w);
/* `ask` begins a sample of this moment, unless an earlier one is not there yet:
 * a driver that opens the card for others may take as long as several halves.
 * `take` collects it if it is there, `finish` waits for it, if one was begun. */
void gpu_watch_ask(struct gpu_watch *w);
void gpu_watch_take(struct gpu_watch *w);
void gpu_watch_finish(struct gpu_watch *w);
/* Adds the figures to the environment of a measurement. */
void gpu_watch_record(struct measurement *m, const struct gpu_watch *w);
/* The largest difference (log ratio) that the card could have caused by slowing
 * itself down because of heat or its board; *why (free it) says so. 0: it did
 * not slow down. */
double gpu_watch_bias(char **why, const struct gpu_watch *w);
void gpu_watch_stop(struct gpu_watch *w);

#endif
