#!/bin/sh
# The figures on a GPU, a line each: area.name value unit goal ok|SHORT.
#     tests/bench/gpu.sh PART...
# examples      every example scored, against what people use today
# isolated      a candidate that calls cuBLAS, against a plain program
# accuracy      our timing against a plain program's, in BLOCKS (30) in turn;
#               with KEPT, a folder, what was cut short goes on
# resolution-spin, -softmax, -matmul
#               the same code, and one percent more work, told apart or not;
#               COMPARISONS of each (30). With KEPT, a folder, each comparison
#               is a line of resolution-*.lines there, and what was cut short
#               goes on from them: of one card and one avogit alone
# cost          what a verdict takes beyond launches and reference
# tuner         softmax and matmul (TUNED) evolved unattended, ATTEMPTS (40) each, for
#               SECONDS_EACH at most: how busy the card is, and what the rest of the
#               time goes to
# live          how soon the tuner is within 2 % of the best that is known of the space of one
#               example (TUNED: softmax, matmul or attention), in attempts and minutes; beside it the
#               search of EARLIER, an avogit that tests/bench/earlier.sh built, and random draws. They
#               take turns, a run of ATTEMPTS (40) each, for SECONDS_EACH (120) at most, then the same
#               with the next seed (from SEED, 1) as long as SECONDS_ALL (400) should be enough.
#               CASE="{m: 4096, ...}" is the only case then; START="BM=64 GROUP=1" the values that
#               the source has in force, where its own are the best already.
#               With KEPT, a folder, the attempts are lines of live-NAME.lines there, and what
#               an earlier call left there counts as well: of one card and one space alone
# points        softmax evolved, the fastest two of its attempts joined by their shape, and the
#               joined source scored: evolve ends after ATTEMPTS (25) or SECONDS_EACH (40)
# agents        the same by AGENTS (4) that think for THINK (2) seconds and change all
#               tunables at random, for SECONDS_EACH (60)
# cards         one size of matmul by 16 such agents, on two cards and on one, or on
#               each set of CARDS ("0,1,2,3 0,1 0"), the last of which is what
#               the others are held against, for SECONDS_EACH (60; 0: not at all). Then the same with
#               an example whose measurement takes seconds (LONG: attention-backward, of which CASE
#               is the only case then), for SECONDS_LONG (60; 0: not at all): agents change a number
#               that is never used, and LOSES (L2_MIB=8), values by which they lose. A signal
#               ends the run at hand, and the figures are of what was measured
#               With KEPT, a folder, these leave each run's journal there; for tuner and
#               agents STEPS="4-bulk 4-wgmma" has the kernels of these steps, and their spaces
# Needs AVOGIT (the program), BENCH (the folder of gpu_bench), git and nvcc;
# `make bench-gpu PART=...` sets the first two. Each part takes some minutes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
: "${AVOGIT:?must name the built avogit}"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/avogit-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT INT TERM
git config --global user.name >/dev/null || {
	export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@example.invalid
	export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@example.invalid
}

line () { # NAME VALUE UNIT GOAL AWK-CONDITION-ON-v
	awk -v n="$1" -v v="$2" -v u="$3" -v g="$4" 'BEGIN {
		ok = v != "" && ('"$5"')
		printf "gpu.%s %s %s %s %s\n", n, v == "" ? "-" : v, u, g, ok ? "ok" : "SHORT"
	}'
}

field () { # KEY of the JSON on stdin, first
	sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\"*\([^\",]*\)\"*,*\$/\1/p" | head -n 1
}

# What the measurement of json took: seconds of build, judge, launches, and all.
spent () {
	for k in build judge timed total
	do
		field "seconds_$k" <json
	done | xargs
}

example () {
	sh "$root/examples/make-repo.sh" "$1" "$scratch/$1" >/dev/null 2>&1
	cd "$scratch/$1"
}

# The task with one case only.
one_case () {
	awk -v c="$1" '/^cases:/ { print; print "  - " c; skip = 1; next }
		skip && /^ / { next } { skip = 0 } !/^hidden:/ { print }' avogit.yaml >one
	mv one avogit.yaml
}

part_examples () {
	for e in softmax layernorm matmul attention
	do
		example "cuda-$e"
		"$AVOGIT" score --json --time 8s >json
		line "$e.verdict" "$(field verdict <json)" word pass 'v == "pass"'
		line "$e.class" "$(field trust <json)" word replayed 'v == "replayed"'
		"$AVOGIT" show HEAD | sed 's/^/# /'
	done
}

# Between launches the judge is at work on the card, or it rests: the more of
# either, the later large products meet the power limit (12.4 ms of one after the
# other, 11.1 with rests of 100 ms were seen), so that a plain program has to
# work on other things as long, and to rest as long: this in ms, for a batch of
# so many launches of so many seconds, by the shares of a measurement (json) of
# one case.
between () { # LAUNCHES SECONDS
	spent | awk -v n="$1" -v t="$2" '{ a = 1e3 * n * t / $3; printf "%.0f %.0f", a * $2, a * ($4 - $1 - $3 - $2) }'
}

part_isolated () {
	example cuda-matmul
	sed 's/matmul_cublas/matmul/' baseline_cublas.cu >kernel.cu
	sed -i 's/^build: {/build: {libs: [-lcublas], /' avogit.yaml
	git commit -qam 'Call cuBLAS'
	"$AVOGIT" score --json --time 8s >json
	line cublas.verdict "$(field verdict <json)" word pass 'v == "pass"'
	line cublas.class "$(field trust <json)" word isolated 'v == "isolated"'
	"$AVOGIT" show HEAD | sed 's/^/# /'
	# The largest case alone. At this size the power limit decides, and so does
	# what the card does besides.
	one_case '{m: 16384, n: 16384, k: 16384}'
	git commit -qam 'The largest case alone'
	"$AVOGIT" score --json --time 12s >json
	"$AVOGIT" show HEAD | grep -A 1 '^  case' | sed 's/^/# /'
	# Ours, without what is fixed, over another.
	own='/"seconds":/ && !s { gsub(/.*:|[^0-9.e-]/, ""); s = $0 }
		/"overhead"/ { gsub(/.*:|[^0-9.e-]/, ""); printf "%.4f", (s - $0) / p; exit }'
	plain_cublas 16384 3
	restless=$("$scratch/plain" 8)
	nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -DSIZE=16384 \
		-DKERNEL="\"$root/examples/cuda-matmul/baseline_cublas.cu\"" \
		-o "$scratch/isolated" "$root/tests/bench/gpu/plain_isolated.cu" -lcublas
	half=$(half_ms)
	p=$("$scratch/isolated" 40 "$half")
	echo "# plain: $p s in halves of $half ms as the scorer's; $restless s one launch after the other"
	line cublas.over_restless "$(awk -v p="$restless" "$own" json)" ratio said 1
	line cublas.over_plain "$(awk -v p="$p" "$own" json)" ratio 0.97..1.03 'v >= 0.97 && v <= 1.03'
}

# How long a half of a block with three arms and one launch each takes, of the
# measurement json.
half_ms () {
	spent | awk -v s="$(field seconds <json)" '{ printf "%.0f", 1e3 * ($4 - $1) * 3 * s / $3 }'
}

plain () { # KERNEL TYPE IN OUT IMAGES CALL [FLAG...]
	kernel=$1 type=$2 in=$3 out=$4 images=$5 call=$6
	shift 6
	printf '#define %s %s\n' KERNEL "\"$kernel\"" TYPE "$type" IN "$in" OUT "$out" IMAGES "$images" \
		CALL "$call" >"$scratch/what.h"
	nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -include "$scratch/what.h" \
		-o "$scratch/plain" "$root/tests/bench/gpu/plain.cu" "$@"
}

plain_cublas () { # SIZE IMAGES
	plain "$root/examples/cuda-matmul/baseline_cublas.cu" __nv_bfloat16 "2l*$1*$1" "1l*$1*$1" "$2" \
		"matmul_cublas(x,x+1l*$1*$1,y,$1,$1,$1,stream)" -lcublas
}

# Log ratios of our figure to the plain program's, a line each in a file.
interval () { # NAME FILE
	awk -v n="$1" '{ s += $1; q += $1 * $1; k++ } END {
		if (k < 2) { printf "gpu.%s_over_plain - ratio within_1_%% SHORT\n", n; exit }
		m = s / k; e = 2.05 * sqrt((q / k - m * m) / (k - 1))
		lo = exp(m - e); hi = exp(m + e); bad = !(lo >= 0.99 && hi <= 1.01)
		printf "gpu.%s_over_plain %.4f ratio [%.4f,%.4f]_within_1_%%_of_%d_blocks %s\n", n, exp(m), lo, hi, k, bad ? "SHORT" : "ok"
	}' "$2"
}

# Blocks up to BLOCKS, each a line of the file.
blocks () { # NAME ROUNDS IMAGES COMMAND that prints our seconds, and leaves json
	lines=${KEPT:-$scratch}/accuracy-$1.lines
	touch "$lines"
	while test "$(wc -l <"$lines")" -lt "${BLOCKS:-30}"
	do
		ours=$($4)
		test -n "$ours" || return
		p=$("$scratch/plain" "$2" $(between "$3" "$ours"))
		awk -v o="$ours" -v p="$p" 'BEGIN { print log(o / p) }' >>"$lines"
	done
	sed 's/^/# /' "$lines"
	interval "$1" "$lines"
}

own_seconds () {
	"$AVOGIT" score --again --json --time 1s >json
	field seconds <json
}

# The baseline's: the candidate's by their ratio.
baseline_seconds () {
	"$AVOGIT" score --again --json --time 1s >json
	awk '/"seconds":/ && !s { gsub(/.*:|[^0-9.e-]/, ""); s = $0 }
		/"case_ratios"/ { gsub(/.*:|[^0-9.e-]/, ""); print s * $0; exit }' json
}

part_accuracy () {
	cp -r "$root/tests/bench/gpu/spin" "$scratch/spin" && cd "$scratch/spin"
	git init -q && git add . && git commit -qm spin
	plain "$scratch/spin/kernel.cu" float 135168 135168 64 'spin(x,y,135168,stream)'
	blocks spin 24 64 own_seconds
	example cuda-matmul
	one_case '{m: 8192, n: 8192, k: 8192}'
	git commit -qam 'One case'
	plain_cublas 8192 4
	blocks cublas 12 4 baseline_seconds
}

part_resolution () { # spin, softmax, matmul
	case $1 in
	spin) cp -r "$root/tests/bench/gpu/spin" "$scratch/spin" && cd "$scratch/spin" ;;
	softmax)
		example cuda-softmax
		cp "$root/examples/cuda-softmax/steps/4-bulk/kernel.cu" .
		one_case '{rows: 16384, cols: 8192}'
		# A hundredth of the rows once more.
		sed -i '/^static __global__.* ring(/,/^}/{
			s/(rows - (int)blockIdx/(rows + rows * MORE \/ 100 - (int)blockIdx/
			s/x + (blockIdx.x + (long)\([a-z]*\) \* gridDim.x) \* packs/x + (blockIdx.x + (long)\1 * gridDim.x) % rows * packs/
			s/y + (blockIdx.x + (long)\([a-z]*\) \* gridDim.x) \* packs/y + (blockIdx.x + (long)\1 * gridDim.x) % rows * packs/
		}' kernel.cu ;;
	matmul)
		example cuda-matmul
		cp "$root/examples/cuda-matmul/steps/4-wgmma/kernel.cu" .
		one_case '{m: 8192, n: 8192, k: 8192}'
		sed -i '/^baselines:/,/^$/d' avogit.yaml
		# K is 128 steps: one more for all, two for seven tiles of 25, of zeros.
		sed -i 's/for (int p = 0; p < q.k; p += BK)/for (int p = 0; p < q.k + MORE * BK * (1 + (tile % 25 < 7)); p += BK)/' kernel.cu ;;
	esac
	test "$1" = spin || grep -q MORE kernel.cu
	"${BENCH:?must name the folder of gpu_bench}/gpu_bench" "$1" . "${COMPARISONS:-30}" \
		${KEPT:+"$KEPT/resolution-$1.lines"}
}

part_cost () {
	example cuda-attention
	sed -i '/^baselines:/,/^$/d' avogit.yaml && git commit -qam 'No baseline'
	"$AVOGIT" score --json --time 5s >json
	"$AVOGIT" score --again --json --time 5s >json
	v=$(spent | awk '{ printf "%.2f", $4 - $1 - $2 - $3 }')
	grep seconds_ json | sed 's/^/# /'
	line cost_of_a_verdict "$v" s '<=5' 'v <= 5'
}

# How long the card had kernels to run, in seconds: launches by their events,
# and the judge from request to answer; a measurement once, however many notes
# quote it.
card_seconds () {
	git grep -h 'gpu_seconds=' refs/notes/avogit |
	sed 's/^\([^ ]*\) .*gpu_seconds=\([0-9.]*\).*$/\1 \2/' | sort -u |
	awk '{ s += $2 } END { printf "%.2f", s }'
}

# The same as the driver sees it, from samples of the shares of time in which
# any kernel ran, a capturer's too.
busy_by_driver () { # FILE of samples
	awk '/^ *[0-9]+/ { s += $1; n++ } END { if (n) printf "%.0f", s / n }' "$1"
}

# What a run's journal says of that: from measurement to measurement, and within.
where_time_went () { # RUN SECONDS
	git log --format=%B "$(git for-each-ref --format='%(refname)' "refs/avogit/$1/journal/" | head -n 1)" |
	grep '"kind":"measurement"' >journal
	test -z "${KEPT:-}" || {
		"$AVOGIT" log --run "$1" --json >"$KEPT/$1.json"
		cp journal "$KEPT/$1.journal"
	}
	awk -v wall="$2" -v run="$1" '
		function of(k) {
			if (!match($0, "\"" k "\":[0-9.e+-]+"))
				return 0
			return substr($0, RSTART + length(k) + 3, RLENGTH - length(k) - 3)
		}
		{ b += of("seconds_build"); s += of("seconds_starting"); t += of("seconds_timed")
		  j += of("seconds_judge"); all += of("seconds_total"); n++ }
		END { if (n) printf "# %s: %d measured in %.1f s, a measurement: building %.2f, starting %.2f, timed %.2f, judging %.2f, other %.2f, between two %.2f s\n",
			run, n, wall, b / n, s / n, t / n, j / n, (all - b - s - t - j) / n, (wall - all) / n }' journal
}

# What a run waited for: of each request of each kind of process how many, the
# mean from question to answer, and the part of all the time in which the scorer
# did nothing but wait for it.
what_it_waited_for () { # TRACE SECONDS
	awk -v wall="$2" '{
		k = $5 " " $6; n[k]++; took[k] += $3 - $1; waited[k] += $3 - $2
	} END { for (k in n) if (waited[k] > 0.005 * wall)
		printf "#   %5.1f %%  %s: %d, %.2f ms each\n", 100 * waited[k] / wall, k, n[k], 1e3 * took[k] / n[k] }' "$1" |
	sort -k 2 -rn
}

# The example, with the kernel of one of STEPS if it has such a step.
example_at () {
	example "cuda-$1"
	for s in ${STEPS:-}
	do
		test ! -d "$root/examples/cuda-$1/steps/$s" || {
			cp "$root/examples/cuda-$1/steps/$s/kernel.cu" . &&
			git commit -qam "$s" --allow-empty
		}
	done
}

# Evolves, and says how busy the card was: evolved NAME GOAL OPTION...
evolved () {
	name=$1 goal=$2
	shift 2
	stdbuf -oL nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits -i "${CUDA_VISIBLE_DEVICES:-0}" -lms 250 >"$scratch/busy" &
	watch=$!
	start=$(date +%s.%N)
	trace=${KEPT:-$scratch}/$name.trace
	AVOGIT_TRACE=$trace "$AVOGIT" evolve --run "$name" "$@" | sed 's/^/# /'
	end=$(date +%s.%N)
	kill $watch && wait $watch || :
	spent=$(awk -v a="$start" -v b="$end" 'BEGIN { printf "%.2f", b - a }')
	where_time_went "$name" "$spent"
	what_it_waited_for "$trace" "$spent"
	v=$(awk -v s="$(card_seconds)" -v w="$spent" 'BEGIN { printf "%.0f", 100 * s / w }')
	line "$name.card_at_work" "$v" % ">=$goal" "v >= $goal"
	line "$name.card_busy_by_driver" "$(busy_by_driver "$scratch/busy")" % said 1
}

# Agents of a kind that needs no model, in the task of this folder.
with_agents () {
	cat >>avogit.yaml <<-\EOF
	operator: {command: [bash, -c, 'eval "$AGENT"'], env: [AGENT, THINK, LOSES]}
	supervisor: off
	EOF
	AGENT=$(cat "$root/tests/bench/gpu/random_agent.sh") THINK=${THINK:-2} LOSES=${LOSES:-}
	export AGENT THINK LOSES
	git commit -qam 'Agents that draw' && "$AVOGIT" trust --yes >/dev/null
}

part_agents () {
	for e in ${TUNED:-softmax matmul}
	do
		example_at "$e"
		with_agents
		evolved "$e-agents" 90 --agents "${AGENTS:-4}" --time "${SECONDS_EACH:-60}s"
	done
}

# What the journal says of each card: when its first measurement was over, after
# the first of all, and what measurements took in the mean.
by_card () { # RUN
	awk -v run="$1" '
		function of(k) {
			if (!match($0, "\"" k "\":\"*[^,\"}]+"))
				return 0
			return substr($0, RSTART + length(k) + 3, RLENGTH - length(k) - 3)
		}
		{ c = of("gpu_uuid"); sub(/^"/, "", c); at = of("time_us") / 1e6
		  if (!n[c]++ || at < first[c])
			first[c] = at
		  if (!began || at < began)
			began = at
		  all[c] += of("seconds_total")
		  own[c] += of("seconds_build") + of("seconds_starting") + of("seconds_timed") + of("seconds_judge")
		  judge[c] += of("seconds_judge") }
		END { for (c in n) printf "# %s: %s: %d measured, the first %.1f s after the first of all, each %.2f s: judging %.2f, other %.2f\n",
			run, c, n[c], first[c] - began, all[c] / n[c], judge[c] / n[c], (all[c] - own[c]) / n[c] }' journal
}

# How many a second were measured once all cards measured, of the journal's
# candidates: between the time when each card had one behind it and the last of that card
# which ended first, the one at hand counted as far as it was. "-": too few.
rate_once_all_measure () { # CARDS
	awk '
		function of(k) {
			if (!match($0, "\"" k "\":\"*[^,\"}]+"))
				return ""
			k = substr($0, RSTART + length(k) + 3, RLENGTH - length(k) - 3)
			sub(/^"/, "", k)
			return k
		}
		{ printf "%.3f %s %d\n", of("time_us") / 1e6, of("gpu_uuid"), of("number") }' journal |
	sort -n |
	awk '
		function ended_by(c, t,    i) {
			for (i = 1; i < n[c] && at[c, i + 1] <= t; i++)
				;
			return i == n[c] ? i : i + (t - at[c, i]) / (at[c, i + 1] - at[c, i])
		}
		$3 > 0 && !seen[$3]++ { at[$2, ++n[$2]] = $1 }
		END {
			for (c in n) {
				cards++
				if (at[c, 1] > from) from = at[c, 1]
				if (!to || at[c, n[c]] < to) to = at[c, n[c]]
			}
			for (c in n)
				all += ended_by(c, to) - ended_by(c, from)
			if (cards < '"$1"' || to <= from) print "-"
			else printf "%.4f\n", all / (to - from)
		}'
}

# What a measurement of a run with several cards waited for, in ms, where that is
# 3 or more: what is more with two cards than with one, they wait for together.
a_measurement_waited_for () { # TRACE MEASURED
	awk -v of="$2" '{
		waited[$5 " " $6] += $3 - $2
		if ($5 == "spare" && !seen[$4]++) opened++
	} END {
		printf "#   %d processes opened a card; waits:", opened
		for (k in waited) if (of && waited[k] / of >= 0.003)
			printf " %s %.0f,", k, 1e3 * waited[k] / of
		print ""
	}' "$1"
}

# One of the runs of part_cards: cards_run RUN GPUS SECONDS. On a signal it ends
# soon, and its figures are of what was measured until then.
cards_run () {
	trace=${KEPT:-$scratch}/$1.trace
	AVOGIT_TRACE=$trace "$AVOGIT" evolve --run "$1" --agents 16 --gpus "$2" --time "$3s" >said 2>&1 &
	evolving=$!
	while kill -0 $evolving 2>/dev/null
	do
		wait $evolving || :
	done
	evolving=
	tail -n 12 said | cut -c 1-200 | sed 's/^/# /'
	git log --format=%B "$(git for-each-ref --format='%(refname)' "refs/avogit/$1/journal/" | head -n 1)" |
	grep '"kind":"measurement"' >journal || :
	test -z "${KEPT:-}" || cp journal "$KEPT/$1.journal"
	by_card "$1"
	test ! -e "$trace" || a_measurement_waited_for "$trace" "$(wc -l <journal)"
}

# Figures of a set of cards over another: cards_over NAME "SET N RATE" "SET N RATE"
cards_over () {
	set -- "$1" $2 $3
	# Of N cards 0.95 N is asked: 1.9 of two.
	goal=$(awk -v a="$2" -v b="$5" 'BEGIN { print 0.95 * split(a, x, ",") / split(b, y, ",") }')
	for f in ": $3 $6" ".once_all_measure: $4 $7"
	do
		v=$(echo "${f#*: }" | awk '$1 > 0 && $2 > 0 { printf "%.2f", $1 / $2 }')
		line "$1.$2/$5${f%%:*}" "$v" x ">=$goal" "v >= $goal"
	done
}

# The sets of cards in turn, in the task of this folder: cards_all NAME SECONDS
cards_all () {
	with_agents
	: >"$scratch/measured"
	for gpus in ${CARDS:-0,1 0}
	do
		test -z "$cut" || break
		run=$(echo "$1-$gpus" | tr ,. --)
		cards_run "$run" "$gpus" "$2"
		rate=$(rate_once_all_measure $(echo "$gpus" | tr , '\n' | wc -l))
		echo "# $run: $rate a second once all measure${cut:+, cut short}"
		n=$(wc -l <journal)
		# What was cut short is not of as many seconds.
		test -z "$cut" || n=-
		echo "$gpus $n $rate" >>"$scratch/measured"
	done
	over=$(tail -n 1 "$scratch/measured")
	sed '$d' "$scratch/measured" | while read -r set
	do
		cards_over "$1" "$set" "$over"
	done
}

part_cards () {
	cut= evolving= loses=${LOSES-L2_MIB=8} LOSES=
	trap 'cut=1; test -z "$evolving" || { kill -INT $evolving; sleep 0.2; kill -TERM $evolving; }' INT TERM
	# Once a card, and no part of a run.
	for i in $(echo "${CARDS:-0,1 0}" | tr ', ' '\n\n' | sort -u)
	do
		CUDA_VISIBLE_DEVICES=$i "$AVOGIT" doctor --ceilings >/dev/null 2>&1 &
	done
	wait || :
	if test "${SECONDS_EACH:-60}" != 0
	then
		example cuda-matmul
		one_case '{m: 4096, n: 4096, k: 4096}'
		cards_all cards "${SECONDS_EACH:-60}"
	fi
	test -z "$cut" || return 0
	test "${SECONDS_LONG:-60}" != 0 || return 0
	# All that is drawn is a number in a kernel that nobody launches, so that all
	# are as slow, and none has the code of another.
	example "cuda-${LONG:-attention-backward}"
	test -z "${CASE:-}" || one_case "$CASE"
	sed -i -E 's,[[:blank:]]*// avogit(-require)?:.*,,; 1i #define DRAWN 0' kernel.cu
	echo '__global__ void drawn(int *p) { *p = DRAWN; }' >>kernel.cu
	LOSES=$loses
	cards_all cards.of_seconds "${SECONDS_LONG:-60}"
}

part_tuner () {
	# Once a card, and no part of a run.
	"$AVOGIT" doctor --ceilings >/dev/null 2>&1 || :
	for e in ${TUNED:-softmax matmul}
	do
		example_at "$e"
		evolved "$e" 80 -n "${ATTEMPTS:-40}" --seed "${SEED:-1}" \
			${SECONDS_EACH:+--time "${SECONDS_EACH}s"}
	done
}

# One run in a repository of its own, so that nothing is known from another; a line
# an attempt: who, seed, attempt, seconds since the run began, times the start's speed.
live_run () { # WHO PROGRAM SEED SECONDS
	cd "$scratch" && rm -rf "cuda-$TUNED"
	example_at "$TUNED"
	sed -i -e '/^baselines:/,/^$/d' -e '/^operator:/d' avogit.yaml
	test -z "${CASE:-}" || one_case "$CASE"
	for v in ${START:-}
	do
		sed -i -E "s,^(#define[[:blank:]]+${v%%=*}[[:blank:]]+)[^[:blank:]]+,\\1${v#*=}," kernel.cu
	done
	git commit -q --allow-empty -am 'What a run begins with'
	test "$1" != random || THINK=0 with_agents
	began=$(date +%s.%N)
	timeout -s INT -k 10 "$(($4 + 5))" "$2" evolve --run live -n "${ATTEMPTS:-40}" --seed "$3" --time "${4}s" >said 2>&1 ||
		{ echo "gpu.sh: $1: evolve ended with $?" >&2; tail -n 5 said >&2; }
	"$AVOGIT" log --run live --json >json
	git log --format=%B "$(git for-each-ref --format='%(refname)' refs/avogit/live/journal/ | head -n 1)" |
	grep '"kind":"measurement"' >journal || :
	awk -v who="$1" -v seed="$3" -v began="$began" '
		function of(k) {
			if (!match($0, "\"" k "\":[ \t]*[-0-9.e+]+"))
				return ""
			return substr($0, RSTART + length(k) + 3, RLENGTH - length(k) - 3) + 0
		}
		NR == FNR { if (of("attempt") != "") n = of("attempt"); if (of("speedup") != "") speed[n] = of("speedup"); next }
		{ n = of("number"); if (n != "" && (!(n in at) || of("time_us") < at[n])) at[n] = of("time_us") }
		END { for (n in at) if (n > 0) printf "%s %d %d %.1f %s\n", who, seed, n, at[n] / 1e6 - began, n in speed ? speed[n] : "nan" }
	' json journal | sort -k 3,3n >>"$lines"
}

# The best known is the fastest attempt of all runs, each measured beside its
# champion; a run that was cut short has not found one.
live_count () { # LINES
	awk -v e="$TUNED" '
		function median(list, n,    i, j, t) {
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
					t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
				}
			return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
		}
		NR == FNR { if ($5 != "nan" && $5 + 0 > best) best = $5 + 0; next }
		{ run = $1 " " $2
		  if (!(run in made)) { order[++runs] = run; who[runs] = $1 }
		  made[run] = $3; ended[run] = $4
		  if ($5 != "nan" && $5 + 0 > top[run]) top[run] = $5 + 0
		  if ($5 != "nan" && $5 >= best / 1.02 && !(run in found)) { found[run] = $3; after[run] = $4 } }
		END {
			printf "# best known: %.3f times the start\n", best
			for (i = 1; i <= runs; i++) {
				run = order[i]
				printf "# %s: %s of %d attempts, %s of %.0f s; its best %.3f of the best known\n", run,
					run in found ? found[run] : "none", made[run], run in found ? after[run] : "none", ended[run], top[run] / best
				if (!(who[i] in n)) name[++kinds] = who[i]
				n[who[i]]++; hit[who[i]] += run in found
			}
			for (k = 1; k <= kinds; k++) {
				m = 0
				for (i = 1; i <= runs; i++)
					if (who[i] == name[k]) {
						a[++m] = order[i] in found ? found[order[i]] + 0 : 1e9
						t[m] = order[i] in found ? after[order[i]] / 60 : 1e9
					}
				far[k] = median(a, m); late[k] = median(t, m)
			}
			for (k = 1; k <= kinds; k++) {
				ok = 1
				for (i = 1; i <= kinds; i++) ok = ok && far[k] <= far[i]
				printf "gpu.live.%s.%s %s attempts,_%s_minutes,_%d_of_%d_runs %s %s\n", e, name[k],
					(far[k] > 1e8 ? "-" : far[k]), (late[k] > 1e8 ? "-" : sprintf("%.1f", late[k])), hit[name[k]], n[name[k]],
					(name[k] == "tuner" ? "the_fewest" : "said"), (ok || name[k] != "tuner" ? "ok" : "SHORT")
			}
		}' "$1" "$1"
}

part_live () {
	TUNED=${TUNED:-softmax}
	lines=${KEPT:-$scratch}/live-$TUNED.lines
	seed=${SEED:-1}
	: "${EARLIER:?must name an earlier avogit}"
	"$AVOGIT" doctor --ceilings >/dev/null 2>&1 || :
	ends=$(($(date +%s) + ${SECONDS_ALL:-400})) longest=0
	while test $(($(date +%s) + longest)) -le $ends
	do
		start=$(date +%s)
		live_run tuner "$AVOGIT" "$seed" "${SECONDS_EACH:-120}"
		live_run earlier "$EARLIER" "$seed" "${SECONDS_EACH:-120}"
		live_run random "$AVOGIT" "$seed" "${SECONDS_EACH:-120}"
		took=$(($(date +%s) - start))
		test $took -le $longest || longest=$took
		seed=$((seed + 1))
	done
	live_count "$lines"
}

# Each attempt is measured by its own; which two are fastest together, and what the joined
# source brings beside the champion.
part_points () {
	TUNED=softmax
	example_at softmax
	sed -i -e '/^baselines:/,/^$/d' avogit.yaml && git commit -q --allow-empty -am 'No baseline'
	"$AVOGIT" evolve --run points -n "${ATTEMPTS:-25}" --seed "${SEED:-1}" --time "${SECONDS_EACH:-40}s" >said 2>&1 ||
		{ echo "gpu.sh: evolve ended with $?" >&2; tail -n 5 said >&2; }
	"$AVOGIT" best --run points --points 2 | sed 's/^/# /'
	"$AVOGIT" best --run points --points 2 -o kernel.cu --force >said 2>&1 || sed 's/^/# /' said
	"$AVOGIT" score --run points -m 'The fastest of two, by the shape' >said 2>&1 || :
	sed 's/^/# /' said
	"$AVOGIT" log --run points --json >json
	test -z "${KEPT:-}" || cp kernel.cu json "$KEPT/"
	line points.outcome "$(field outcome <json)" word champion 'v == "champion"'
}

echo "# $("$AVOGIT" --version), $(nvidia-smi -i "${CUDA_VISIBLE_DEVICES:-0}" --query-gpu=name,driver_version,uuid --format=csv,noheader)"
echo "# $(uname -sr), $(nvcc --version | sed -n 's/^.*release /nvcc /p'); tests/bench/gpu.sh $*"
for part
do
	case $part in
	resolution-*) part_resolution "${part#resolution-}" ;;
	examples | isolated | accuracy | cost | tuner | live | points | agents | cards) "part_$part" ;;
	*) echo "gpu.sh: no part '$part'" >&2; exit 2 ;;
	esac
done
