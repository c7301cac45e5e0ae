#!/bin/sh
# test: parallel
test_description='entries that return a value, take structs by pointer, need a setup'
. "$(dirname "$0")/../lib-avogit.sh"

passes () {
	avogit score --task "$1.yaml" >../out &&
	grep "pass, " ../out
}

test_expect_success 'a checksum that is returned, from a table that setup makes' '
	git init -q repo &&
	cd repo &&
	cp "$SHARNESS_TEST_SRCDIR"/cxx/entries/* . &&
	git add . &&
	git commit -qm "the kernels and their tasks" &&
	passes crc
'

test_expect_success 'an integer of two bytes that is returned' '
	passes lowest
'

test_expect_success 'a float that is returned, and the reference returns a double' '
	passes dot
'

test_expect_success 'structs by pointer, with tensors in them, new for every launch' '
	passes scale &&
	sed "/direction: return/d" scale.yaml >dropped.yaml &&
	git add dropped.yaml && git commit -qm "what is returned is dropped" &&
	passes dropped
'

test_expect_success 'a struct with a tensor in it, by value' '
	passes total
'

test_expect_success 'a wrong value is told by its name' '
	sed -i "s/MODE 0/MODE 1/" kernel.c &&
	for one in crc:sum lowest:low dot:product scale:largest
	do
		test_expect_code 1 avogit score --task ${one%:*}.yaml >../out &&
		grep "wrong: ${one#*:}" ../out || return
	done
'

test_expect_success 'a setup that fails is told as what it is' '
	sed -i "s/MODE 1/MODE 2/" kernel.c &&
	test_expect_code 1 avogit score --task crc.yaml >../out &&
	grep "crashed: when it was loaded, or in its setup function: it ended by SIGILL" ../out &&
	git checkout -q kernel.c &&
	sed -i "s/^setup: .*/setup: crc_start/" crc.yaml &&
	git commit -qam "another setup" &&
	test_expect_code 1 avogit score --task crc.yaml >../out &&
	grep "setup: the sources define no function .crc_start.; they have: crc, crc_init" ../out &&
	sed -i "/^setup: /d" crc.yaml &&
	git commit -qam "no setup" &&
	test_expect_code 1 avogit score --task crc.yaml >../out &&
	grep "wrong: sum" ../out
'

test_expect_success 'what makes no sense is refused with its reason' '
	refused () {
		sed "$1" scale.yaml >odd.yaml &&
		git add odd.yaml && git commit -qm odd &&
		test_expect_code 128 avogit score --task odd.yaml 2>../err &&
		grep "$2" ../err
	} &&
	refused "s/tensor: x/tensor: z/" "tensor is the name of a tensor or workspace" &&
	refused "s/tensor: x/tensor: options/" "tensor is the name of a tensor or workspace" &&
	refused "s/tensor: x/tensor: x, value: 1/" "a member is a tensor, or a number" &&
	refused "s/dtype: i32, direction: return/dtype: f16, direction: return/" "f16 and bf16 cannot be returned" &&
	refused "s/.*name: y, .*/  - {name: y, dtype: f32, direction: return}/; s/tensor: y/tensor: x/" "one direction: return" &&
	refused "s/language: c/language: cuda/" "for c and c++ only"
'

test_done
