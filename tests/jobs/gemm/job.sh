# PolyBench: macros for declarations and sizes, a task in a folder of its own.
typed avogit init -o avogit/gemm.yaml gemm.c &&
edited avogit/gemm.yaml 's|  # GUESS: turns of the loops||' &&
edited gemm.c 's|^#define TIMES .*|& // avogit: 30 1|' &&
evolve_and_pick --task avogit/gemm.yaml
