#!/bin/sh
# Every step of the CUDA examples by itself, without avogit: is it right on
# ragged shapes, and how fast? Needs a GPU of the Hopper kind and nvcc.
#     tests/gpu/try.sh [layernorm | matmul] [STEP ...]
# OUT names a folder for the programs, SET="BM=256 BN=128" other values of what
# the kernels define, LIMIT the seconds that a program may take.
set -u
here=$(cd "$(dirname "$0")" && pwd)
examples=$here/../../examples
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
out=${OUT:-$(mktemp -d "${TMPDIR:-/tmp}/avogit-try.XXXXXX")}
which=${1:-"layernorm matmul"}
test $# -eq 0 || shift
mkdir -p "$out"

# build NAME PROGRAM KERNEL ENTRY [FLAG ...]
build () {
	name=$1 program=$2 kernel=$3 entry=$4
	shift 4
	rm -f "$out/$name"
	cp "$kernel" "$out/$name.cu"
	for pair in ${SET:-}
	do
		to="${pair%%=*}[[:blank:]][[:blank:]]*"
		sed -i "s/^\(#define $to\)[0-9][0-9]*/\1${pair#*=}/" \
			"$out/$name.cu"
	done
	"$nvcc" -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a \
		-I"$here" -DKERNEL="\"$out/$name.cu\"" -DENTRY="$entry" \
		-o "$out/$name" "$here/$program.cu" "$@" >"$out/$name.log" 2>&1 ||
	{ echo "$name does not build:"; cat "$out/$name.log"; }
}

failed=0
for example in $which
do
	case $example in
	layernorm) unit='GB/s: 16384x8192, 8192x4096, 32768x1024' ;;
	matmul) unit='TFLOPS: 2048, 4096, 8192, 16384, 256x8192x8192' ;;
	*) echo "try.sh: layernorm or matmul, not '$example'" >&2; exit 2 ;;
	esac
	names=
	for step in "$examples/cuda-$example"/steps/*/
	do
		step=$(basename "$step")
		case " $* " in
		"  " | *" $step "*) ;;
		*) continue ;;
		esac
		names="$names $example-$step"
		build "$example-$step" "try_$example" \
			"$examples/cuda-$example/steps/$step/kernel.cu" "$example" &
	done
	if test "$example" = matmul && test $# -eq 0
	then
		names="$names matmul-cublas"
		build matmul-cublas try_matmul \
			"$examples/cuda-matmul/baseline_cublas.cu" matmul_cublas -lcublas &
	fi
	wait
	echo "$example, $unit"
	for name in $names
	do
		test -x "$out/$name" || { failed=1; continue; }
		timeout "${LIMIT:-120}" "$out/$name" "$name"
		status=$?
		test $status = 0 || { failed=1; echo "$name: exit status $status"; }
	done
done
exit $failed
