set -e
cc -O2 -DMINI_DATASET -o check gemm.c
test "$(./check)" = 179.550000 || { ./check; exit 1; }
