#!/bin/sh
# test: parallel long no-asan
test_description='operator llm: whole runs against a scripted model'
. "$(dirname "$0")/../lib-avogit.sh"
. "$SHARNESS_TEST_SRCDIR/lib-llm.sh"

# View, a wrong edit, a right one, build, score, end: what a step is.
cat >good <<'EOF'
exchange
usage 4000 0 3000 60
text I look at the kernel first.
call view {"path":"kernel.c"}
exchange
usage 500 3000 800 200
text Rows before columns.
call edit {"path":"kernel.c","old":"no such text","new":""}
call edit {"path": "kernel.c", "old": "\t\tfor (int j = 0; j < n; j++) {\n\t\t\tfloat sum = 0;\n\n\t\t\tfor (int p = 0; p < k; p++)\n\t\t\t\tsum += a[i * k + p] * b[p * n + j];\n\t\t\tc[i * n + j] = sum;\n\t\t}\n", "new": "\t{\n\t\tfloat *restrict row = c + (long)i * n;\n\n\t\tfor (int j = 0; j < n; j++)\n\t\t\trow[j] = 0;\n\t\tfor (int p = 0; p < k; p++) {\n\t\t\tconst float *restrict from = b + (long)p * n;\n\t\t\tfloat x = a[(long)i * k + p];\n\n\t\t\tfor (int j = 0; j < n; j++)\n\t\t\t\trow[j] += x * from[j];\n\t\t}\n\t}\n"}
call edit {"path": "kernel.c", "old": "void matmul(", "new": "// avogit-flags: -O3\nvoid matmul("}
exchange
usage 500 3800 800 50
call build {}
call knowledge {"query":"loop order cache lines"}
exchange
usage 500 4600 800 90
call notes {"add":"the inner loop walked down a column"}
call score {"subject":"Rows before columns","hypothesis":"the innermost loop walks along rows, a cache line at a time"}
exchange
usage 500 5400 800 30
text That was it.
EOF

for protocol in anthropic openai
do
	test_expect_success "$protocol: a step finds a champion" "
		make_matmul $protocol &&
		users_state >../before &&
		with_model $protocol avogit evolve --steps 5 --seed 5 <../good >../out &&
		users_state >../after &&
		test_cmp ../before ../after && 
		cp ../requests ../requests.$protocol &&
		cp ../out ../out.$protocol &&
		grep '^\\* #1 .*Rows before columns' ../out &&
		grep '^champion ' ../out &&
		grep '^stopped: steps' ../out &&
		cd ..
	"
	test_expect_success "$protocol: the candidate says who made it and why" "
		git -C $protocol log -1 --format=%B avo/matmul/best >message &&
		grep '^Avogit-Operator: llm' message &&
		grep '^Assisted-by: avogit:claude-sonnet-5' message &&
		grep 'a cache line at a time' message
	"
done

test_expect_success 'both protocols make the same history' '
	for p in anthropic openai
	do
		git -C $p log --format="%s%n%b" avo/matmul/best |
			sed "/^Avogit-Run/d" >history.$p &&
		git -C $p rev-parse avo/matmul/best^{tree} >>history.$p
	done &&
	test_cmp history.anthropic history.openai
'

tool_names () {
	perl -MJSON::PP -e '
		$b = decode_json(scalar <>)->{body};
		$b = decode_json($b) unless ref $b;
		print "$_\n" for map { $_->{name} // $_->{function}{name} } @{$b->{tools}};
	' "$1"
}

test_expect_success 'both get the same tools' '
	tool_names requests.anthropic >tools.anthropic &&
	tool_names requests.openai >tools.openai &&
	test_cmp tools.anthropic tools.openai &&
	for tool in view search edit write shell build score lineage \
		show diff restore knowledge notes
	do
		grep -x $tool tools.openai || return 1
	done &&
	! grep -x profile tools.openai
'

test_expect_success 'the first message says what there is to know' '
	head -n 1 requests.anthropic >first &&
	for words in "entry matmul(a: f32[m,k] in, " "cases that are timed: m=256" \
		"Machine: " "Nothing has beaten the start yet: attempt #0" \
		"openblas" "None: it is yours to choose" "You have 60 replies" \
		"a launch: flops 2 * m * n * k" "drawn for every scoring: " \
		"instruction sets: " "caches: L1 " "left in the run: " \
		"avogit/moves.md"
	do
		grep -F "$words" first >/dev/null || return 1
	done
'

test_expect_success 'an estimate before, what it took after' '
	grep "^estimate: an attempt takes about 10 turns, .* tokens in (.* cached), 6k out, [$]0[.][0-9]*; 200 attempts [$]" out.anthropic &&
	grep "^operator: claude-sonnet-5: it ended; 1 attempt; 5 turns, 29k tokens in (17k cached), 430 out, [$]0.0[0-9]; its last words: That was it." out.anthropic &&
	grep "^spent: 5 turns, 29k tokens in" out.anthropic
'

test_expect_success 'the transcript is in the logs of the run' '
	(cd anthropic && transcripts matmul) >transcript &&
	for event in begin request reply result end
	do
		grep "^{\"event\":\"$event\"" transcript >/dev/null || return 1
	done &&
	id=$(git -C anthropic rev-parse avo/matmul/best) &&
	grep "\"event\":\"result\".*\"name\":\"score\".*\"commit\":\"$id\"" transcript &&
	grep "\"name\":\"edit\",\"failed\":true" transcript &&
	test -z "$(find anthropic/.git/avogit/logs -type f)"
'

# What a fast step is, on the kernel of scale/: rounds FROM TO
rounds () {
	cat <<-EOF
	exchange
	call edit {"path":"kernel.c","old":"ROUNDS $1 ","new":"ROUNDS $2 "}
	call score {"subject":"$2 rounds","hypothesis":"less work"}
	EOF
}

test_expect_success 'the next step knows what the last one learnt' '
	make_repo learns &&
	{
		echo exchange
		echo "call notes {\"add\":\"rounds are wasted work\"}"
		rounds 64 16
		printf "exchange\ntext one is enough for now\n"
		rounds 16 4 | sed "2s/.*/call shell {\"command\":\"sed -i \\\\\"s,ROUNDS [0-9]* ,ROUNDS 4 ,\\\\\" kernel.c\"}/"
	} | with_model anthropic avogit evolve --attempts 2 >../out &&
	sed -n 4p ../requests >../fourth &&
	grep "#1 on #0, [a-z ]*, .*x, .*: 16 rounds" ../fourth &&
	grep "rounds are wasted work" ../fourth &&
	! grep "one is enough" ../fourth &&
	grep " #2 .*4 rounds" ../out &&
	cd ..
'

# What acts on a terminal or hides text: escapes, C1 controls, directions; as
# bytes for @E, @C and @O, and as JSON has them.
escape=$(printf '\033') csi=$(printf '\302\233') override=$(printf '\342\200\256')
cat >escapes.words <<'EOF'
exchange
text I begin @E[2J@C[31m@O here
call notes {"add":"a \u001b]0;title\u0007 and \u202e @O"}
call shell {"command":"printf '\\033c\\302\\2332J\\n'; echo @C@O"}
exchange
call edit {"path":"kernel.c","old":"ROUNDS 64 ","new":"ROUNDS 16 "}
call score {"subject":"fewer \u001b[31mrounds\u009b1m","hypothesis":"less @O\u001b[5mwork"}
exchange
text that @E[2J@C@O was it
EOF
sed -e "s/@E/$escape/g" -e "s/@C/$csi/g" -e "s/@O/$override/g" escapes.words >escapes

acts_on_a_terminal () {
	grep -a -e "$escape" -e "$csi" -e "$override" "$@"
}

for protocol in anthropic openai
do
	test_expect_success "$protocol: no reply of a model acts on a terminal" '
		make_repo escapes.$protocol &&
		with_model $protocol avogit evolve --steps 3 <../escapes >../out 2>../err &&
		grep " #1 .*fewer .*rounds" ../out &&
		grep "its last words: that .* was it" ../out &&
		avogit log >../log && avogit log --json >../json &&
		avogit show scale#1 >../show && avogit show --json scale#1 >../show.json &&
		avogit runs >../runs && avogit diff >../diff &&
		git log --all --notes=avogit --format=%B%N >../all &&
		! acts_on_a_terminal ../out ../err ../log ../json ../show \
			../show.json ../runs ../diff ../all &&
		! (transcripts scale | acts_on_a_terminal) &&
		cd ..
	'
done

for protocol in anthropic openai
do
	test_expect_success "$protocol: what breaks on the way is asked again" "
		make_light_repo faults-$protocol &&
		echo 'operator: {name: llm, silence: 1s}' >>avogit.yaml &&
		git commit -qam 'a model' &&
		{
			printf 'exchange\ntext half a\ncall write {\"path\":\"kernel.c\",\"text\":\"\"}\ncut 300\n'
			printf 'exchange\nstatus 429\nheader retry-after-ms: 1\nbody slow\n'
			printf 'exchange\nstatus 529\nheader retry-after-ms: 1\nbody busy\n'
			printf 'exchange\nheader retry-after-ms: 1\ntext half a reply\nstall 120\n'
			printf 'exchange\nheader retry-after-ms: 1\ntext half a reply\nerror overloaded_error again\n'
			printf 'exchange\nheader retry-after-ms: 1\ntext half a reply\nstop none\n'
			printf 'exchange\ncall write {\"path\":\"kernel.c\",\"text\":\"gone\"}\nstop length\n'
			rounds 16 4
		} | with_model $protocol avogit evolve --attempts 1 >../out &&
		grep ' #1 .*4 rounds' ../out &&
		tail -n 1 ../requests | grep 'Your reply was cut at its length limit' &&
		transcripts scale >../transcript &&
		grep '\"stop\":\"length\"' ../transcript &&
		test \"\$(grep -c '\"event\":\"waiting\"' ../transcript)\" = 6 &&
		! grep '\"event\":\"result\".*\"name\":\"write\"' ../transcript &&
		cd ..
	"
	test_expect_success "$protocol: a refusal is recorded, and the run goes on" "
		make_light_repo refuses-$protocol &&
		{
			printf 'exchange\ntext no\nstop refusal\n'
			rounds 16 4
		} | with_model $protocol avogit evolve --attempts 1 >../out &&
		grep '^operator: claude-sonnet-5: it refused: ' ../out &&
		avogit log | grep 'it refused' &&
		grep ' #1 .*4 rounds' ../out &&
		cd ..
	"
done

test_expect_success 'a fallback model is asked where the first refuses' '
	make_light_repo fallback &&
	echo "operator: {name: llm, model: claude-opus-5, fallback_model: claude-haiku-4-5}" >>avogit.yaml &&
	git commit -qam "a model" &&
	{
		printf "exchange\nwant model claude-opus-5\ntext no\nstop refusal\n"
		rounds 16 4 | sed "1a want model claude-haiku-4-5"
	} | AVOGIT_MODEL= with_model anthropic avogit evolve --attempts 1 >../out &&
	git cat-file --batch-all-objects --batch |
		grep -a "^Assisted-by: avogit:claude-haiku-4-5" &&
	cd ..
'

test_expect_success 'a server that will not ends the run in a sentence' '
	make_light_repo denied &&
	test_expect_code 128 with_model anthropic avogit evolve >../out 2>../err <<-\EOF &&
	exchange
	status 401
	body {"type":"error","error":{"type":"authentication_error","message":"no such key"}}
	EOF
	test "$(grep -c "^avogit: " ../err)" = 1 &&
	grep "no such key" ../err &&
	avogit log | grep "no reply: .*no such key" &&
	cd ..
'

test_expect_success 'one that goes in circles is told, then ended' '
	make_light_repo circles &&
	{
		printf "exchange\ntimes 4\ncall view {\"path\":\"kernel.c\"}\n"
		rounds 16 4
	} | with_model anthropic avogit evolve --attempts 1 >../out &&
	grep "operator: claude-sonnet-5: it went in circles (view, 4 times" ../out &&
	sed -n 4p ../requests | grep "same call with the same result for the third time" &&
	cd ..
'

test_expect_success 'one that ends without a score is nudged, once' '
	make_light_repo nudged &&
	{
		printf "exchange\ntext I am done.\n"
		printf "exchange\ncall edit {\"path\":\"kernel.c\",\"old\":\"ROUNDS 16 \",\"new\":\"ROUNDS 4 \"}\n"
		printf "exchange\ntext four rounds will do\n"
	} | with_model anthropic avogit evolve --attempts 1 >../out &&
	sed -n 2p ../requests | grep "Nothing was scored in this step" &&
	grep "operator: claude-sonnet-5: it ended; what it left unscored was scored; 1 attempt" ../out &&
	git cat-file --batch-all-objects --batch | grep -a "^four rounds will do" &&
	cd ..
'

test_expect_success 'a tool that is none, and arguments that are none' '
	make_light_repo odd &&
	{
		printf "exchange\ncall frobnicate {}\ncall view [1]\ncall edit {\"path\":\"../x\",\"old\":\"a\",\"new\":\"b\"}\n"
		rounds 16 4
	} | with_model anthropic avogit evolve --attempts 1 >../out &&
	grep " #1 .*4 rounds" ../out &&
	sed -n 2p ../requests | grep "there is no tool .frobnicate.; there is: view" &&
	cd ..
'

for protocol in anthropic openai
do
	test_expect_success "$protocol: a full context is cleared of old results" '
		make_light_repo full-$protocol &&
		{
			printf "exchange\ncall view {\"path\":\"kernel.c\"}\n"
			printf "exchange\ncall search {\"pattern\":\"round\"}\n"
			if test $protocol = anthropic
			then
				printf "exchange\nstop context\n"
			else
				printf "exchange\nstatus 400\nbody %s\n" "{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"too long\"}}"
			fi
			rounds 16 4
		} | with_model $protocol avogit evolve --attempts 1 >../out &&
		grep " #1 .*4 rounds" ../out &&
		tail -n 1 ../requests | grep "old output: " &&
		grep "^spent: 3 turns" ../out &&
		cd ..
	'
done

# ---- budgets ----------------------------------------------------------------

test_expect_success 'steps, tokens and money end the run, each with its reason' '
	for limit in steps:2 tokens:3000 money:0.004
	do
		name=${limit%:*} &&
		make_light_repo budget-$name &&
		{
			rounds 16 4 | sed "1a usage 1000 0 0 100"
			printf "exchange\nusage 1000 0 0 1000\ncall view {\"path\":\"kernel.c\"}\n"
		} | with_model anthropic avogit evolve --$name ${limit#*:} >../out &&
		grep "^stopped: $name," ../out &&
		avogit runs | grep ": $name" &&
		cd .. || return 1
	done
'

test_expect_success 'a run that is resumed goes on counting' '
	cd budget-tokens &&
	with_model anthropic avogit evolve --tokens 4000 >../out <<-\EOF &&
	exchange
	usage 900 0 0 50
	call view {"path":"kernel.c"}
	EOF
	grep "^spent: 3 turns, 3k tokens in, 1k out, " ../out &&
	grep "^stopped: tokens" ../out &&
	with_model anthropic avogit evolve --tokens 4000 >../out </dev/null &&
	grep "^stopped: tokens" ../out &&
	cd ..
'

test_expect_success 'the task may say so, too' '
	make_light_repo by-task &&
	echo "budget: {attempts: 9, steps: 1, tokens: 1000000, money: 2.5, gpu_time: 1h}" >>avogit.yaml &&
	git commit -qam "a budget" &&
	rounds 16 4 | with_model anthropic avogit evolve >../out &&
	grep "^stopped: steps" ../out &&
	cd ..
'

test_expect_success 'no budget of money for a model without a price' '
	make_light_repo unpriced &&
	AVOGIT_MODEL=some-model AVOGIT_BASE_URL=http://127.0.0.1:1/v1 \
		test_expect_code 2 avogit evolve --money 1 >../out 2>../err &&
	grep "the price of some-model is unknown.*operator.prices" ../err &&
	test "$(wc -l <../err)" = 1 &&
	echo "operator: {name: llm, prices: {some-: {input: 1000, output: 1000}}}" >>avogit.yaml &&
	git commit -qam "a price" &&
	rounds 16 4 | sed "1a usage 1000 0 0 100" |
		AVOGIT_MODEL=some-model with_model openai avogit evolve --money 1 >../out &&
	grep "^stopped: money" ../out &&
	cd ..
'

test_expect_success 'an unknown price is shown as unknown' '
	make_light_repo unknown &&
	rounds 16 4 | sed "1a usage 1000 0 0 100" |
		AVOGIT_MODEL=some-model with_model openai avogit evolve --attempts 1 >../out &&
	grep "^estimate: .*, price unknown" ../out &&
	grep "^spent: 1 turn, 1k tokens in, 100 out, price unknown" ../out &&
	cd ..
'

# ---- recordings -------------------------------------------------------------

# The kernels that a run tried and what they were called: tried RUN
tried () {
	avogit log --run "$1" --json |
		sed -n "s/.*\"commit\":[[:space:]]*\"\([0-9a-f]*\)\".*/\1/p" |
	while read -r id
	do
		git log -1 --format="%s" "$id" &&
		git rev-parse "$id:kernel.c" || return 1
	done | paste - - | grep rounds
}

test_expect_success 'a recording makes the same run without a network' '
	make_light_repo record &&
	rounds 16 4 >../script.two &&
	rounds 4 1 >>../script.two &&
	with_model anthropic avogit evolve --attempts 2 --record ../recording <../script.two >../out &&
	avogit evolve --run again --replay ../recording --attempts 2 >../out.again &&
	tried scale >../tried.scale &&
	tried again >../tried.again &&
	test "$(wc -l <../tried.scale)" = 2 &&
	test_cmp ../tried.scale ../tried.again &&
	git cat-file --batch-all-objects --batch | grep -a "^Avogit-Operator: replay" &&
	cd ..
'

test_expect_success 'a task may name the recording, of its own commit' '
	cd record &&
	cp ../recording run.jsonl &&
	echo "operator: {replay: run.jsonl}" >>avogit.yaml &&
	git add . &&
	git commit -qm "a recording" &&
	avogit evolve --run third >../out &&
	grep "^stopped: exhausted" ../out &&
	grep "operator: the recording: .* ends after 2 replies" ../out &&
	tried third >../tried.third &&
	test_cmp ../tried.scale ../tried.third &&
	sed -i "s/replay: .*/replay: ..\\/recording}/" avogit.yaml &&
	git commit -qam "a recording elsewhere" &&
	test_expect_code 128 avogit evolve --run fourth 2>../err &&
	grep "operator.replay: it must be a path below" ../err &&
	cd ..
'

# ---- configuration ----------------------------------------------------------

test_expect_success 'without a model it says what it does instead, in three lines' '
	make_light_repo none &&
	avogit evolve --attempts 1 >../out &&
	sed -n 1,3p ../out >../three &&
	grep "no model is configured: the tuner" ../three &&
	grep "avogit.model" ../three &&
	grep "avogit.baseUrl" ../three &&
	sed -n 4p ../out | grep "^starting run" &&
	avogit runs | grep "^scale .* tuner " &&
	cd ..
'

test_expect_success 'that is said when the run starts, not each time it goes on' '
	cd none &&
	avogit evolve --attempts 1 >../out &&
	sed -n 1p ../out | grep "^resuming run" &&
	! grep "no model is configured" ../out &&
	cd ..
'

test_expect_success 'a model without a key: the tuner instead, and what is missing' '
	make_light_repo keyless &&
	git config --global avogit.model gpt-5 &&
	avogit evolve --attempts 1 >../out &&
	sed -n 1,3p ../out >../three &&
	grep "a model is configured (gpt-5) but no key: the tuner" ../three &&
	grep "set OPENAI_API_KEY, or .git config --global avogit.keyCommand" ../three &&
	sed -n 4p ../out | grep "^starting run" &&
	sed -i -e "s|// avogit: .*||" -e "s|// avogit-flags: .*||" kernel.c &&
	git commit -qam "nothing to vary" &&
	test_expect_code 128 avogit evolve --run other 2>../err &&
	grep "nothing can vary this kernel: a model is configured (gpt-5) but no key (set OPENAI_API_KEY" ../err &&
	git config --global --unset avogit.model &&
	cd ..
'

test_expect_success 'a model of the command line is asked, or nothing is begun' '
	make_light_repo flag &&
	test_expect_code 2 avogit evolve --model gpt-5 -n 1 >../out 2>../err &&
	grep "no key for gpt-5: set OPENAI_API_KEY" ../err &&
	test_must_be_empty ../out &&
	test_expect_code 2 avogit evolve --operator tuner --model gpt-5 2>../err &&
	grep "\-\-model is for a model, which the operator .tuner. does not ask" ../err &&
	test_expect_code 2 avogit evolve --operator replay 2>../err &&
	grep "the operator replay needs a recording: --replay FILE" ../err &&
	test -z "$(git for-each-ref refs/avogit)" &&
	cd ..
'

test_expect_success 'a run that a model worked on says so when the tuner takes over' '
	make_light_repo takeover &&
	echo "exchange" | with_model anthropic avogit evolve --steps 1 >../out &&
	avogit evolve --attempts 1 >../out &&
	grep "^resuming run" ../out &&
	grep "no model is configured: the tuner" ../out &&
	cd ..
'

test_expect_success 'without a model and without tunables nothing is begun' '
	make_matmul nothing &&
	test_expect_code 128 avogit evolve >../out 2>../err &&
	grep "nothing can vary this kernel: no model is configured" ../err &&
	grep "write .// avogit: 16 32 64." ../err &&
	test -z "$(git for-each-ref refs/avogit)" &&
	start=$(git rev-parse HEAD) && echo "// avogit-flags: -O2 | -O3" >>kernel.c &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "where the run begins, declare nothing that the tuner could vary; your work tree does: .avogit score --run NAME -m " ../err &&
	avogit score --time 1s --run own -m "what I tried" >/dev/null && avogit evolve --run own -n 1 >../out &&
	grep "the tuner varies: .*flags" ../out && ! avogit runs | grep "^nothing" &&
	git commit -qam "declares something" &&
	test_expect_code 128 avogit evolve --from $start 2>../err &&
	grep "the sources at $(echo $start | cut -c1-12), where the run goes on, declare nothing .*; HEAD does: begin another" ../err &&
	cd ..
'

test_expect_success 'flags win over the environment, that over git, that over the task' '
	make_light_repo order &&
	echo "operator: {name: llm, model: of-task, prices: {of-: {input: 1, output: 1}}}" >>avogit.yaml &&
	git commit -qam "a model" &&
	git config --global avogit.model of-git &&
	one="exchange\nwant model %s\ncall view {\"path\":\"kernel.c\"}\n" &&
	printf "$one" of-flag | with_model openai avogit evolve --run a --steps 1 --model of-flag >../out &&
	printf "$one" of-env | AVOGIT_MODEL=of-env with_model openai avogit evolve --run b --steps 1 >../out &&
	printf "$one" of-git | AVOGIT_MODEL= with_model openai avogit evolve --run c --steps 1 >../out &&
	git config --global --unset avogit.model &&
	git config avogit.model of-repository &&
	printf "$one" of-task | AVOGIT_MODEL= with_model openai avogit evolve --run d --steps 1 >../out &&
	git config --unset avogit.model &&
	cd ..
'

test_expect_success 'an address of the task needs trust before any key is looked for' '
	make_light_repo address &&
	echo "operator: {name: llm, model: m, base_url: \"http://127.0.0.1:1\", key_command: \"touch \$HOME/asked\"}" >>avogit.yaml &&
	git commit -qam "an address" &&
	test_expect_code 128 avogit evolve 2>../err &&
	grep "operator.base_url, operator.key_command would act outside" ../err &&
	! test -e "$HOME/asked" &&
	test_expect_code 128 avogit evolve --operator llm 2>../err &&
	! test -e "$HOME/asked" &&
	cd ..
'

test_expect_success 'prompts can be read, changed and committed' '
	make_light_repo prompts &&
	avogit evolve --print-prompts mine &&
	ls mine >../names &&
	printf "%s\n" cut.md debug.md debugger.md diff-review.md diff-reviewer.md last.md nudge.md plan.md planner.md review.md reviewer.md searcher.md step.md stuck.md sweep.md system.md unanswered.md >../expected &&
	test_cmp ../expected ../names &&
	rm mine/[clnru]*.md mine/stuck.md &&
	echo "Think of {{machine}} only. {{notes}}" >mine/step.md &&
	echo "You are brief." >mine/system.md &&
	echo "operator: {name: llm, prompts: mine/}" >>avogit.yaml &&
	git add . &&
	git commit -qm "prompts" &&
	echo "not committed" >mine/system.md &&
	rounds 16 4 | with_model anthropic avogit evolve --attempts 1 >../out &&
	grep "You are brief" ../requests &&
	grep "Think of .* only. None yet." ../requests &&
	! grep "not committed" ../requests &&
	echo "{{nonsense}}" >mine/step.md &&
	git commit -qam "a bad prompt" &&
	test_expect_code 128 with_model anthropic avogit evolve --run b 2>../err </dev/null &&
	grep "step.md: nothing stands for .{{nonsense}}" ../err &&
	cd ..
'

test_expect_success 'settings that are off are refused by name' '
	make_light_repo off &&
	cp avogit.yaml ../task &&
	for bad in "steps: 0" "temperature: hot" "protocol: telepathy" \
		"prices: {a: 1}" "colour: red" "max_tokens: -1" \
		"prompts: /etc" "silence: long" "streaming: 3"
	do
		cp ../task avogit.yaml &&
		echo "operator: {name: llm, model: m, $bad}" >>avogit.yaml &&
		git commit -qam "$bad" &&
		test_must_fail avogit evolve 2>../err &&
		grep "avogit.yaml: operator\\.${bad%%:*}: " ../err || return 1
	done &&
	cd ..
'

# ---- ends -------------------------------------------------------------------

test_expect_success 'after a kill -9 the transcript is there, and kept by the next start' '
	make_light_repo killed &&
	mkfifo ../slow &&
	{
		printf "exchange\ncall view {\"path\":\"kernel.c\"}\n"
		printf "exchange\ncall shell {\"command\":\"sleep 300\",\"timeout\":3}\n"
		rounds 16 4
	} >../three &&
	kill_it () {
		"$AVOGIT" evolve --attempts 1 >../out &
		pid=$!
		until grep -qs "\"name\":\"shell\"" .git/avogit/logs/scale/*
		do
			kill -0 $pid || return 1
			sleep 0.1
		done
		kill -9 $pid
		wait $pid 2>/dev/null
		ls .git/avogit/logs/scale/step-*.jsonl &&
		"$AVOGIT" evolve --attempts 1 >../out
	} &&
	with_model anthropic kill_it <../three &&
	git fsck --strict &&
	transcripts scale >../transcript &&
	test "$(grep -c "\"event\":\"begin\"" ../transcript)" = 1 &&
	grep "\"event\":\"resumed\"" ../transcript &&
	test -z "$(find .git/avogit/logs -type f)" &&
	cd ..
'

test_done
