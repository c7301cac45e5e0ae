#!/bin/sh
# test: parallel long no-asan
test_description='contents of inputs that betray a short cut on a GPU'
. "$(dirname "$0")/lib-fake-gpu.sh"

# A softmax in one of its modes gets this verdict: softmax MODE [TEXT]
softmax () {
	mode "$1" && faults &&
	git commit -q --allow-empty -m "softmax $1" &&
	if test -z "$2"
	then
		passes
	else
		test_expect_code 1 score_again >../out &&
		cat ../out && grep "$2" ../out
	fi
}

for class in replayed isolated
do
	test_expect_success "class $class: contents that betray a softmax without its maximum" "
		rm -rf ../softmax && mkdir ../softmax &&
		( cd ../softmax && git init -q . &&
		  cp -r \"\$fake\"/softmax/* . && mkdir include &&
		  cp \"\$source\"/tests/cheats/tasks/common/include/exponential.h include &&
		  echo \"class: $class\" >>avogit.yaml &&
		  git add . && git commit -qm softmax &&
		  softmax 0 &&
		  softmax 1 'wrong: y.* is .* where .* is right' &&
		  softmax 2 'wrong: y.* is .* where .* is right' &&
		  { test $class = isolated || softmax 3 'wrong: y.*stray_rows inputs'; } )
	"
done

test_done
