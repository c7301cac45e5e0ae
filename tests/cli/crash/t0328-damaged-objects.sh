#!/bin/sh
# test: parallel
test_description='a damaged object is named, and no command waits for its rest'
. "$(dirname "$0")/../lib-avogit.sh"

# The loose file of an object.
file_of () {
	git rev-parse "$1" | sed "s,^\(..\),.git/objects/\1/,"
}

# Nothing here takes long: what is still at work after a minute hangs.
bounded () {
	timeout --kill-after=5 60 "$AVOGIT" "$@"
}

# The same where libgit2 itself loses memory: git_revparse_single that of the
# reference whose object it cannot read (1.5). A sanitizer is not to report that.
bounded_but_leaking () {
	ASAN_OPTIONS=detect_leaks=0 timeout --kill-after=5 60 "$AVOGIT" "$@"
}

# Every command says of the object in $file what is wrong, and ends. git itself
# waits at a pipe, so that sync is not among those that meet one.
check_named () {
	why=$1
	shift
	for command in "log --run r" "runs" "best --run r" score \
		"evolve --run r --attempts 1" "doctor --repair" "doctor" "$@"
	do
		bounded $command >../out 2>&1
		code=$?
		test $code -lt 124 || test $code = 128 || {
			echo "$command: $code" && return 1
		}
		case $command in
		score*|best*|sync*|*repair) ;; # these need not read the entry
		*)
			tr -d "\n" <../out | tr -s " " | grep "$file is damaged ($why" || {
				echo "$command" && cat ../out && return 1
			} ;;
		esac
	done
}

test_expect_success 'setup: a run, and a clone of it' '
	make_light_repo repo &&
	avogit evolve --run r --seed 1 --attempts 1 >/dev/null &&
	git init -q --bare ../other.git &&
	cp -a ../repo ../clone &&
	ref=$(git for-each-ref --format="%(refname)" refs/avogit/r/journal) &&
	file=$PWD/$(file_of $ref) &&
	chmod u+w "$file" && cp "$file" ../whole
'

for n in 2 20 100
do
	test_expect_success "cut short after $n bytes" '
		cp ../whole "$file" && truncate -s '$n' "$file" &&
		check_named "it is cut short" "sync ../other.git"
	'
done

test_expect_success 'and one byte before its end' '
	cp ../whole "$file" && truncate -s -1 "$file" &&
	check_named "it is cut short"
'

test_expect_success 'empty, as a power cut leaves it' '
	: >"$file" &&
	check_named "it is cut short"
'

test_expect_success 'with something behind its end' '
	cp ../whole "$file" && echo junk >>"$file" &&
	check_named "something follows its end"
'

test_expect_success 'a header that promises more than any file of its size can hold' '
	perl -MCompress::Zlib -e "print compress(\"commit 99999999999999\0x\")" >"$file" &&
	check_named "it is shorter than its header says"
'

test_expect_success 'a pipe in its place' '
	rm "$file" && mkfifo "$file" &&
	for command in "log --run r" runs "best --run r" score \
		"evolve --run r --attempts 1" doctor
	do
		bounded $command >../out 2>&1
		code=$?
		test $code -lt 124 || test $code = 128 || {
			echo "$command: $code" && return 1
		}
		tr -d "\n" <../out | tr -s " " | grep "$file is a pipe or a device" || {
			echo "$command" && cat ../out && return 1
		}
	done &&
	rm "$file"
'

test_expect_success 'found by the beginning of its id' '
	rm -f "$file" &&
	dd if=../whole of="$file" bs=1 count=100 2>/dev/null &&
	short=$(git rev-parse $ref | cut -c1-12) &&
	test_expect_code 128 bounded show $short 2>../err &&
	grep "is damaged" ../err
'

test_expect_success 'what doctor says to do about it mends it' '
	bounded doctor >../out 2>&1 &&
	tr -d "\n" <../out | tr -s " " >../line &&
	grep "remove that file and bring the object from a clone" ../line &&
	rm "$file" &&
	git -C ../clone pack-objects -q --revs --all --stdout </dev/null |
		git unpack-objects -q &&
	bounded log --run r >../out && grep "#1 " ../out &&
	git fsck &&
	bounded doctor >../out 2>&1 && grep "objects .*all whole" ../out
'

test_expect_success 'HEAD itself: named, not called unknown' '
	head=$(file_of HEAD) && chmod u+w $head && cp $head ../head &&
	truncate -s 30 $head &&
	test_expect_code 128 bounded_but_leaking score 2>../err &&
	grep "$head is damaged (it is cut short)" ../err &&
	cp ../head $head
'

test_expect_success 'in an alternate, too' '
	git clone -q -s ../repo ../borrower &&
	head=$(file_of HEAD) && truncate -s 30 $head &&
	test_expect_code 128 bounded_but_leaking -C ../borrower score 2>../err &&
	cp ../head $head &&
	grep "repo/.git/objects/.* is damaged (it is cut short)" ../err
'

test_expect_success 'large objects and empty ones are read whole' '
	head -c 3000000 /dev/urandom >big && : >empty &&
	sed -i "s|^sources:.*|sources: [kernel.c, big, empty]|" avogit.yaml &&
	git add big empty avogit.yaml && git commit -qm "more files" &&
	bounded score
'

test_done
