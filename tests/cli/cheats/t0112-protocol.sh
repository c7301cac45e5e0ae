#!/bin/sh
# test: long no-asan
test_description='what a launch is: static inputs, repeated launches, busy machines'
. "$(dirname "$0")/../lib-avogit.sh"

# The verdict line of the work tree's kernel goes to ./line, its note to ./note.
score () {
	avogit score --time 2s "$@" >line
	code=$?
	git notes --ref=avogit show "$(avogit score --json | sed -n "s/.*\"commit\":[[:space:]]*\"\([0-9a-f]*\)\".*/\1/p")" >note
	return $code
}

test_expect_success 'what is made of static inputs is not timed and is right' '
	git init -q packed && (
		cd packed &&
		cp "$SHARNESS_TEST_SRCDIR"/cheats/packed/* . &&
		cp "$SHARNESS_TEST_SRCDIR"/../cheats/tasks/packed/reference.c . &&
		cp "$SHARNESS_TEST_SRCDIR"/../cheats/control-packed.c kernel.c &&
		git add . && git commit -qm packed &&
		score && grep "  pass, " line &&
		grep "vs packing" line
	)
'

test_expect_success 'packing in the timed entry costs what it costs' '
	(
		cd packed &&
		base=$(git rev-parse HEAD) &&
		sed -i "s|(void)w;|for (int r = 0; r < 200; r++) pack(x, w, y, (float *)packed, m, n, k);|" kernel.c &&
		score --against "$base" && grep "  pass, " line &&
		grep "vs $(git rev-parse --short=10 $base) .* slower" line &&
		git checkout -q kernel.c
	)
'

test_expect_success 'prepare sees nothing but static inputs' '
	(
		cd packed &&
		sed -i "s|(void)x, (void)y, (void)m;|packed[0] = x[0];|" kernel.c &&
		test_expect_code 1 score &&
		grep "crashed: in its prepare function: .*SIGSEGV" line &&
		git checkout -q kernel.c
	)
'

test_expect_success 'the static inputs of one set are not those of another' '
	(
		cd packed &&
		sed -i "s|(void)x, (void)y, (void)m;|static int once; if (once++) return;|" kernel.c &&
		test_expect_code 1 score &&
		grep "wrong: y\[" line &&
		git checkout -q kernel.c
	)
'

test_expect_success 'a prepare that does not end is ended' '
	(
		cd packed &&
		sed -i "s|(void)x, (void)y, (void)m;|for (;;) __asm__ volatile(\"\");|" kernel.c &&
		test_expect_code 1 score &&
		grep "timed-out: in its prepare function" line &&
		git checkout -q kernel.c
	)
'

test_expect_success 'static without prepare is refused in the task' '
	(
		cd packed &&
		sed -i "/^prepare:/d" avogit.yaml &&
		git commit -qam "no prepare" &&
		test_expect_code 128 avogit score 2>err &&
		grep "avogit.yaml:8: arguments.w: .*prepare" err
	)
'

test_expect_success 'the same bits twice: the note says so' '
	make_repo scale &&
	score && grep " 900 .*deterministic=yes" note
'

wobble () {
	cat >kernel.c <<-\EOF
	void scale(const float *x, float *y, float a, int n)
	{
		static int times;
		int extra = times++ & 1;

		for (int i = 0; i < n; i++)
			y[i] = a * x[i];
		((unsigned *)y)[0] += extra;
	}
	EOF
}

test_expect_success 'other bits: said, and no fault unless the task says so' '
	wobble &&
	score && grep " 900 .*deterministic=no" note &&
	git checkout -q kernel.c &&
	echo "deterministic: true" >>avogit.yaml &&
	git commit -qam "the same bits, please" &&
	wobble &&
	test_expect_code 1 score &&
	grep "wrong: two launches with the same inputs gave different bits" line
'

# How many processes below this one are stopped. (A minimal Debian has no ps.)
stopped_below () {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v top="$1" "
		{
			pid = \$1
			sub(/.*\\) /, \"\")
			state[pid] = \$1
			parent[pid] = \$2
		}
		END {
			for (p in state) {
				for (q = p; q > 1 && q != top; q = parent[q]);
				n += q == top && state[p] ~ /^T/
			}
			print n + 0
		}"
}

test_expect_success 'while one is timed the others are stopped' '
	cd .. &&
	make_repo stopped &&
	{ avogit score --again --time 2s --against HEAD >out & } &&
	scoring=$! &&
	most=0 &&
	while test "$most" -lt 2 && kill -0 $scoring
	do
		now=$(stopped_below $scoring) &&
		most=$((now > most ? now : most))
	done &&
	wait $scoring &&
	test "$most" -ge 2
'

# Something else runs on the CPU that kernels are timed on: the last one.
busy_from_here () {
	cpu=$(($(nproc --all) - 1)) &&
	{ taskset -c "$cpu" sh -c "while :; do :; done" & } &&
	busy=$!
}

test_expect_success 'a busy machine is noticed and said, and no single session of a small gain is believed' '
	cd .. &&
	make_repo busy &&
	sed -i "s|// avogit: 64 16 4 1|// avogit: 64 60|" kernel.c &&
	git commit -qam "a small gain" &&
	busy_from_here &&
	test_when_finished "kill $busy" &&
	avogit evolve --seed 1 >out &&
	{ grep "^no champion yet" out || git notes --ref=avogit show "$(avogit best)" | grep " 900 .*sessions=[4-8]"; } &&
	id=$(git rev-parse HEAD) &&
	git notes --ref=avogit show "$id" | grep " 900 .*unsteady=.other programs had its CPU"
'

test_done
