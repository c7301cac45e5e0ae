#!/bin/sh
# test: long no-asan
test_description='a search on a GPU: who is given up early, and who is confirmed'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo task || exit

# A kernel of some microseconds that is repeated so often: repeats FIRST NEXT
repeats () {
	rm -rf "repeats$1" && git init -q "repeats$1" && cd "repeats$1" && cp "$fake"/task/* . &&
	sed -i "s/n: 16384/n: 1024/" avogit.yaml &&
	sed -i "s|^#define MODE.*|#define TIMES $1 // avogit: $1 $2|" kernel.cu &&
	sed -i "s|^\tfor (int i = 0; i < n; i++)\$|\tfor (int t = 0; t < TIMES; t++, ({ __asm__(\"\" ::: \"memory\"); }))\n&|" kernel.cu &&
	git add . && git commit -qm "the kernel and its task" &&
	faults && avogit evolve --seed 1 --attempts 1 >../out &&
	git notes --ref=avogit show "$(avogit log --json |
		sed -n "s/.*\"commit\":[[:space:]]*\"\([0-9a-f]*\)\".*/\1/p" |
		grep -v "$(git rev-parse HEAD)")" >../note &&
	cat ../note &&
	cd ..
}

# In a first round that others disturb its launches are not seen to be short, and
# then the processes are not what counts: so there is another try.
test_expect_success 'a search lets who is far slower go after the first processes' '
	(
		cd .. &&
		for try in 1 2 3 4
		do
			repeats 1 24 || exit
			! grep "against=incumbent .*told=slower blocks=[1-3] " note ||
				exit 0
		done
		exit 1
	) &&
	! grep "noise=" ../note
'

# Sixteen times as slow: three rounds say so, and two where the machine is quiet.
test_expect_success 'who is far slower goes after two or three rounds' '
	(
		cd .. &&
		for try in 1 2 3
		do
			repeats 100 1600 || exit
			! grep "against=incumbent .*told=slower blocks=[23] " note ||
				exit 0
		done
		exit 1
	)
'

test_expect_success 'its winners are confirmed beside a twin' '
	( cd .. && repeats 60 1 ) &&
	grep "against=incumbent .*told=faster blocks=" ../note &&
	grep " 000 .* vs=incumbent .* noise=" ../note
'

# A rival's launcher is kept, and a candidate's has replayed it in the checks, but not
# where a crown is at stake: none runs both before and after a confirmation captures.
test_expect_success 'a win is confirmed by processes that were used for nothing before' '
	( cd .. && rm -f trace && AVOGIT_TRACE=$PWD/trace && export AVOGIT_TRACE && repeats 3200 400 ) &&
	awk "\$6 == \"capture\" && !captured[\$4]++ { first[++n] = \$1 }
		\$6 == \"run\" { if (!begun[\$4]) begun[\$4] = \$1; ended[\$4] = \$1 }
		END { for (p in begun)
			for (i = 1; i <= n; i++)
				bad += begun[p] < first[i] && first[i] < ended[p]
			print n, bad + 0; exit n < 5 || bad }" ../trace
'

# How many processes of a run's trace were asked for this: asked WHAT
asked () {
	awk -v what="$1" '$5 == "spare" && $6 == what { if (!n[$4]++) all++ } END { print all + 0 }' ../trace
}

# Captures of candidates during which the judge was not asked for a reference, but for
# one that each begins with: idle_captures
idle_captures () {
	awk '$5 == "gpu-judge" && $6 == "reference" { asked[++n] = $1 }
		$5 == "spare" && $6 == "try" { who[++k] = $4; from[k] = $1; to[k] = $2 }
		END {
			for (i = 1; i <= k; i++) {
				for (j = 1; j <= n && !(from[i] < asked[j] && asked[j] < to[i]); j++)
					;
				if (j <= n)
					checked[who[i]] = 1
				else
					idle[who[i]]++
			}
			for (w in checked) {
				n_checked++
				all += idle[w] - 1
			}
			print n_checked ? all + 0 : "none"
		}' ../trace
}

# One that never loses is captured for several comparisons at once, and its launcher
# stays; a candidate has one launcher. For each attempt there were two capturers and
# three launchers before. So it is where a driver opens the card for one at a time.
test_expect_success 'a candidate opens the card twice, and a rival seldom' '
	(
		cd .. && rm -rf kept && git init -q kept && cd kept && cp "$fake"/task/* . &&
		sed -i "s/n: 16384/n: 1024/" avogit.yaml &&
		sed -i "s|^#define MODE.*|#define TIMES 600 // avogit: 600 1200 1250 1300 1350 1400|" kernel.cu &&
		sed -i "s|^\tfor (int i = 0; i < n; i++)\$|\tfor (int t = 0; t < TIMES; t++, ({ __asm__(\"\" ::: \"memory\"); }))\n&|" kernel.cu &&
		git add . && git commit -qm "the kernel and its task" &&
		faults "* primary_retain * turn" && rm -f ../trace &&
		AVOGIT_TRACE=$PWD/../trace avogit evolve --seed 1 --attempts 5 >../out &&
		cat ../out && asked capture && asked run &&
		test $(asked capture) -le 10 && test $(asked run) -le 14 &&
		test $(idle_captures) = 0 &&
		none_left
	)
'

test_done
