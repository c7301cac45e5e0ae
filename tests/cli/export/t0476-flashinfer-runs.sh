#!/bin/sh
# test: parallel long no-asan
test_description='export --as flashinfer: its Solution and its reference compile, run and agree'
. "$(dirname "$0")/../lib-avogit.sh"

# Debian's, which has PyTorch; another may be first in the PATH.
python=/usr/bin/python3
if ! { $python -c 'import torch, setuptools' 2>/dev/null &&
	echo '#include <torch/library.h>' | c++ -xc++ -std=c++17 -fsyntax-only - 2>/dev/null; }
then
	skip_all='no PyTorch with headers here (python3-torch, libtorch-dev)'
	test_done
fi

test_expect_success 'setup' '
	make_light_repo repo &&
	sed -i "/^baselines:/,+1d; s|^  - {n: 16384}|  - {n: 16384}\n  - {n: 4096}|" avogit.yaml &&
	git commit -qam "two cases" &&
	sed -i "s|^#define ROUNDS .*|#define ROUNDS 2|" kernel.c &&
	avogit score --run v -m "two rounds" >/dev/null &&
	avogit export "v#1" --as flashinfer -o ../out
'

# As FlashInfer-Bench does it: the sources as a package, the reference by exec.
cat >../use.py <<\EOF
import glob, importlib, json, os, sys
import torch

[path] = glob.glob("../out/solutions/*/*/*/*.json")
solution = json.load(open(path))
for source in solution["sources"]:
    path = os.path.join("../made/solution_1", source["path"])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").write(source["content"])
sys.path.insert(0, "../made")
file, function = solution["spec"]["entry_point"].split("::")
run = getattr(importlib.import_module("solution_1." + file[:-3]), function)
space = {}
exec(json.load(open("../out/definitions/custom/scale.json"))["reference"], space)
for line in open("../out/workloads/custom/scale.jsonl"):
    x = torch.randn(json.loads(line)["workload"]["axes"]["n"])
    right = space["run"](x)
    assert right.dtype == torch.float32 and torch.equal(right, x * 1.5)
    assert torch.equal(run(x), right)
try:
    run(torch.randn(100))
except RuntimeError as e:
    assert "was not checked at this size: n=100" in str(e), e
else:
    raise AssertionError("a size that was not checked")
print("they agree")
EOF

test_expect_success 'they agree in every case, and other sizes are refused' '
	MAX_JOBS=1 $python ../use.py >../log 2>&1 || { tail -n 30 ../log; false; } &&
	grep "they agree" ../log
'

test_done
