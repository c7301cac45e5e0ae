#!/bin/sh
# test: parallel long no-asan
test_description='evolve --gpus: a run on several cards, each comparison on one'
. "$(dirname "$0")/lib-fake-gpu.sh"
fake_repo task || exit
. "$SHARNESS_TEST_SRCDIR/lib-operator.sh"

# An agent's kernels have code of their own, and are slower.
use_operator "silence: 60s" <<-\EOT || exit
	for i in 1 2 3 4
	do
		steps=$((100000 + 10 * AVOGIT_AGENT + i))
		sed -i "/volatile int k/d" kernel.cu
		sed -i "/^	int n = PARAMETER(2, int);/a for (volatile int k = 0; k < $steps; k++);" kernel.cu
		score "$steps steps"
	done
EOT

# Every kernel takes 0.2 ms more on the second card than on the first.
two_cards () {
	faults "* count * odd" "* run_1 * spin" "$@"
}

# Of each attempt of the run, a line: its number, the beginning of the UUID of
# each card in its note, "to" and the ratio with what it was compared with on the
# first: a note may have several.
figures () {
	avogit log --json >../log.json &&
	perl -MJSON::PP -e '
		local $/;
		my $all = decode_json(<>)->{runs}[0]{attempts};
		for (sort { $a->{attempt} <=> $b->{attempt} } @$all) {
			my $note = qx(git notes --ref=avogit show $_->{commit});
			print join(" ", $_->{attempt},
				$note =~ /gpu_uuid=GPU-(f.)/g, "to",
				($note =~ /\bratio=([0-9.]+)/)[0] // "none"),
				"\n";
		}' ../log.json >../figures
}

# A slower kernel is not faster on the first card and not far slower on the
# second; times of both would make it so.
test_expect_success BUBBLEWRAP 'both cards measure, and no ratio is of times of both' '
	two_cards &&
	avogit evolve --run both --agents 3 --gpus 0,1 --attempts 6 >../out &&
	grep "^starting run both .*, 2 cards" ../out &&
	grep "stopped: attempts" ../out &&
	figures && cat ../figures &&
	test $(wc -l <../figures) = 7 &&
	grep " fa to" ../figures && grep " fb to" ../figures &&
	grep "^0 f. to none" ../figures &&
	awk "!/^0 / && !(/^[0-9]* fa/ && \$NF > 0 && \$NF < 1 ||
		/^[0-9]* fb/ && \$NF > 0.2 && \$NF < 2) { bad = 1 } END { exit bad }" \
		../figures &&
	none_left
'

# The runners of this role on the second card: on_second ROLE
on_second () {
	for pid in $(runners "$1")
	do
		tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null |
		grep -q "^CUDA_VISIBLE_DEVICES=GPU-fb" && echo "$pid"
	done
	return 0
}

# The only candidate is the start, which the first card measures: the agents do
# nothing.
test_expect_success BUBBLEWRAP 'a card that has no candidate yet gets ready for one' '
	two_cards || return
	AGENT="sleep 1000" "$AVOGIT" evolve --run ready --agents 2 --gpus 0,1 >../out 2>../err &
	evolving=$!
	for i in $(seq 300)
	do
		kill -0 $evolving || break
		got=$(on_second gpu-judge | wc -l)$(on_second spare | wc -l)
		case $got in 1[1-9]*) break ;; esac
		sleep 0.1
	done
	kill -INT $evolving
	until grep -q "again to stop now" ../err
	do
		kill -0 $evolving || break
		sleep 0.1
	done
	kill -TERM $evolving
	wait $evolving
	echo "judge and spares: $got" && grep "^o #0" ../out &&
	case $got in 1[1-9]*) ;; *) false ;; esac && none_left
'

# A judge that waits for the driver is waited for a minute where nothing stops it.
test_expect_success BUBBLEWRAP 'a command that is refused does not wait for a card that gets ready' '
	two_cards "gpu-judge init 1 hang" && echo "{" >../broken.json &&
	test_expect_code 128 timeout -s KILL 25 "$AVOGIT" evolve --run early --agents 2 \
		--gpus 0,1 --known ../broken.json >../out 2>../err &&
	grep "broken.json" ../err && none_left
'

test_expect_success BUBBLEWRAP 'agents of two islands have theirs measured on either card' '
	two_cards &&
	avogit evolve --run isles --agents 2 --islands 2 --gpus 0,1 --attempts 4 >../out &&
	grep "^starting run isles .*, 2 cards, 2 islands" ../out &&
	grep "^islands: island 2 of 2 begins at #0" ../out &&
	test $(git log --format="%(trailers:key=Avogit-Island,valueonly)" --glob="refs/avogit/isles/*" | grep . | sort -u | wc -l) = 2 &&
	test "$(avogit log --run isles | grep -c "in flight")" = 0 &&
	none_left
'

test_expect_success BUBBLEWRAP 'kill -9: what was measured on each is measured again, none is lost' '
	git checkout -q -b other && git commit -q --allow-empty -m other &&
	evolve_until 2 --run killed --agents 3 --gpus 0,1 --attempts 9 &&
	kill -9 $evolving &&
	{ evolve_rest || :; } &&
	none_left &&
	avogit log --run killed --json >../log.json &&
	test $(grep -c "in flight" ../log.json) -le 2 &&
	grep -o "\"commit\": *\"[0-9a-f]*\"" ../log.json | sort -u >../had &&
	avogit evolve --run killed --agents 2 --gpus 0,1 --attempts 1 >../out &&
	avogit log --run killed --json >../log.json &&
	! grep "in flight" ../log.json &&
	grep -o "\"commit\": *\"[0-9a-f]*\"" ../log.json | sort -u >../has &&
	test -z "$(comm -23 ../had ../has)" &&
	none_left
'

test_expect_success BUBBLEWRAP 'who waits for a card that another program has can be stopped' '
	for uuid in fafafafa-fafa-fafa-fafa-fafa fbfbfbfb-fbfb-fbfb-fbfb-fbfb
	do
		: >>/tmp/avogit-GPU-$uuid$card.lock || return
	done &&
	exec 6</tmp/avogit-GPU-fafafafa-fafa-fafa-fafa-fafa$card.lock \
		7</tmp/avogit-GPU-fbfbfbfb-fbfb-fbfb-fbfb-fbfb$card.lock &&
	flock 6 && flock 7 || return
	"$AVOGIT" evolve --run waits --agents 2 --gpus 0,1 >../out 2>../err \
		6<&- 7<&- &
	evolving=$!
	until test "$(cat /proc/$evolving/comm)" = avogit &&
		ls -l /proc/$evolving/fd 2>&1 | grep "GPU-f.*lock" >../waits
	do
		kill -0 $evolving || return
		sleep 0.1
	done
	kill -INT $evolving &&
	until grep -q "again to stop now" ../err; do sleep 0.1; done &&
	kill -TERM $evolving
	test_expect_code 130 wait $evolving
	ended=$?
	exec 6<&- 7<&-
	test $ended = 0 && none_left
'

# refused CODE TEXT ARGS...
refused () {
	refused_code=$1
	refused_text=$2
	shift 2
	test_expect_code "$refused_code" \
		avogit evolve --run refused "$@" >../out 2>../err
	cat ../err
	grep -F -e "$refused_text" ../err
}

test_expect_success BUBBLEWRAP 'a list that makes no sense' '
	refused 2 "names 2 cards, and an agent has one candidate measured at a time: give --agents 2 or more" \
		--gpus 0,1 &&
	refused 2 "one candidate is measured after another" \
		--gpus 0,1 --in-order 2 &&
	refused 2 "with commas between them" --gpus 0, --agents 2 &&
	refused 2 "names none of the 2 GPUs here: give a number from 0 to 1" \
		--gpus 0,2 --agents 2 &&
	refused 2 "is named twice" --gpus 0,GPU-fafa --agents 2
'

test_expect_success BUBBLEWRAP 'cards of different kinds, and parts of a card' '
	two_cards "* name_1 * odd" &&
	refused 128 "are of different kinds" --gpus 0,1 --agents 2 &&
	two_cards &&
	CUDA_VISIBLE_DEVICES=0 refused 2 "names none of the 1 GPU here" \
		--gpus 1 &&
	AVOGIT_LIBCUDA=/nonexistent refused 128 "there is no GPU here" --gpus 1
'

test_expect_success BUBBLEWRAP 'one card of several' '
	two_cards "* card_0 * 46" &&
	avogit evolve --run one --gpus 1 --attempts 1 >../out &&
	grep "#1 " ../out && ! grep " cards" ../out &&
	none_left
'

test_expect_success 'not for a task on a CPU' '
	cd "$SHARNESS_TRASH_DIRECTORY" &&
	make_light_repo light &&
	test_expect_code 2 avogit evolve --gpus 0 2>../err
	cat ../err
	grep -e "--gpus is for tasks that run on a GPU" ../err
'

test_done
