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
/* The same in two steps: begin waits for nothing, and before anything is
 * asked greet waits for the library; a second time it does nothing. */
struct error *nvml_watch_begin(struct nvml_watch *w,
			       const char *uuid) MUST_CHECK;
void nvml_watch_greet(struct nvml_watch *w);
/* False where none was begun, or it is over: then another may be begun. */
bool nvml_watch_lasts(struct nvml_watch *w);

/*
 * Two halves, so that a sample is of the moment when the card is at work and
 * nobody waits for it: ask when a batch has been launched, take when it is
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

#endif
