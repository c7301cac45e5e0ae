#!/bin/sh
# test: parallel
test_description='export --as hub: the layout of the kernel hub, with flags and provenance'
. "$(dirname "$0")/../lib-avogit.sh"

check=$SHARNESS_TEST_SRCDIR/export/hub-check.py
python3 -c 'import tomllib' 2>/dev/null && test_set_prereq TOML

test_expect_success 'setup: a candidate in C++' '
	git init -q repo && cd repo &&
	cp "$SHARNESS_TEST_SRCDIR"/cxx/softmax/* . &&
	mkdir inc && echo "// empty" >inc/none.h &&
	sed -i "s/^build:/include: [inc]\n&/" avogit.yaml &&
	printf "MIT License\n\nPermission is hereby granted, free of charge, to any person\n" >LICENSE &&
	git add . && git commit -qm "c++" &&
	sed -i "\$a// {{ a }} remark" kernel.cpp &&
	avogit score --time 1s --run "c" -m "as it is" >/dev/null && git checkout -q kernel.cpp
'

test_expect_success TOML 'it is a project that the builder of the hub takes, as its documentation says' '
	avogit export "c#1" --as hub -o ../out &&
	python3 "$check" ../out &&
	python3 -c "
import tomllib
kernel = tomllib.load(open(\"../out/build.toml\", \"rb\"))[\"kernel\"][\"avogit_softmax\"]
assert kernel[\"cxx-flags\"] == [\"-O2\", \"-std=c++17\", \"-O1\"], kernel
assert kernel[\"src\"] == [\"src/inc/none.h\", \"src/kernel.cpp\"], kernel
assert kernel[\"include\"] == [\"src/inc\"], kernel"
'

test_expect_success TOML 'the check can fail' '
	for change in "s/^edition = 5/edition = 4/" "s/^license/licence/" "s|src/kernel.cpp|src/other.cpp|"
	do
		rm -rf ../broken && cp -r ../out ../broken &&
		sed -i "$change" ../broken/build.toml &&
		test_expect_code 1 python3 "$check" ../broken 2>../err &&
		grep "^not valid" ../err || return 1
	done
'

test_expect_success 'card and metadata have score, machine, commit and licence' '
	of=$(sed -n "s/^- commit: //p" ../out/README.md) &&
	for f in README.md CARD.md build.toml torch-ext/torch_binding.cpp
	do
		grep "commit: $of" "../out/$f" && grep "score: pass" "../out/$f" &&
		grep "machine: " "../out/$f" && grep "licence: MIT (LICENSE)" "../out/$f" || return 1
	done &&
	grep "^license: mit" ../out/README.md && cmp LICENSE ../out/LICENSE &&
	grep "\"commit\":[^\"]*\"$of\"" ../out/export.json
'

test_expect_success 'a kernel in C is refused, since the builder compiles C++ and CUDA' '
	cd .. && make_light_repo plain &&
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 2|" kernel.c &&
	avogit score --run h -m "two rounds" >/dev/null &&
	test_expect_code 128 avogit export "h#1" --as hub -o ../none 2>../err &&
	grep "the kernel is in C, and the builder of the kernel hub compiles C++ and CUDA" ../err &&
	! test -e ../none
'

test_done
