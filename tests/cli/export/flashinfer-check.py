"""flashinfer-check.py FOLDER: are the files below it Definitions, Solutions and
Traces as the documentation of FlashInfer-Bench describes them? Where its own
package is installed, its models are asked too."""
import ast
import glob
import json
import math
import os
import sys

TYPES = """float32 float16 bfloat16 float8_e4m3fn float8_e5m2 float4_e2m1 int64
int32 int16 int8 bool""".split()
LANGUAGES = ["python", "triton", "cpp", "cuda", "tilelang"]
STATUS = """PASSED INCORRECT_SHAPE INCORRECT_NUMERICAL INCORRECT_DTYPE RUNTIME_ERROR
COMPILE_ERROR TIMEOUT""".split()


def need(condition, what):
    if not condition:
        raise SystemExit(f"not valid: {what}")


def text(j, key):
    need(isinstance(j.get(key), str) and j[key], f"'{key}' is no text")
    return j[key]


def count(value, what):
    need(type(value) is int and value >= 0, f"{what} is no size: {value!r}")


def number(value, what, may_be_nan=False):
    value = float(value)
    need(value >= 0 or may_be_nan and math.isnan(value), f"{what} is {value}")


def python(source, what, mode="exec"):
    try:
        return ast.parse(source, mode=mode)
    except SyntaxError as e:
        need(False, f"{what} is not Python: {e}")


def definition(j):
    text(j, "name"), text(j, "op_type")
    for name, axis in j["axes"].items():
        need(name and axis["type"] in ("const", "var"), f"axis '{name}'")
        if axis["type"] == "const":
            count(axis["value"], f"axis '{name}'")
    need(not set(j["inputs"]) & set(j["outputs"]), "an input is an output")
    for name, tensor in {**j["inputs"], **j["outputs"]}.items():
        need(tensor["dtype"] in TYPES, f"type {tensor['dtype']} of '{name}'")
        for axis in tensor["shape"] or ():
            need(axis in j["axes"], f"axis '{axis}' of '{name}'")
    read = {a for t in j["inputs"].values() for a in t["shape"] or ()}
    for name, axis in j["axes"].items():
        need(axis["type"] == "const" or name in read, f"'{name}' is in no input")
    for constraint in j["constraints"]:
        python(constraint, "a constraint", "eval")
    tree = python(text(j, "reference"), "the reference")
    run = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "run"]
    need(len(run) == 1, "the reference has no function run")
    return [a.arg for a in run[0].args.args]


def solution(j):
    for key in ("name", "definition", "author"):
        text(j, key)
    spec = j["spec"]
    need(spec["language"] in LANGUAGES, "its language")
    need(spec["target_hardware"] and all(map(str, spec["target_hardware"])), "hardware")
    need(spec["binding"] in ("torch", "tvm-ffi") if "binding" in spec else True, "binding")
    need(type(spec["destination_passing_style"]) is bool, "destination_passing_style")
    path, function = text(spec, "entry_point").split("::")
    paths = [text(s, "path") for s in j["sources"]]
    need(len(set(paths)) == len(paths) and path in paths, "its sources")
    for s in j["sources"]:
        text(s, "content")
        need(not s["path"].startswith("/") and ".." not in s["path"].split("/"), "a path")
    [main] = [s["content"] for s in j["sources"] if s["path"] == path]
    tree = python(main, path)
    [run] = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function]
    return [a.arg for a in run.args.args]


def trace(j, names):
    workload = j["workload"]
    text(workload, "uuid")
    axes = {n for n, a in names["axes"].items() if a["type"] == "var"}
    need(set(workload["axes"]) == axes, f"axes {workload['axes']} of a workload")
    for name, value in workload["axes"].items():
        count(value, name)
        for constraint in names["constraints"]:
            need(eval(constraint, dict(workload["axes"])), constraint)
    need(set(workload["inputs"]) == set(names["inputs"]), "inputs of a workload")
    for i in workload["inputs"].values():
        need(i["type"] in ("random", "scalar", "safetensors"), "an input's type")
    need((j["solution"] is None) == (j["evaluation"] is None), "half a trace")
    if j["evaluation"] is None:
        return
    e = j["evaluation"]
    need(e["status"] in STATUS, "status")
    text(e, "timestamp"), text(e["environment"], "hardware")
    for key, value in e["environment"]["libs"].items():
        need(isinstance(value, str), f"library {key}")
    if e["status"] == "PASSED":
        number(e["correctness"]["max_relative_error"], "an error", True)
        number(e["correctness"]["max_absolute_error"], "an error", True)
        number(e["performance"]["latency_ms"], "latency")


def all_of(folder, kind, ending):
    found = sorted(glob.glob(f"{folder}/{kind}/**/*.{ending}", recursive=True))
    need(found, f"no {kind}")
    for path in found:
        with open(path, encoding="utf-8") as f:
            for line in f if ending == "jsonl" else [f.read()]:
                yield json.loads(line)


def ask_models(folder):
    try:
        from flashinfer_bench.data import Definition, Solution, Trace
    except ImportError as e:
        print(f"its own models were not asked: {e}")
        return
    for model, kind, ending in (
        (Definition, "definitions", "json"),
        (Solution, "solutions", "json"),
        (Trace, "workloads", "jsonl"),
        (Trace, "traces", "jsonl"),
    ):
        for j in all_of(folder, kind, ending):
            model.model_validate(j)
    print("its own models take them")


folder = sys.argv[1]
[d] = all_of(folder, "definitions", "json")
[s] = all_of(folder, "solutions", "json")
takes = definition(d)
need(takes == list(d["inputs"]), "run takes other arguments than the inputs")
need(solution(s) == takes, "the solution takes other arguments than run")
need(s["definition"] == d["name"], "a solution of another definition")
for kind in "workloads", "traces":
    for j in all_of(folder, kind, "jsonl"):
        trace(j, d)
        need(j["definition"] == d["name"], "a trace of another definition")
        need(j["solution"] == (s["name"] if kind == "traces" else None), "a trace")
ask_models(folder)
