#!/bin/sh
# test: parallel long no-asan
test_description='export --as torch: an operator that PyTorch builds, calls and checks'
. "$(dirname "$0")/../lib-avogit.sh"

# Debian's, which has PyTorch; another may be first in the PATH.
python=/usr/bin/python3
if $python -c 'import torch, setuptools' 2>/dev/null &&
	echo '#include <torch/library.h>' | c++ -xc++ -std=c++17 -fsyntax-only - 2>/dev/null
then
	test_set_prereq TORCH
else
	say "no PyTorch with headers here (python3-torch, libtorch-dev): what is exported is not built"
fi

test_expect_success 'setup: a kernel with one of every kind of argument' '
	git init -q repo && cd repo &&
	cp -r "$SHARNESS_TEST_SRCDIR"/export/rich/* . &&
	git add . && git commit -qm "rich" &&
	echo "// nothing new" >>kernel.c &&
	avogit score --time 1s --run r -m "a remark" >/dev/null && git checkout -q kernel.c &&
	avogit export "r#1" --as torch -o ../rich &&
	grep "avogit_rich.rich(Tensor x, Tensor in_, Tensor bias, Tensor at, Tensor(a4!) y, int size_part, Tensor packed) -> (Tensor, Tensor)" ../rich/README.md
'

test_expect_success 'what is compiled has the flags of the measurement, those that the sources choose too' '
	tr -d " \t\n" <../rich/build.json >../words &&
	grep "\"kernel\":{\"commands\":\[\[\"cc\",\"-fPIC\",\"-Icsrc/kernel/inc\",\"-O2\",\"-O3\",\"-c\",\"csrc/kernel/kernel.c\"" ../words &&
	grep "\"reference\":{\"commands\":\[\[\"cc\",\"-fPIC\",\"-Icsrc/reference/inc\",\"-O2\",\"-c\"" ../words
'

test_expect_success TORCH 'it builds, and its own test passes' '
	(cd ../rich && MAX_JOBS=1 $python setup.py -q build_ext --inplace >../log 2>&1 ||
		{ tail -n 30 ../log; false; }) &&
	$python ../rich/tests/test_kernel.py -v 2>../log >&2 || { tail -n 30 ../log; false; } &&
	grep "reference_does_in_every_case.* ok" ../log &&
	grep "outputs_are_known.* ok" ../log &&
	grep "cannot_read_is_refused.* ok" ../log
'

cat >../use.py <<\EOF
import torch, avogit_rich
from avogit_rich import rich, prepare, is_checked, set_fallback
assert is_checked(m=64, n=96, part=3) and is_checked(m=100, n=8, part=9)
assert is_checked(m=9, n=8, part=9) and not is_checked(m=8, n=8, part=9)
assert not is_checked(m=64, n=97, part=3) and not is_checked(m=101, n=96, part=3)
def make(m, n):
    x = torch.zeros(m, n + 4)[:, :n]
    return x, torch.ones(n), torch.ones(m), torch.zeros(m, dtype=torch.int32), torch.zeros(m)
a = make(64, 96)
packed = prepare(a[1], 64, 3)
z, count = rich(*a, 3, packed)
assert a[4].tolist() == [1.0] * 64 and z.shape == (64, 2) and z.stride() == (3, 1)
assert count.tolist() == [64] and packed.dtype == torch.uint8
rich(*a, 3)
assert a[4].tolist() == [2.0] * 64
for bad, words in (
    (lambda: rich(*make(64, 97), 3), "not checked at m=64 n=97 part=3, only at m=64 n=96 part=3; m=1..100 n=8..128 .multiples of 8. part=1..9"),
    (lambda: torch.ops.avogit_rich.rich(*make(64, 97), 3, packed), "not checked at this size: m=64 n=97"),
    (lambda: rich(*a[:4], torch.zeros(128)[::2], 3), "y is not contiguous"),
    (lambda: rich(*a[:4], torch.zeros(65)[1:], 3), "y is not aligned to 64 bytes"),
    (lambda: rich(*a[:4], torch.zeros(63), 3), "y has shape"),
    (lambda: rich(*a[:4], torch.zeros(64).double(), 3), "y is of Double"),
    (lambda: rich(*a[:3]), "rich takes x, in, bias, at, y, part, packed"),
):
    try:
        bad()
    except (RuntimeError, ValueError, TypeError) as e:
        import re
        assert re.search(words, str(e)), (words, str(e))
    else:
        raise AssertionError(words)
set_fallback(lambda *t: len(t))
assert rich(*make(64, 97), 3) == 6
print("all said")
EOF

test_expect_success TORCH 'it refuses by name what the kernel cannot take, and has a fallback for other sizes' '
	PYTHONPATH=../rich $python ../use.py >../out && grep "all said" ../out
'

test_expect_success TORCH 'a kernel that is wrong fails the test of its export' '
	sed -i "s/count++/count += 2/; s/count += at/count += 1 + at/" ../rich/csrc/kernel/kernel.c &&
	rm -r ../rich/avogit_rich/_C* ../rich/build/lib* &&
	(cd ../rich && MAX_JOBS=1 $python setup.py -q build_ext --inplace >../log 2>&1) &&
	test_expect_code 1 $python ../rich/tests/test_kernel.py 2>../log >&2 &&
	grep "^FAILED" ../log
'

test_expect_success 'what cannot be an operator is refused with the remedy' '
	sed -i "s/^build: {/build: {generate: [true], /" avogit.yaml && git commit -qam "made headers" &&
	echo "// nothing new" >>kernel.c &&
	avogit score --time 1s --run g -m "a remark" >/dev/null && git checkout -q kernel.c &&
	test_expect_code 128 avogit export "g#1" --as torch -o ../none 2>../err &&
	grep "build.generate cannot run in another build: use --as header" ../err &&
	! test -e ../none
'

test_done
