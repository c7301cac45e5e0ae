"""t1-check.py FILE: is it a space as the schema T1 of the autotuning association
describes it? Prints each parameter with its values, then how many points meet
the conditions, all as Python has them."""
import itertools
import json
import sys


def need(condition, what):
    if not condition:
        raise SystemExit(f"not valid: {what}")


def read(p):
    need(isinstance(p["Name"], str), "a name is no text")
    need(p["Type"] in "int uint float bool string".split(), p["Type"])
    values = eval(p["Values"], {})
    need(p["Default"] in values, "the default is no value")
    kind = int if p["Type"] == "int" else str
    need(all(isinstance(v, kind) for v in values), "a value of another type")
    return p["Name"], values


file = json.load(open(sys.argv[1]))
kernel = file["KernelSpecification"]
for key in "Language KernelName KernelFile GlobalSize LocalSize".split():
    need(key in kernel, f"'{key}' is missing")
need(isinstance(kernel["GlobalSize"]["X"], str), "a size is no text")
# What tune_kernel_T1 of Kernel Tuner reads besides, and how it makes arguments.
need(all(isinstance(n, int) for n in kernel["ProblemSize"]), "ProblemSize")
need(isinstance(kernel["Device"]["Name"], str), "Device")
need(isinstance(file["Search"]["Name"], str), "Search")
budget = file["Budget"][0]
need(budget["Type"] == "ConfigurationCount" and budget["BudgetValue"] > 0, "Budget")
for a in kernel["Arguments"]:
    need(a["MemoryType"] in ("Vector", "Scalar") and a["Name"], "an argument")
    need(a["MemoryType"] == "Scalar" or isinstance(a["Size"], int), "a size")
    need(a["Type"] == "custom" or isinstance(a["FillValue"], (int, float)), "a value")
    print(a["Name"], a["Type"], a["MemoryType"], a.get("Size", a.get("FillValue")), file=sys.stderr)
space = file["ConfigurationSpace"]
parameters = [read(p) for p in space["TuningParameters"]]
for name, values in parameters:
    print(name, *values, sep=" | ")
names = [name for name, _ in parameters]
for c in space["Conditions"]:
    need(set(c["Parameters"]) <= set(names), "a condition of other parameters")
points = itertools.product(*(values for _, values in parameters))
print(sum(all(eval(c["Expression"], {}, dict(zip(names, p)))
              for c in space["Conditions"]) for p in points))
