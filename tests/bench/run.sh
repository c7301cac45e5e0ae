#!/bin/sh
# Every figure, a line each: area.name value unit goal ok|SHORT. A figure that
# falls short stays. Needs AVOGIT (the program) and BENCH (the folder of the
# bench programs); `make bench` sets both. HISTORY_BENCH_N candidates (100000;
# fewer are quicker) are made for the figures of the history. PART=tuner: only
# the tuner's; PART=parallel: only those of many agents and writers.
set -eu
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d "${TMPDIR:-/tmp}/avogit-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT INT TERM

parallel() {
	tests/bench/agents.sh "$scratch"
	"$BENCH/islands_bench" "${BENCH_LANDSCAPES:-50}" 200
	mkdir "$scratch/writers"
	"$BENCH/history_bench" "$AVOGIT" "$scratch/writers" "${WRITERS_BENCH_N:-5000}" 64
	tests/bench/builds.sh "${BENCH_COMPARISONS:-100}"
}

if [ "${PART:-}" = parallel ]; then
	parallel
	exit
fi
"$BENCH/tuner_bench" tests/data/matmul-space.csv
"$BENCH/tuner_bench" --noise 10 tests/data/matmul-space.csv 50
"$BENCH/tuner_bench" --noise 5 tests/data/softmax-space.csv 50
"$BENCH/tuner_bench" --score --ask-cpu --seeds "${BENCH_SEEDS:-20}" \
	tests/data/tuning-spaces/*.csv.gz
[ "${PART:-}" != tuner ] || exit 0
examples/make-repo.sh matmul "$scratch/matmul" >/dev/null
"$BENCH/loop_bench" "$AVOGIT" "$scratch/matmul" "${BENCH_ATTEMPTS:-30}"
tests/bench/agent_repo.sh "$scratch/scale"
"$BENCH/agent_bench" "$AVOGIT" "$BENCH/../model-server/model-server" \
	"$scratch/scale" "${BENCH_AGENTS:-10}"
parallel
"$BENCH/history_bench" "$AVOGIT" "$scratch" "${HISTORY_BENCH_N:-100000}"
tests/bench/see.sh "$AVOGIT" "$scratch" "${SEE_BENCH_N:-10000}"
"$BENCH/judge_bench"
"$BENCH/interval_bench" tests/data/noise.csv
"$BENCH/resolution_bench" tests/bench/steps "${BENCH_COMPARISONS:-100}"
tests/bench/real/run.sh
FIGURES=1 tests/jobs/run.sh
