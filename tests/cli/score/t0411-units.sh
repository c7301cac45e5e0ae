#!/bin/sh
# test: parallel
test_description='the unit of a score: of a task its own, the same in every table, note and message'
. "$(dirname "$0")/../lib-avogit.sh"

metric () {
	git checkout -q base -- avogit.yaml &&
	sed -i "/^bytes:/i metric: $1" avogit.yaml &&
	sed -i "$2" avogit.yaml &&
	git commit -qam "metric: $1" --allow-empty
}

test_expect_success 'setup' '
	make_light_repo repo && sed -i "/^baselines:/,+1d" avogit.yaml &&
	git commit -qam "no baseline" && git tag base
'

test_expect_success 'elements, in a unit with a prefix: score, note, log, show, JSON, winner' '
	metric "{name: cells, unit: Mcells/s, count: n}" "" &&
	avogit score >../out && grep "pass, [0-9.]* Mcells/s" ../out &&
	grep "n=16384 .* [0-9.]* Mcells/s" ../out && ! grep "B/s" ../out &&
	git notes --ref=avogit show $(git notes --ref=avogit list | sed "s/.* //" | sed 1q) >../note &&
	grep "score=\"[0-9.]* Mcells/s\"" ../note &&
	! grep -e bytes_per_s -e flop_per_s ../note &&
	avogit evolve --run u --attempts 2 >../out && grep "Mcells/s" ../out &&
	! grep -e FLOPS -e "B/s" ../out &&
	avogit log --run u >../out && grep "Mcells/s" ../out &&
	avogit log --run u --json | grep "\"unit\":.*\"cells/s\"" &&
	avogit show "u#0" >../out && grep "Mcells/s" ../out &&
	avogit verify "u#0" >../out; grep "Mcells/s, where [0-9.]* Mcells/s was claimed" ../out &&
	git log -1 --format=%B avo/u/winner >../out 2>/dev/null || git log -1 --format=%B avo/u/best >../out &&
	! grep -e FLOPS -e "B/s" ../out
'

test_expect_success 'the rate is the count over the time' '
	avogit show --json "u#0" | tr -d " \t\n" >../json &&
	sed "s/.*\"seconds\":\([0-9.e-]*\),.*\"rate\":\([0-9.e+]*\).*/\1 \2/" ../json >../pair &&
	awk "{ r = \$1 * \$2 / 16384; exit !(r > 0.999 && r < 1.001) }" ../pair
'

test_expect_success 'a name alone is its own unit, with the prefix that fits; throughput too' '
	metric "{name: frames, count: 1, timing: throughput}" "" &&
	avogit score >../out && grep "pass, [0-9.]* k\?frames/s" ../out &&
	metric "{timing: throughput}" "" &&
	avogit score >../out && grep "pass, [0-9.]* [MG]B/s" ../out
'

test_expect_success 'bytes where flops are given, too; and a count without either' '
	metric "{name: bytes, unit: GB/s}" "s/^bytes:/flops: n\n&/" &&
	avogit score >../out && grep "pass, [0-9.]* GB/s" ../out &&
	metric "{name: cells, count: n}" "/^bytes:/d" &&
	avogit score >../out && grep "pass, [0-9.]* [MG]cells/s" ../out
'

test_expect_success 'no FLOPS where nothing floats' '
	metric latency "s/^bytes:.*/flops: n/; s/dtype: f32, shape/dtype: i32, shape/; s/dtype: f32, value: 1.5/dtype: i32, value: 3/; s/^  plain:.*//" &&
	sed -i "s/float/int/g" kernel.c &&
	sed "s/double/int/; s/float/int/g; s/(int)//" reference.c >r && mv r reference.c &&
	git add . && git commit -qm integers &&
	avogit score >../out && grep "pass, [0-9.]* [MG]OPS" ../out && ! grep FLOPS ../out &&
	git checkout -q base -- . && git commit -qm back
'

test_expect_success 'what makes no sense is refused with its line' '
	for m in "{name: cells}" "{unit: GB/s}" "{name: bytes, count: n}" \
		"{name: flops}" "{name: cells, count: n, unit: \"\\\\e[31mG/s\"}" \
		"{name: cells, count: n, unit: \"a b\"}" \
		"{name: cells, count: n, unit: averyveryverylongunit/s}" \
		"{name: a_quantity_with_a_long_name, count: n}" \
		"{name: \"ce\\\\tlls\", count: n}" "{name: cells, count: 0}" \
		"{name: cells, count: n - n}" "{name: cells, count: q}" \
		"{timing: fast}" "{bytes: n}"
	do
		metric "$m" "" &&
		test_expect_code 128 avogit score 2>../err &&
		grep "^avogit: avogit.yaml:" ../err &&
		! grep -P "[\x00-\x08\x0b-\x1f]" ../err || { echo "$m"; return 1; }
	done
'

test_done
