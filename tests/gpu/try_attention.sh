#!/bin/sh
# Compiles and runs the steps of examples/cuda-attention beside its reference:
#     try_attention.sh [STEP ...] [NAME=VALUE ...]
# A step is a folder of steps/, or `cudnn`, the baseline; without any, all are
# tried. NAME=VALUE sets a tunable of the steps. WHICH=small or large leaves
# the other shapes out, BUILD_ONLY=1 runs nothing, LIMIT is the seconds a step
# may take, CUDNN_LIBRARY the path of libcudnn.so.9.
set -u
here=$(cd "$(dirname "$0")" && pwd)
example=$here/../../examples/cuda-attention
scratch=$(mktemp -d "${TMPDIR:-/tmp}/try-attention.XXXXXX")
trap 'rm -rf "$scratch"' EXIT INT TERM
steps=
: >"$scratch/tunables"
for word do
	case $word in
	*=*)
		printf '%s\n' "s/^\(#define ${word%%=*}[[:space:]]*\)[0-9][0-9]*/\1${word#*=}/" >>"$scratch/tunables"
		;;
	*) steps="$steps $word" ;;
	esac
done
build () {
	nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -Xptxas=-v \
		"$@" "$here/try_attention.cu" "$example/reference.cu" -ldl
}
failed=0
for step in ${steps:-$(cd "$example/steps" && echo *) cudnn}
do
	echo "== $step"
	rm -f "$scratch/kernel.cu"
	if test "$step" = cudnn
	then
		build -DENTRY=attention_cudnn -o "$scratch/program" "$example/baseline_cudnn.cu" >"$scratch/log" 2>&1
	else
		sed -f "$scratch/tunables" "$example/steps/$step/kernel.cu" >"$scratch/kernel.cu"
		build -o "$scratch/program" "$scratch/kernel.cu" >"$scratch/log" 2>&1
	fi || { cat "$scratch/log"; failed=1; continue; }
	grep 'avogit:' "$scratch/kernel.cu" 2>/dev/null
	grep -E 'warning|serialized|[1-9][0-9]* bytes spill' "$scratch/log"
	test "${BUILD_ONLY:-}" && continue
	timeout "${LIMIT:-120}" "$scratch/program" "${WHICH:-all}" || { echo "rc $?"; failed=1; }
done
exit "$failed"
