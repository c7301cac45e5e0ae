/*
 * A management library for tests, with the signatures that NVML documents.
 * Built as a shared object; what it does wrong is chosen by -D:
 *
 *	INIT=N		nvmlInit answers N
 *	CODE=N		what a card is asked is answered with N
 *	SAMPLE='...'	statements before the clock is told: crash, hang
 *	BITS=N		why the clocks are held back
 *	PROCESSES=N	how many of the processes below compute on the card
 *	OLD		the functions of an older driver only
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef INIT
#define INIT 0
#endif
#ifndef CODE
#define CODE 0
#endif
#ifndef SAMPLE
#define SAMPLE
#endif
#ifndef BITS
#define BITS 0x4
#endif
#ifndef PROCESSES
#define PROCESSES 4
#endif
#ifdef OLD
#define IF_NEW(name) old_##name
#else
#define IF_NEW(name) name
#endif

typedef struct device *device_t;

struct info {
	unsigned pid;
	unsigned long long memory;
	unsigned gpu_instance, compute_instance;
};

int nvmlInit_v2(void)
{
	puts("noise on standard output");
	return INIT;
}

const char *nvmlErrorString(int code)
{
	return code == 9 ? "Driver Not Loaded" : "GPU is lost";
}

int nvmlDeviceGetHandleByUUID(const char *uuid, device_t *d)
{
	*d = (device_t)0x1234;
	return strcmp(uuid, "GPU-unknown") ? 0 : 6;
}

int nvmlSystemGetDriverVersion(char *version, unsigned len)
{
	return snprintf(version, len, "580.1.2") < 0;
}

int nvmlDeviceGetMaxClockInfo(device_t d, int type, unsigned *mhz)
{
	*mhz = type == 1 ? 1980 : type == 2 ? 3201 : 0;
	return d == (device_t)0x1234 ? 0 : 2;
}

int nvmlDeviceGetClockInfo(device_t d, int type, unsigned *mhz)
{
	SAMPLE;
	*mhz = type == 1 ? 1605 : type == 2 ? 3200 : 0;
	return d == (device_t)0x1234 ? CODE : 2;
}

int nvmlDeviceGetEnforcedPowerLimit(device_t d, unsigned *mw)
{
	(void)d;
	*mw = 700000;
	return 0;
}

int nvmlDeviceGetPowerUsage(device_t d, unsigned *mw)
{
	(void)d;
	*mw = 690500;
	return CODE;
}

int IF_NEW(nvmlDeviceGetTotalEnergyConsumption)(device_t d,
						unsigned long long *mj)
{
	static unsigned long long energy = 5000000000;

	(void)d;
	*mj = energy += 1000;
	return CODE;
}

int nvmlDeviceGetTemperature(device_t d, int sensor, unsigned *c)
{
	(void)d;
	*c = sensor == 0 ? 61 : 0;
	return CODE;
}

int IF_NEW(nvmlDeviceGetCurrentClocksEventReasons)(device_t d,
						   unsigned long long *bits)
{
	(void)d;
	*bits = BITS;
	return CODE;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(device_t d,
					      unsigned long long *bits)
{
	(void)d;
	*bits = 0x20;
	return CODE;
}

int nvmlDeviceGetUtilizationRates(device_t d, unsigned percent[2])
{
	(void)d;
	percent[0] = 97;
	percent[1] = 40;
	return CODE;
}

/* Who asks is a process of who watches, who is ours; the first of all
 * processes is not; the last is none that anybody sees. */
int IF_NEW(nvmlDeviceGetComputeRunningProcesses_v3)(device_t d, unsigned *n,
						    struct info *list)
{
	const unsigned pid[] = {(unsigned)getppid(), (unsigned)getpid(), 1,
				0x7ffffff0};

	(void)d;
	if (*n < PROCESSES)
		return 7;
	*n = PROCESSES;
	for (unsigned i = 0; i < PROCESSES; i++)
		list[i] = (struct info){.pid = pid[i]};
	return CODE;
}

int IF_NEW(nvmlDeviceGetEccMode)(device_t d, int *now, int *pending)
{
	(void)d;
	*now = *pending = 1;
	return 0;
}

int IF_NEW(nvmlDeviceGetMigMode)(device_t d, unsigned *now, unsigned *pending)
{
	(void)d;
	*now = *pending = 0;
	return 0;
}

int nvmlDeviceGetPersistenceMode(device_t d, int *on)
{
	(void)d;
	*on = 1;
	return 0;
}
