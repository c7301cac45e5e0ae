/*
 * The part of NVML, the management library of NVIDIA's driver, that is used
 * here, with the names and layouts that NVIDIA documents, so that building
 * needs no toolkit. A test compares it with nvml.h if that is installed.
 */
#ifndef SCORER_DEVICE_NVML_ABI_H
#define SCORER_DEVICE_NVML_ABI_H

typedef struct nvmlDevice_st *nvmlDevice_t;
typedef int nvmlReturn_t; /* an enum there */

enum {
	NVML_SUCCESS = 0,
	NVML_ERROR_NO_PERMISSION = 4,
	NVML_ERROR_NOT_FOUND = 6,
	NVML_ERROR_INSUFFICIENT_SIZE = 7,
	NVML_ERROR_DRIVER_NOT_LOADED = 9,
	NVML_ERROR_GPU_IS_LOST = 15,
	NVML_ERROR_RESET_REQUIRED = 16,
	NVML_ERROR_OPERATING_SYSTEM = 17,
	NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18,
	NVML_ERROR_UNKNOWN = 999,
	NVML_CLOCK_SM = 1,
	NVML_CLOCK_MEM = 2,
	NVML_TEMPERATURE_GPU = 0,
	NVML_FEATURE_ENABLED = 1,
	NVML_DEVICE_MIG_ENABLE = 1,
};

/* What limits the clocks, as bits. */
enum {
	nvmlClocksThrottleReasonGpuIdle = 0x1,
	nvmlClocksThrottleReasonApplicationsClocksSetting = 0x2,
	nvmlClocksThrottleReasonSwPowerCap = 0x4,
	nvmlClocksThrottleReasonHwSlowdown = 0x8,
	nvmlClocksThrottleReasonSyncBoost = 0x10,
	nvmlClocksThrottleReasonSwThermalSlowdown = 0x20,
	nvmlClocksThrottleReasonHwThermalSlowdown = 0x40,
	nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80,
	nvmlClocksThrottleReasonDisplayClockSetting = 0x100,
};

typedef struct {
	unsigned gpu, memory; /* percent */
} nvmlUtilization_t;

/* For nvmlDeviceGetComputeRunningProcesses_v2 and _v3. */
typedef struct {
	unsigned pid;
	unsigned long long usedGpuMemory;
	unsigned gpuInstanceId, computeInstanceId;
} nvmlProcessInfo_t;

#endif
