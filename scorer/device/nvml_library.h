/*
 * NVML itself: opened by name, asked about one card. Used only in a process
 * that may hang or die with the driver (nvml.h starts it).
 *
 * Requires only opening, starting and finding a card; a figure that an older
 * driver does not have is NVML_UNKNOWN in every sample.
 */
#ifndef SCORER_DEVICE_NVML_LIBRARY_H
#define SCORER_DEVICE_NVML_LIBRARY_H

#include <sys/types.h>

#include "scorer/device/nvml_abi.h"
#include "scorer/device/nvml_sample.h"

#define NVML_WHY_SIZE 256

struct nvml_library {
	nvmlReturn_t (*init)(void);
	nvmlReturn_t (*find)(const char *uuid, nvmlDevice_t *device);
	const char *(*error_string)(nvmlReturn_t code);
	nvmlReturn_t (*driver)(char *version, unsigned len);
	nvmlReturn_t (*max_clock)(nvmlDevice_t d, int type, unsigned *mhz);
	nvmlReturn_t (*clock)(nvmlDevice_t d, int type, unsigned *mhz);
	nvmlReturn_t (*power_limit)(nvmlDevice_t d, unsigned *milliwatts);
	nvmlReturn_t (*power)(nvmlDevice_t d, unsigned *milliwatts);
	nvmlReturn_t (*energy)(nvmlDevice_t d, unsigned long long *millijoules);
	nvmlReturn_t (*temperature)(nvmlDevice_t d, int sensor, unsigned *c);
	nvmlReturn_t (*reasons)(nvmlDevice_t d, unsigned long long *bits);
	nvmlReturn_t (*reasons_before)(nvmlDevice_t d,
				       unsigned long long *bits);
	nvmlReturn_t (*busy)(nvmlDevice_t d, nvmlUtilization_t *u);
	nvmlReturn_t (*processes)(nvmlDevice_t d, unsigned *n,
				  nvmlProcessInfo_t *info);
	nvmlReturn_t (*processes_before)(nvmlDevice_t d, unsigned *n,
					 nvmlProcessInfo_t *info);
	nvmlReturn_t (*ecc)(nvmlDevice_t d, int *now, int *pending);
	nvmlReturn_t (*mig)(nvmlDevice_t d, unsigned *now, unsigned *pending);
	nvmlReturn_t (*persistence)(nvmlDevice_t d, int *on);
	nvmlDevice_t device;
};

/* Opens `name` (for dlopen) and finds the card; false, with a sentence in
 * `why`, if it cannot. The library stays open until the process ends. */
bool nvml_library_open(struct nvml_library *l, char why[NVML_WHY_SIZE],
		       const char *name, const char *uuid);
void nvml_library_card(struct nvml_card *out, const struct nvml_library *l);
/* Processes that `root` started, and `root`, count as this program. False, with
 * a sentence in `why`, if the card is gone. */
bool nvml_library_sample(struct nvml_sample *out, char why[NVML_WHY_SIZE],
			 const struct nvml_library *l, pid_t root);

#endif
