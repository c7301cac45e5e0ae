#!/bin/sh
# Kernels in Python on a card, as TAP: what Triton and PyTorch say of themselves,
# beside what avogit says.
#     OUT=folder [SECONDS_AT_MOST=600] languages.sh [STEP...]
# Steps, in this order: export (an operator of PyTorch in a fresh Python: its own test
# with opcheck, and its speed), triton (the same of a kernel in Triton, and as a Solution
# of FlashInfer-Bench), problems (tests/data/kernelbench, those of PROBLEMS, in the sizes
# and with the kernels of problems/), events (Triton by the launcher beside CUDA events,
# at 20 us and 1 ms, or so many rows as EVENTS says), operators (GELU, softmax and layer
# norm, or those of OPERATORS, beside eager and torch.compile; with TUNED=FILE, which
# tune made, as that has them), matmul (8192) and isolated (a softmax of 0.5 GB), both in
# class isolated, beside CUDA events, beside (a candidate that launches while eager is
# timed, and one that does not), types, forbidden (what a task forbids, and the ways round
# it), corpus (tests/cheats/python, those of CHEATS; PART=2/4: of these and of forbidden
# the second of every four); and by their names alone tune (layouts of the operators, or of
# OPERATORS, by tune.py) and folders (problem folders of a board: those in FOLDERS). What a step says is in OUT/STEP at once, a line for each thing
# measured, and its JSON beside it, so that a run that is cut short keeps them. Needs a
# Python with PyTorch and Triton (AVOGIT_PYTHON), nvcc and git. TIME=5s is the time of a
# scoring; a comparison with what PyTorch compiles takes 45 s where it is not given.
. "$(dirname "$0")/lib.sh"
: "${OUT:?must name a folder to write to}"
python=${AVOGIT_PYTHON:-/usr/bin/python3}
end=$(($(date +%s) + ${SECONDS_AT_MOST:-600}))
mkdir -p "$OUT" && OUT=$(cd "$OUT" && pwd) || exit
case ${TUNED:-/} in /*) ;; *) TUNED=$PWD/$TUNED ;; esac
case ${FOLDERS:-/} in /*) ;; *) FOLDERS=$PWD/$FOLDERS ;; esac

# A line for the step's file, and a comment: note TEXT
note () {
	echo "$*" >>"$OUT/$step"
	echo "# $step: $*"
}
# A command for as long as there is time: within COMMAND...
within () {
	left=$((end - $(date +%s)))
	test "$left" -gt 0 || { echo 'no time is left' >&2; return 124; }
	timeout -s INT -k 10 "$left" "$@"
}
# The task of an example, for kernel.py, with these cases: begin EXAMPLE CASES [LINE...]
begin () {
	rm -rf "$scratch/repo" && mkdir "$scratch/repo" && cd "$scratch/repo" || return
	from=$here/../../examples/cuda-$1 cases=$2
	shift 2
	cp "$here"/languages/*.py "$from/reference.cu" . && {
		test -z "${TUNED:-}" || cp "$TUNED" kernel.py || return
		sed -e 's/^language:.*/language: python\ndevice: cuda/' -e 's/kernel[.]cu/kernel.py/' \
			-e '/^cases:/,/^hidden:/d' -e '/^baselines:/,/^ *libs:/d' \
			-e '/^build:/d' -e '/^limits:/d' "$from/avogit.yaml" &&
		printf '%s\n' "cases: [$cases]" 'build: {arch: sm_90a}' \
			'limits: {build: 180s, timeout: 30s, memory: 16GiB}' "$@"
	} >avogit.yaml && git init -q . && git add . && git commit -qm "$cases"
}
found () { # KEY of the JSON in ../json
	sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\(.*[^,]\),*\$/\1/p" ../json |
	sed "s/^\"\(.*\)\"\$/\1/" | head -n 1
}
score () {
	within "$AVOGIT" score --again --json --time "${TIME:-${long:-5s}}" HEAD >../json 2>../err
	long=
}
# What `show` says of a comparison, for the step's file.
vs () {
	"$AVOGIT" show HEAD 2>/dev/null | sed -n 's/^  *vs /  vs /p; s/^  case/&/p; /^  all/p' >>"$OUT/$step"
}
# Scores what began, and says so: scored WHAT
scored () {
	score
	note "$1: $(found verdict) $(found trust) $(found score) $(found why) $(found isolated) $(head -c 200 ../err | tr '\n' ' ')"
	cp ../json "$OUT/$step-$n.json"
	test "$(found verdict)" = pass && say ok "$step: $1" || say 'not ok' "$step: $1"
}
# avogit between two of PyTorch, so that all three have the same card in the same minute.
beside_events () { # EXAMPLE CASES ROWS COLS [LINE...]
	name=$1 cases=$2 rows=$3 cols=$4
	shift 4
	begin "$name" "$cases" "$@" || return
	before=$(within "$python" events.py "$name" "$rows" "$cols" 2>../said)
	scored "$name $rows x $cols by avogit"
	after=$(within "$python" events.py "$name" "$rows" "$cols" 2>>../said)
	note "$name $rows x $cols: avogit $(found seconds) s, fixed $(found overhead), between events in PyTorch, us, before it and after: $(tail -n 1 ../said)
$before
$after"
}
events () {
	for rows in ${EVENTS:-5120 131072}
	do
		cols=$((rows > 9999 ? 8192 : 4096))
		beside_events softmax "{rows: $rows, cols: $cols}" "$rows" "$cols" || return
	done
}
matmul () {
	beside_events matmul '{m: 8192, n: 8192, k: 8192}' 8192 8192 'class: isolated'
}
# Of a kernel that could be replayed. Of PyTorch once more on as many inputs as class
# isolated hands over at once: no table of addresses holds all of these.
isolated () {
	beside_events softmax '{rows: 16384, cols: 8192}' 16384 8192 'class: isolated' || return
	note "on ${SETS:-32} inputs: $(SETS=${SETS:-32} within "$python" events.py softmax 16384 8192 2>&1)"
}
operators () {
	for name in ${OPERATORS:-gelu softmax layernorm}
	do
		begin "$name" '{rows: 16384, cols: 8192}' 'baselines:' \
			"  eager: {torch: eager.py, entry: $name}" \
			"  compiled: {torch: eager.py, entry: ${name}_compiled, compile: max-autotune-no-cudagraphs}" || return
		# Plainly as PyTorch and the kernel have it, 1 + erf(x), which cancels.
		sed -i 's/erfc(-v \(\* (T)[0-9.]*\))/(sizeof v > 4 ? erfc(-v \1) : 1 + erf(v \1))/' reference.cu
		git commit -qam 'Plainly by erf' --allow-empty
		long=45s
		scored "$name beside eager and compiled"
		vs
	done
}
# Both are the softmax of eager, so neither is faster (BESIDE: one of the two).
beside () {
	for own in ${BESIDE:-eager beside}
	do
		begin softmax '{rows: 8192, cols: 8192}' 'baselines:' '  eager: {torch: eager.py, entry: softmax}' || return
		cp "$here/languages/$own.py" kernel.py && git commit -qam "$own" || return
		long=40s
		scored "softmax of $own.py beside eager"
		vs
		test "$(found told)" != faster && say ok "$step: $own is not faster" || say 'not ok' "$step: $own is not faster"
	done
}
# Tensors of the types that PyTorch 1.13, with which CI runs, has not, and others.
types () {
	rm -rf "$scratch/repo" && mkdir "$scratch/repo" && cd "$scratch/repo" || return
	all='f8e4m3 f8e5m2 bf16 f16 f32 i8 i64'
	{
		printf '%s\n' 'name: types' 'language: python' 'device: cuda' 'sources: [kernel.py]' \
			'entry: copy' 'arguments:'
		for type in $all
		do
			echo "  - {name: in_$type, dtype: $type, shape: [n, 100], strides: [128, 1]}"
			echo "  - {name: out_$type, dtype: $type, shape: [n, 100], direction: out}"
		done
		printf '%s\n' 'cases: [{n: 4096}]' 'hidden: {count: 1, n: 1..40}' 'bytes: n' \
			'reference: {torch: right.py, entry: copy}' 'tolerance: {rtol: 0, atol: 0}' \
			'limits: {build: 60s, timeout: 30s}'
	} >avogit.yaml
	pairs=$(for type in $all; do printf 'in_%s, out_%s, ' "$type" "$type"; done)
	{
		printf '%s\n' 'def copy(*all):' '    for x, y in zip(all[::2], all[1::2]):'
		echo '        y.copy_(x.double() if y.dtype.itemsize == 8 and x.is_floating_point() else x)'
	} >right.py
	{
		echo "def copy(${pairs%, }):"
		for type in $all
		do
			echo "    assert in_$type.stride() == (128, 1) and in_$type.is_cuda"
			echo "    out_$type.copy_(in_$type)"
		done
	} >kernel.py
	git init -q . && git add . && git commit -qm types || return
	scored "tensors of $all"
}
# What `export` makes of a kernel in CUDA, for a user of PyTorch.
export_step () {
	rm -rf "$scratch/repo" "$scratch/package"
	sh "$here/../../examples/make-repo.sh" cuda-softmax "$scratch/repo" >/dev/null 2>&1 &&
	cd "$scratch/repo" &&
	sed -i -e '/^cases:/,/^hidden:/d' avogit.yaml &&
	printf '%s\n' 'cases: [{rows: 16384, cols: 8192}]' 'hidden: {count: 4, rows: 1..500, cols: 1..3000}' >>avogit.yaml &&
	git commit -qam 'One case' || return
	echo '// as it is' >>kernel.cu
	within "$AVOGIT" score --run export -m 'As it is' --time 1s >../said 2>&1
	scored 'softmax in CUDA by avogit'
	within "$AVOGIT" export export#1 --as torch -o ../package >../said 2>&1 &&
	cd ../package || { note "$(tail -n 3 ../said)"; return 1; }
	within "$python" setup.py build_ext --inplace >"$OUT/$step.log" 2>&1 &&
	say ok "$step: the package builds" || say 'not ok' "$step: the package builds"
	within "$python" tests/test_kernel.py -v >>"$OUT/$step.log" 2>&1 &&
	say ok "$step: its own test passes" || say 'not ok' "$step: its own test passes"
	note "$(sed -n 's/^test_pytorch_finds.* \.\.\. */opcheck: /p; s/^Ran /&/p; s/^FAILED/&/p' "$OUT/$step.log" | tr '\n' ' ')"
	before=$(within "$python" "$here/languages/exported.py" . 16384 8192 2>>"$OUT/$step.log")
	cd ../repo && scored 'softmax in CUDA by avogit, again' && cd ../package
	after=$(within "$python" "$here/languages/exported.py" . 16384 8192 2>>"$OUT/$step.log")
	note "softmax 16384 x 8192, us a launch: the operator in a fresh Python $before and $after; avogit $(found seconds) s"
}
# The same of a kernel in Triton, of which nothing is built but the test's reference.
triton () {
	rm -rf "$scratch/package" "$scratch/solution"
	begin softmax '{rows: 16384, cols: 8192}' 'hidden: {count: 4, rows: 1..500, cols: 1..3000}' || return
	echo '# as it is' >>kernel.py
	within "$AVOGIT" score --run export -m 'As it is' --time 1s >../said 2>&1
	scored 'softmax in Triton by avogit'
	within "$AVOGIT" export export#1 --as torch -o ../package >../said 2>&1 &&
	cd ../package || { note "$(tail -n 3 ../said)"; return 1; }
	within "$python" tests/test_kernel.py -v >"$OUT/$step.log" 2>&1 &&
	say ok "$step: its own test passes" || say 'not ok' "$step: its own test passes"
	note "$(sed -n 's/^test_pytorch_finds.* \.\.\. */opcheck: /p; s/^Ran /&/p; s/^FAILED/&/p' "$OUT/$step.log" | tr '\n' ' ')"
	after=$(within "$python" "$here/languages/exported.py" . 16384 8192 2>>"$OUT/$step.log")
	note "softmax 16384 x 8192 in Triton, us a launch: the operator in a fresh Python $after; avogit $(found seconds) s"
	cd ../repo && within "$AVOGIT" export export#1 --as flashinfer -o ../solution >../said 2>&1 || { note "$(tail -n 3 ../said)"; return 1; }
	within "$python" "$here/languages/solution.py" ../solution >../said 2>>"$OUT/$step.log" &&
	say ok "$step: the Solution is right" || say 'not ok' "$step: the Solution is right"
	note "as a Solution of FlashInfer-Bench: $(tr '\n' ' ' <../said)"
}
# Ten problems as `import` makes them for a card, those of problems/ larger and with
# a kernel in Triton, and of these first the one that no card had; then the others as they are.
problems () {
	for name in ${PROBLEMS:-$(cd "$here" && { echo bag_of_words.py; ls problems ../data/kernelbench; } |
		sed -n 's,[.]py$,,p' | awk '!seen[$0]++')}
	do
		test "$(date +%s)" -lt "$end" || { note 'no time is left'; return; }
		rm -rf "$scratch/repo" && mkdir "$scratch/repo" && cd "$scratch/repo" && git init -q . || return
		own=$here/problems/$name
		sed "$(sed -n 's/^# sizes: //p' "$own.py" 2>/dev/null)" "$here/../data/kernelbench/$name.py" >"$name.py"
		if ! within "$AVOGIT" import --device cuda kernelbench "$name.py" >../said 2>&1
		then
			note "$name: $(tail -n 1 ../said)"
			say 'not ok' "$step: $name is imported"
			continue
		fi
		cd "$name" || return
		if test -f "$own.py"
		then cp "$own.py" kernel.py && long=45s
		else sed -i '/^  compiled:/d' avogit.yaml && long=5s
		fi
		git add . && git commit -qm "$name" || return
		within "$AVOGIT" score --again --json --time "${TIME:-$long}" HEAD >../../json 2>../../err
		long=
		cp ../../json "$OUT/$step-$name.json"
		cd .. || return
		note "$name: $(found verdict) $(found trust) $(found score) $(found why) $(found isolated) $(head -c 200 ../err | tr '\n' ' ')"
		(cd "$name" && vs)
		test "$(found verdict)" = pass && say ok "$step: $name" || say 'not ok' "$step: $name"
	done
}
# Each file of this PART as the candidate, none for more than two minutes; a person
# reads the verdicts, beside those that a CPU gives: tried FILE...
tried () {
	for file in $(printf '%s\n' "$@" | awk -v part="${PART:-1/1}" '
		BEGIN { split(part, p, "/") } NR % p[2] == p[1] % p[2]')
	do
		test "$(date +%s)" -lt "$end" || { note 'no time is left'; return; }
		cp "$file" kernel.py && git commit -qam "$file" --allow-empty
		within timeout -s INT -k 10 120 "$AVOGIT" score --again --json --time "${TIME:-5s}" HEAD >../json 2>../err
		note "$(basename "$file" .py): $(found verdict) $(found trust) $(found score) $(found why) $(found isolated) $(test -n "$(found verdict)" || tail -n 1 ../err) # $(sed -n 's/^# verdict: //p' "$file")"
	done
	say ok "$step: all were tried"
}
# The files of tests/cheats/python for a task, the slow one last, or those of CHEATS.
cheats_of () {
	for cheat in ${CHEATS:-$(cd "$here/../cheats/python" && echo *.py | sed 's/never-returns[.]py//;s/$/ never-returns.py/')}
	do
		grep -l "^# task: $1" "$here/../cheats/python/${cheat%.py}.py"
	done
}
# What those for a CPU do on a card.
corpus () {
	begin softmax '{rows: 4096, cols: 4096}' && tried $(cheats_of softmax)
}
# The same where the task forbids PyTorch's softmax, and what there is on a card only.
forbidden () {
	begin softmax '{rows: 4096, cols: 4096}' 'forbidden: {calls: [softmax], modules: [html.parser]}' &&
	tried "$here"/languages/forbidden/*.py $(cheats_of forbids)
}
# Imported, with what is weak told first, and their own code scored.
folders () {
	for folder in "${FOLDERS:?names the folder they are in}"/*/problem.yaml
	do
		test "$(date +%s)" -lt "$end" || { note 'no time is left'; return; }
		folder=$(cd "$(dirname "$folder")" && pwd) && name=$(basename "$folder")
		rm -rf "$scratch/repo" && mkdir "$scratch/repo" && cd "$scratch/repo" && git init -q . || return
		began=$(date +%s)
		within timeout -s INT -k 10 150 "$AVOGIT" import --device cuda problem "$folder" -o made --weak >../said 2>&1
		note "$name: in $(($(date +%s) - began)) s; $(grep -v -e '^wrote' -e '^  ' ../said | head -c 600 | tr '\n' ' ')"
		test -e made || { say 'not ok' "$step: $name is imported"; continue; }
		cd made && git add . && git commit -qm "$name" || return
		within timeout -s INT -k 10 150 "$AVOGIT" score --again --json --time "${TIME:-2s}" HEAD >../json 2>../err
		note "$name: $(found verdict) $(found trust) $(found score) $(found why) $(found isolated) $(head -c 300 ../err | tr '\n' ' ')"
		test "$(found verdict)" = pass && say ok "$step: $name" || say 'not ok' "$step: $name"
	done
}
tune () {
	rm -rf "$scratch/repo" && mkdir "$scratch/repo" && cd "$scratch/repo" && cp "$here"/languages/*.py . || return
	within "$python" tune.py "${ROUNDS:-9}" "$OUT/tuned.py" ${OPERATORS:-} >>"$OUT/$step" 2>../said &&
	say ok "$step: the layouts are measured" || say 'not ok' "$step: $(tail -n 1 ../said)"
}

for step in ${*:-export triton problems events operators matmul isolated beside types forbidden corpus}
do
	case $step in
	export | triton | problems | events | operators | matmul | isolated | beside | types | forbidden | corpus | tune | folders) ;;
	*) echo "languages.sh: there is no step $step" >&2; exit 2 ;;
	esac
	: >"$OUT/$step"
	case $step in
	export) export_step ;;
	*) "$step" ;;
	esac || say 'not ok' "$step: its repository can be made"
done
finish
