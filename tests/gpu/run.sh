#!/bin/sh
# The GPU part of the tests: the corpus of tests/gpu/cheats in both classes,
# and the tasks of tests/gpu/tasks, as TAP. Needs a GPU, nvcc and git, and
# nothing else: AVOGIT names the program. CHEATS="a b", CLASSES="any", TASKS="" and
# PART=2/4 (the second of every four cheats) run less, TIME=3s is the time of a scoring.
# SECONDS_AT_MOST=200: what was not tried by then is said to be so.
. "$(dirname "$0")/lib.sh"
end=$(($(date +%s) + ${SECONDS_AT_MOST:-86400}))

# A repository of a task, with a kernel that is right.
begin () {
	rm -rf "$scratch/repo"
	cp -r "$1" "$scratch/repo"
	cd "$scratch/repo" || exit
	test -z "$2" || cp "$2" kernel.cu
	test -z "$3" || echo "class: $3" >>avogit.yaml
	git init -q . && git add . && git commit -qm control || exit
}

fact () {
	sed -n "s|^// $2: *||p" "$1" | head -n 1
}

found () {
	sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\(.*[^,]\),*\$/\1/p" json |
	sed "s/^\"\(.*\)\"\$/\1/" | head -n 1
}


# try FILE CLASS: scores FILE as the kernel, holds it against what it says of
# itself.
try () {
	left=$((end - $(date +%s)))
	if test "$left" -le 0
	then
		say 'not ok' "$2 $(basename "$1" .cu): no time was left"
		return
	fi
	n=$((n + 1))
	cp "$1" kernel.cu
	against=
	test "$(fact "$1" faster)$(fact "$1" against)" != "" && against="--against HEAD"
	timeout -s INT -k 10 "$((left < 120 ? left : 120))" \
		"$AVOGIT" score --again --json --time "${TIME:-5s}" $against >json 2>err
	verdict=$(found verdict)
	why=$(found why)
	trust=$(found trust)
	wanted=$(fact "$1" verdict)
	said=$(fact "$1" "$2")
	ok=ok
	printf '%s\n' "$verdict" | grep -qxE -e "${said:-$wanted}" || ok="not ok"
	test "$verdict" = pass || test -z "$(fact "$1" why)" ||
	printf '%s\n' "$why" | grep -qE -e "$(fact "$1" why)" || ok="not ok"
	test -z "$against" || test "$(found told)" != faster ||
	test "$2 $(fact "$1" shaves)" = "isolated yes" || ok="not ok"
	wanted=$(fact "$1" class)
	test "$2" = isolated && wanted=isolated
	test -z "$wanted" || test "$verdict" != pass || test "$trust" = "$wanted" || ok="not ok"
	test "$ok" = ok || failed=$((failed + 1))
	echo "$ok $n - $2 $(basename "$1" .cu): $(fact "$1" pattern) # $verdict $trust $why $(found isolated) $(head -c 200 err)"
}

for class in ${CLASSES-any isolated}
do
	begin "$here/task" "$here/cheats/control.cu" "$class"
	# The one that ends by a time limit last.
	for file in ${CHEATS:-$(cd "$here/cheats" && echo *.cu never-ends.cu |
		tr ' ' '\n' | awk -v part="${PART:-1/1}" 'BEGIN { split(part, p, "/") }
			$0 == "never-ends.cu" && !n++ { next } ++k % p[2] == p[1] % p[2]')}
	do
		try "$here/cheats/${file%.cu}.cu" "$class"
	done
done
for task in ${TASKS-$(cd "$here/tasks" && echo *)}
do
	begin "$here/tasks/$task" "" ""
	for file in "$here/tasks/$task"/*.cu
	do
		test "$(basename "$file")" = reference.cu ||
		try "$file" "$task"
	done
done
finish
