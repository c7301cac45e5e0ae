#!/bin/sh
# test: parallel
test_description='what the driver says of clocks, power and heat, and its ABI'
. "$(dirname "$0")/../lib-avogit.sh"

root=$(cd "$SHARNESS_TEST_SRCDIR/../.." && pwd)
fake=$root/tests/data/nvml
for include in ${NVML_INCLUDE:+"$NVML_INCLUDE"} \
	${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include
do
	test -f "$include/nvml.h" && test_set_prereq NVML_H && break
done

# A line a struct or value that both must agree on.
facts () {
	cat <<-\EOF
	#include <stddef.h>
	#include <stdio.h>
	#define SIZE(t) printf(#t " %zu\n", sizeof(t));
	#define AT(t, m) printf(#t "." #m " %zu\n", offsetof(t, m));
	#define VALUE(v) printf(#v " %lld\n", (long long)(v));
	int main(void)
	{
		SIZE(nvmlReturn_t) SIZE(nvmlDevice_t) SIZE(nvmlUtilization_t)
		AT(nvmlUtilization_t, gpu) AT(nvmlUtilization_t, memory)
		SIZE(nvmlProcessInfo_t) AT(nvmlProcessInfo_t, pid)
		AT(nvmlProcessInfo_t, usedGpuMemory)
		AT(nvmlProcessInfo_t, gpuInstanceId)
		VALUE(NVML_SUCCESS) VALUE(NVML_ERROR_INSUFFICIENT_SIZE)
		VALUE(NVML_ERROR_GPU_IS_LOST) VALUE(NVML_ERROR_RESET_REQUIRED)
		VALUE(NVML_CLOCK_SM) VALUE(NVML_CLOCK_MEM)
		VALUE(NVML_TEMPERATURE_GPU) VALUE(NVML_FEATURE_ENABLED)
		VALUE(NVML_DEVICE_MIG_ENABLE)
		VALUE(nvmlClocksThrottleReasonGpuIdle)
		VALUE(nvmlClocksThrottleReasonApplicationsClocksSetting)
		VALUE(nvmlClocksThrottleReasonSwPowerCap)
		VALUE(nvmlClocksThrottleReasonHwSlowdown)
		VALUE(nvmlClocksThrottleReasonSyncBoost)
		VALUE(nvmlClocksThrottleReasonSwThermalSlowdown)
		VALUE(nvmlClocksThrottleReasonHwThermalSlowdown)
		VALUE(nvmlClocksThrottleReasonHwPowerBrakeSlowdown)
		VALUE(nvmlClocksThrottleReasonDisplayClockSetting)
		return 0;
	}
	EOF
}

test_expect_success NVML_H 'sizes, offsets and values are those of nvml.h' '
	{ echo "#include <nvml.h>" && facts; } >theirs.c &&
	{ echo "#include \"scorer/device/nvml_abi.h\"" && facts; } >ours.c &&
	cc -I"$include" -o theirs theirs.c && ./theirs >expect &&
	cc -I"$root" -o ours ours.c && ./ours >actual &&
	test "$(wc -l <expect)" -gt 20 &&
	test_cmp expect actual
'

# The types of functions, as the compiler sees them: a call through ours must
# be a call that theirs allows.
test_expect_success NVML_H 'functions take what nvml.h says' '
	cat >calls.c <<-\EOF &&
	#include <nvml.h>
	#define SAME(f, ...) _Static_assert( \
		__builtin_types_compatible_p(__typeof__(f), nvmlReturn_t(__VA_ARGS__)), #f);
	SAME(nvmlInit_v2, void)
	SAME(nvmlDeviceGetHandleByUUID, const char *, nvmlDevice_t *)
	SAME(nvmlSystemGetDriverVersion, char *, unsigned)
	SAME(nvmlDeviceGetMaxClockInfo, nvmlDevice_t, nvmlClockType_t, unsigned *)
	SAME(nvmlDeviceGetClockInfo, nvmlDevice_t, nvmlClockType_t, unsigned *)
	SAME(nvmlDeviceGetEnforcedPowerLimit, nvmlDevice_t, unsigned *)
	SAME(nvmlDeviceGetPowerUsage, nvmlDevice_t, unsigned *)
	SAME(nvmlDeviceGetTotalEnergyConsumption, nvmlDevice_t, unsigned long long *)
	SAME(nvmlDeviceGetTemperature, nvmlDevice_t, nvmlTemperatureSensors_t, unsigned *)
	SAME(nvmlDeviceGetUtilizationRates, nvmlDevice_t, nvmlUtilization_t *)
	SAME(nvmlDeviceGetComputeRunningProcesses_v3, nvmlDevice_t, unsigned *, nvmlProcessInfo_t *)
	SAME(nvmlDeviceGetEccMode, nvmlDevice_t, nvmlEnableState_t *, nvmlEnableState_t *)
	SAME(nvmlDeviceGetMigMode, nvmlDevice_t, unsigned *, unsigned *)
	SAME(nvmlDeviceGetPersistenceMode, nvmlDevice_t, nvmlEnableState_t *)
	_Static_assert(sizeof(nvmlClockType_t) == sizeof(int), "an enum is an int");
	_Static_assert(sizeof(nvmlEnableState_t) == sizeof(int), "an enum is an int");
	EOF
	cc -fsyntax-only -I"$include" calls.c
'

# A GPU of the tests' own, with a management library built with these options.
have_gpu () {
	cc -shared -fPIC -o driver.so "$fake/driver.c" &&
	cc -shared -fPIC "$@" -o nvml.so "$fake/fake.c" &&
	AVOGIT_LIBCUDA=$PWD/driver.so &&
	AVOGIT_LIBNVML=$PWD/nvml.so &&
	export AVOGIT_LIBCUDA AVOGIT_LIBNVML
}

gpu_line () {
	avogit doctor | grep " gpu "
}

test_expect_success 'doctor says clocks, power, heat and what holds it back' '
	have_gpu "-DPROCESSES=0" &&
	gpu_line >out &&
	grep "^ok  *gpu  *NVIDIA Test 0, sm_90a, 1 GiB, CUDA 13.0; driver 580.1.2," out &&
	grep ", 1605 of 1980 MHz, 690 of 700 W, 61 C, throttled by power-cap\$" out &&
	! grep "noise on standard" out
'

test_expect_success 'an idle card is idle, not throttled' '
	have_gpu -DPROCESSES=0 -DBITS=1 &&
	gpu_line >out &&
	grep "^ok .* 61 C, idle\$" out
'

test_expect_success 'others on the card are a warning, with the mend' '
	have_gpu &&
	gpu_line >out &&
	grep "^warn .* 1 other process on it, 1 process of other containers on it; mend: let no other" out
'

test_expect_success 'so is heat' '
	have_gpu -DPROCESSES=0 -DBITS=0x28 &&
	gpu_line >out &&
	grep "^warn .*throttled by hw-slowdown and thermal-slowdown; mend: see to its cooling" out
'

test_expect_success 'without the library the card is there all the same' '
	have_gpu &&
	AVOGIT_LIBNVML=/nonexistent/libnvidia-ml.so.1 gpu_line >out &&
	grep "^ok .*; clocks not known: the driver.s management library cannot be opened: /nonexistent" out
'

test_expect_success 'a library that dies is a sentence' '
	have_gpu "-DSAMPLE=raise(SIGSEGV)" &&
	gpu_line >out &&
	grep "^ok .*; clocks not known: .* ended by signal 11\$" out
'

test_done
