#!/bin/sh
# test: parallel
test_description='avogit doctor --ceilings where no GPU answers'
. "$(dirname "$0")/../lib-avogit.sh"

XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
kept=cache/avogit/ceilings/GPU-01020304-0506-0708-090a-0b0c0d0e0f10.json

test_expect_success 'without a GPU it says so' '
	AVOGIT_LIBCUDA=/nonexistent/libcuda.so.1 \
		test_expect_code 128 avogit doctor --ceilings >out 2>err &&
	test_must_be_empty out &&
	grep "^avogit: there is no GPU here" err &&
	! test -e "$kept"
'

test_expect_success '--again alone is refused' '
	test_expect_code 2 avogit doctor --again 2>err &&
	grep -e "--ceilings" err
'

# A driver that knows what card there is, and nothing else.
test_expect_success 'a driver with a card' '
	cat >driver.c <<-\END &&
	#include <stddef.h>
	#include <stdio.h>
	int cuInit(unsigned f) { return (int)f; }
	int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
	int cuDeviceGetCount(int *n) { *n = 1; return 0; }
	int cuDeviceGet(int *d, int i) { *d = i; return 0; }
	int cuDeviceGetName(char *s, int n, int d) { snprintf(s, (size_t)n, "NVIDIA H%d00", 2 + d); return 0; }
	int cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? 9 : d; return 0; }
	int cuDeviceTotalMem_v2(size_t *b, int d) { *b = (size_t)(d + 1) << 30; return 0; }
	int cuDeviceGetUuid(unsigned char *u, int d) { for (int i = 0; i < 16; i++) u[i] = (unsigned char)(d + i + 1); return 0; }
	END
	cc -shared -fPIC -o driver.so driver.c &&
	AVOGIT_LIBCUDA=$PWD/driver.so &&
	export AVOGIT_LIBCUDA &&
	avogit doctor | grep "gpu .*NVIDIA H200, sm_90a"
'

# plant DRIVER SECONDS PEAK: what is kept of that card.
version=$(head -c 40 /sys/module/nvidia/version 2>/dev/null)
plant () {
	mkdir -p "${kept%/*}" && chmod 700 cache/avogit &&
	cat >"$kept" <<-END
	{"format": 1, "uuid": "GPU-01020304-0506-0708-090a-0b0c0d0e0f10", "name": "NVIDIA H200",
	"driver": "$1${version:+, $version}", "time_us": 1795000000000000, "seconds": $2, "l2_bytes": 52428800,
	"rates": {"copy": {"peak": 4.04e12, "sustained": 4.03e12, "sheet": 4.9e12},
	"read": {"peak": 4.3e12, "sustained": 4.2e12, "sheet": 4.9e12},
	"bf16": {"peak": $3, "sustained": 7.5e14, "sheet": 1.07e15},
	"f8": {"peak": 0, "sustained": 0, "sheet": 2.14e15},
	"i8": {"peak": 1.5e15, "sustained": 1.4e15, "sheet": 2.14e15},
	"f32": {"peak": 5e13, "sustained": 5e13, "sheet": 6.6e13},
	"f64": {"peak": 0, "sustained": 0, "sheet": 0}}}
	END
}

# The driver above cannot measure: a program that tries says so.
test_expect_success 'what is kept is shown, and what is on paper is named as that' '
	plant "CUDA 13.0" 1 8.06e14 &&
	avogit doctor --ceilings >out &&
	grep "^NVIDIA H200, CUDA 13.0" out &&
	grep "^copy 4.04 TB/s, read 4.30 TB/s, bf16 806 TFLOPS, f8 2.14 PFLOPS by data sheet, i8 1500 TOPS, f32 50.0 TFLOPS (measured 2026-" out &&
	grep -E "^ +bf16 +806 TFLOPS +750 TFLOPS +1.07 PFLOPS$" out &&
	grep -E "^ +f64 +- +- +-$" out
'

test_expect_success 'as JSON too' '
	avogit doctor --ceilings --json >out &&
	grep "\"schema\":[[:space:]]*1" out &&
	grep "\"driver\":[[:space:]]*\"CUDA 13.0" out
'

refused () {
	test_expect_code 128 avogit doctor --ceilings "$@" >out 2>err &&
	test_must_be_empty out &&
	grep -E "what the card can do cannot be measured: .*(libcuda|driver is too old)" err
}

if ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'
then
	test_set_prereq NODRIVER
fi

test_expect_success NODRIVER '--again measures anew' '
	refused --again
'

test_expect_success NODRIVER 'so does a file of another driver, a short look, a damaged one' '
	plant "CUDA 12.8" 1 8.06e14 && refused &&
	plant "CUDA 13.0" 0.2 8.06e14 && refused &&
	plant "CUDA 13.0" 1 -8.06e14 && refused &&
	plant "CUDA 13.0" 1 8.06e99 && refused &&
	plant "CUDA 13.0" 1 "\"much\"" && refused &&
	: >"$kept" && refused &&
	head -c 100000 /dev/zero >"$kept" && refused &&
	rm "$kept" && mkdir "$kept" && refused
'

test_expect_success 'a share of the card is a column of show' '
	make_repo repo &&
	git notes --ref=avogit add -F - <<-\END &&
	20260102T030405Z-0123abcd 000 verdict=pass flop_per_s=4e+14 format=1 task=a sources=b kind=c scorer=2 trust=replayed
	20260102T030405Z-0123abcd 001 case=n=1 seconds=0.001 rate=4e+14 ceiling=0.831 error=0.5 launches=9
	20260102T030405Z-0123abcd 002 case=n=2 seconds=0.001 rate=4e+14 ceiling=0.031 error=0.5 launches=9
	END
	avogit show HEAD >out &&
	grep -E "case +time +rate +of card +error" out &&
	grep -E "n=1 .* 400 TFLOPS +83 % +0.5" out &&
	grep -E "n=2 .* 400 TFLOPS +3.1 % +0.5" out
'

test_expect_success 'where it is not known there is no column' '
	git notes --ref=avogit show HEAD | sed "s/ ceiling=[0-9.]*//" >note &&
	git notes --ref=avogit add -f -F note &&
	avogit show HEAD >out &&
	grep -E "case +time +rate +error" out
'

test_done
