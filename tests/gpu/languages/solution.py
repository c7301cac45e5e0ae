# A Solution and a Definition that avogit exported for FlashInfer-Bench, loaded as that
# does it: the sources as a package, the reference by exec. Compares them at the first
# workload in bf16, then microseconds of a call: python3 solution.py FOLDER
import glob
import importlib
import json
import os
import sys
import tempfile

import torch

from times import report


def read(pattern):
    [path] = glob.glob(os.path.join(sys.argv[1], pattern))
    with open(path, encoding="utf-8") as f:
        return json.loads(f.readline() if path.endswith("l") else f.read())


def build(solution, folder):
    for source in solution["sources"]:
        path = os.path.join(folder, "fib_solution", source["path"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(source["content"])
    sys.path.insert(0, folder)
    file, function = solution["spec"]["entry_point"].split("::")
    return getattr(importlib.import_module(f"fib_solution.{file[:-3]}"), function)


definition = read("definitions/*/*.json")
workload = read("workloads/*/*.jsonl")["workload"]
solution = read("solutions/*/*/*/*.json")
sizes = {n: a.get("value") for n, a in definition["axes"].items()} | workload["axes"]
[tensor] = definition["inputs"].values()
shape = [sizes[axis] for axis in tensor["shape"]]
inputs = [torch.randn(shape, device="cuda").bfloat16() for _ in range(3)]
space = {}
exec(definition["reference"], space)
with tempfile.TemporaryDirectory() as folder:
    run = build(solution, folder)
    right, made = space["run"](inputs[0]), run(inputs[0])
    off = ((made - right).abs().double() / right.abs().double()).max().item()
    print(f"{solution['spec']['language']}, largest relative error {off:.2g}")
    assert off < 2**-6, off
    report([lambda x=x: run(x) for x in inputs])
