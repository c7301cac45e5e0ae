"""t4-check.py FILE: is it a file of results as the schema T4 1.0.0 of the
autotuning association describes it, with the names of times that Kernel Tuner
writes? Prints a line for each result, without its figures."""
import json
import sys

INVALIDITY = "timeout compile runtime correctness constraints correct".split()
FAILED = "CompilationFailedConfig RuntimeFailedConfig".split()
TIMES = """compilation_time compilation benchmark framework search_algorithm
validation""".split()


def need(condition, what):
    if not condition:
        raise SystemExit(f"not valid: {what}")


def check(r):
    for key in "configuration", "times", "invalidity", "correctness":
        need(key in r, f"'{key}' is missing")
    need(isinstance(r["configuration"], dict), "the configuration is no object")
    need(r["invalidity"] in INVALIDITY, r["invalidity"])
    need(r["correctness"] in (0, 1), "the correctness is not 0 or 1")
    need(isinstance(r["timestamp"], str), "the timestamp is no text")
    for key in TIMES:
        need(r["times"][key] >= 0, f"the time '{key}' is no time")
    need(all(t > 0 for t in r["times"]["runtimes"]), "a runtime is not above 0")
    need(isinstance(r["objectives"], list), "the objectives are no list")
    measured = {m["name"]: m for m in r["measurements"]}
    for m in measured.values():
        need(isinstance(m["unit"], str), "a unit is no text")
    need(r["objectives"] == ["time"], "the objective is not 'time'")
    # The methodology asks every result for its objective, once.
    need(len(measured) == len(r["measurements"]), "a measurement is there twice")
    need("time" in measured, "a result has no 'time'")
    time = measured["time"]
    if r["invalidity"] == "correct":
        need(time["unit"] == "ms" and 0 < time["value"] < 1e5, f"time: {time}")
    else:
        need(time["value"] in FAILED, f"a failure's time is {time['value']}")


file = json.load(open(sys.argv[1]))
need(file["schema_version"] == "1.0.0", "the version is not 1.0.0")
need(file["metadata"]["timeunit"] == "milliseconds", "the unit of time")
for result in file["results"]:
    check(result)
    values = " ".join(f"{k}={v!r}" for k, v in result["configuration"].items())
    print(values, result["invalidity"], result["correctness"])
