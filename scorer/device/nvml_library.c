#include "scorer/device/nvml_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/base/clock.h"

#define PROCESSES_MAX 64
/* A process info of any version so far fits; the one used has 24 bytes. */
#define INFO_SIZE_MAX	64
#define ANCESTORS_MAX	64
#define STAT_LINE_LIMIT 512

/* ---- opening ----------------------------------------------------------- */

static void load(struct nvml_library *l, void *library)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{"nvmlInit_v2", &l->init},
		{"nvmlDeviceGetHandleByUUID", &l->find},
		{"nvmlErrorString", &l->error_string},
		{"nvmlSystemGetDriverVersion", &l->driver},
		{"nvmlDeviceGetMaxClockInfo", &l->max_clock},
		{"nvmlDeviceGetClockInfo", &l->clock},
		{"nvmlDeviceGetEnforcedPowerLimit", &l->power_limit},
		{"nvmlDeviceGetPowerUsage", &l->power},
		{"nvmlDeviceGetTotalEnergyConsumption", &l->energy},
		{"nvmlDeviceGetTemperature", &l->temperature},
		{"nvmlDeviceGetCurrentClocksEventReasons", &l->reasons},
		{"nvmlDeviceGetCurrentClocksThrottleReasons",
		 &l->reasons_before},
		{"nvmlDeviceGetUtilizationRates", &l->busy},
		{"nvmlDeviceGetComputeRunningProcesses_v3", &l->processes},
		{"nvmlDeviceGetComputeRunningProcesses_v2",
		 &l->processes_before},
		{"nvmlDeviceGetEccMode", &l->ecc},
		{"nvmlDeviceGetMigMode", &l->mig},
		{"nvmlDeviceGetPersistenceMode", &l->persistence},
	};

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *f = dlsym(library, functions[i].name);

		memcpy(functions[i].to, &f, sizeof f);
	}
	if (!l->reasons)
		l->reasons = l->reasons_before;
	if (!l->processes)
		l->processes = l->processes_before;
}

static bool say(char why[NVML_WHY_SIZE], const struct nvml_library *l,
		const char *what, nvmlReturn_t code)
{
	const char *words = l->error_string ? l->error_string(code) : NULL;

	snprintf(why, NVML_WHY_SIZE, "%s is answered with %d (%s)", what, code,
		 words ? words : "see nvml.h");
	return false;
}

bool nvml_library_open(struct nvml_library *l, char why[NVML_WHY_SIZE],
		       const char *name, const char *uuid)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	nvmlReturn_t code;

	*l = (struct nvml_library){0};
	if (!library) {
		snprintf(why, NVML_WHY_SIZE,
			 "the driver's management library cannot be opened: %s",
			 dlerror());
		return false;
	}
	load(l, library);
	if (!l->init || !l->find) {
		snprintf(why, NVML_WHY_SIZE, "%s is not a library of NVML",
			 name);
		return false;
	}
	code = l->init();
	if (code != NVML_SUCCESS)
		return say(why, l, "nvmlInit", code);
	code = l->find(uuid, &l->device);
	if (code != NVML_SUCCESS)
		return say(why, l, uuid, code);
	return true;
}

/* ---- one figure -------------------------------------------------------- */

/* The last code that says more than "not available on this card". */
struct nvml_query {
	const struct nvml_library *l;
	nvmlReturn_t lost;
};

static bool answered(struct nvml_query *a, nvmlReturn_t code)
{
	if (code == NVML_ERROR_GPU_IS_LOST || code == NVML_ERROR_RESET_REQUIRED)
		a->lost = code;
	return code == NVML_SUCCESS;
}

/* The value as an int if it is plausible, else unknown. */
static int bounded(unsigned value)
{
	return value <= 1000000 ? (int)value : NVML_UNKNOWN;
}

typedef nvmlReturn_t clock_function(nvmlDevice_t d, int type, unsigned *mhz);

static int read_clock(struct nvml_query *a, clock_function *f, int type)
{
	unsigned mhz = 0;

	return f && answered(a, f(a->l->device, type, &mhz)) ? bounded(mhz)
							     : NVML_UNKNOWN;
}

typedef nvmlReturn_t power_function(nvmlDevice_t d, unsigned *milliwatts);

static double read_power(struct nvml_query *a, power_function *f)
{
	unsigned mw = 0;

	return f && answered(a, f(a->l->device, &mw)) ? 1e-3 * mw
						      : NVML_UNKNOWN;
}

static double read_energy(struct nvml_query *a)
{
	unsigned long long mj = 0;

	return a->l->energy && answered(a, a->l->energy(a->l->device, &mj))
		       ? 1e-3 * (double)mj
		       : NVML_UNKNOWN;
}

static int read_temperature(struct nvml_query *a)
{
	unsigned c = 0;

	return a->l->temperature &&
			       answered(a, a->l->temperature(
						   a->l->device,
						   NVML_TEMPERATURE_GPU, &c))
		       ? bounded(c)
		       : NVML_UNKNOWN;
}

static int read_busy(struct nvml_query *a)
{
	nvmlUtilization_t u = {0};

	return a->l->busy && answered(a, a->l->busy(a->l->device, &u))
		       ? bounded(u.gpu)
		       : NVML_UNKNOWN;
}

static int read_reasons(struct nvml_query *a)
{
	static const int bit[] = {
		[NVML_REASON_IDLE] = nvmlClocksThrottleReasonGpuIdle,
		[NVML_REASON_APPLICATION_CLOCKS] =
			nvmlClocksThrottleReasonApplicationsClocksSetting,
		[NVML_REASON_POWER_CAP] = nvmlClocksThrottleReasonSwPowerCap,
		[NVML_REASON_HW_SLOWDOWN] = nvmlClocksThrottleReasonHwSlowdown,
		[NVML_REASON_SYNC_BOOST] = nvmlClocksThrottleReasonSyncBoost,
		[NVML_REASON_THERMAL_SLOWDOWN] =
			nvmlClocksThrottleReasonSwThermalSlowdown,
		[NVML_REASON_HW_THERMAL_SLOWDOWN] =
			nvmlClocksThrottleReasonHwThermalSlowdown,
		[NVML_REASON_POWER_BRAKE] =
			nvmlClocksThrottleReasonHwPowerBrakeSlowdown,
		[NVML_REASON_DISPLAY_CLOCKS] =
			nvmlClocksThrottleReasonDisplayClockSetting,
	};
	unsigned long long left = 0;
	int reasons = 0;

	if (!a->l->reasons || !answered(a, a->l->reasons(a->l->device, &left)))
		return NVML_UNKNOWN;
	for (size_t r = 0; r < ARRAY_SIZE(bit); r++)
		if (left & (unsigned)bit[r]) {
			left &= ~(unsigned long long)bit[r];
			reasons |= 1 << r;
		}
	return left ? reasons | 1 << NVML_REASON_OTHER : reasons;
}

/* ---- whose processes --------------------------------------------------- */

/* 0 for the first of a namespace, -1 for one that is not visible here. */
static pid_t parent_of(pid_t pid)
{
	char path[32], line[STAT_LINE_LIMIT], *at;
	cleanup_fd int fd = -1;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
	if (n <= 0)
		return -1;
	line[n] = 0;
	/* "PID (name) state PPID": the name may contain any character. */
	at = strrchr(line, ')');
	return at && strlen(at) > 4 ? (pid_t)strtol(at + 4, NULL, 10) : -1;
}

static void count_process(struct nvml_sample *out, unsigned pid, pid_t root)
{
	pid_t p = pid <= INT32_MAX ? (pid_t)pid : 0;

	if (p <= 0 || parent_of(p) < 0) {
		out->strangers++;
		return;
	}
	for (int i = 0; i < ANCESTORS_MAX && p > 1 && p != root; i++)
		p = parent_of(p);
	out->others += p != root;
}

static void count_processes(struct nvml_sample *out, struct nvml_query *a,
			    pid_t root)
{
	union {
		nvmlProcessInfo_t info[PROCESSES_MAX];
		char space[PROCESSES_MAX * INFO_SIZE_MAX];
	} list = {0};
	unsigned n = PROCESSES_MAX;
	nvmlReturn_t code;

	out->others = out->strangers = NVML_UNKNOWN;
	if (!a->l->processes)
		return;
	code = a->l->processes(a->l->device, &n, list.info);
	if (!answered(a, code) && code != NVML_ERROR_INSUFFICIENT_SIZE)
		return;
	out->others = out->strangers = 0;
	/* More than the list holds: their ids are not worth another call. */
	if (code == NVML_ERROR_INSUFFICIENT_SIZE || n > PROCESSES_MAX) {
		out->others = bounded(n);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		count_process(out, list.info[i].pid, root);
}

/* ---- all of them ------------------------------------------------------- */

static int read_persistence(struct nvml_query *a)
{
	int on = 0;

	return a->l->persistence &&
			       answered(a, a->l->persistence(a->l->device, &on))
		       ? on == NVML_FEATURE_ENABLED
		       : NVML_UNKNOWN;
}

static int read_ecc(struct nvml_query *a)
{
	int now = 0, pending = 0;

	return a->l->ecc && answered(a, a->l->ecc(a->l->device, &now, &pending))
		       ? now == NVML_FEATURE_ENABLED
		       : NVML_UNKNOWN;
}

static int read_mig(struct nvml_query *a)
{
	unsigned now = 0, pending = 0;

	return a->l->mig && answered(a, a->l->mig(a->l->device, &now, &pending))
		       ? now == NVML_DEVICE_MIG_ENABLE
		       : NVML_UNKNOWN;
}

void nvml_library_card(struct nvml_card *out, const struct nvml_library *l)
{
	struct nvml_query a = {l, NVML_SUCCESS};

	*out = (struct nvml_card){
		.sm_clock_max = read_clock(&a, l->max_clock, NVML_CLOCK_SM),
		.memory_clock_max =
			read_clock(&a, l->max_clock, NVML_CLOCK_MEM),
		.power_limit = read_power(&a, l->power_limit),
		.ecc = read_ecc(&a),
		.mig = read_mig(&a),
		.persistence = read_persistence(&a),
	};
	if (!l->driver || l->driver(out->driver, sizeof out->driver - 1))
		out->driver[0] = 0;
}

bool nvml_library_sample(struct nvml_sample *out, char why[NVML_WHY_SIZE],
			 const struct nvml_library *l, pid_t root)
{
	struct nvml_query a = {l, NVML_SUCCESS};

	/* The figures that change fastest are read first, close together. */
	*out = (struct nvml_sample){
		.at = clock_seconds(),
		.sm_clock = read_clock(&a, l->clock, NVML_CLOCK_SM),
		.reasons = read_reasons(&a),
		.power = read_power(&a, l->power),
		.memory_clock = read_clock(&a, l->clock, NVML_CLOCK_MEM),
		.temperature = read_temperature(&a),
		.energy = read_energy(&a),
		.busy = read_busy(&a),
	};
	count_processes(out, &a, root);
	return a.lost == NVML_SUCCESS || say(why, l, "the card", a.lost);
}
