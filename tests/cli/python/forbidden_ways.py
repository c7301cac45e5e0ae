# Runs cheats that a task forbids in the runner of Python alone, without a scorer:
# forbidden_ways.py RUNNER FORBID TIMES CHEAT..., where RUNNER is runner.py and
# FORBID its part in C. Prints a line a way, and ends with 1 if one is not told.
# What a cheat does is what it does in a sandbox, but for the filter.
import array
import json
import os
import re
import shutil
import socket
import sys
import tempfile

import torch

ROWS, COLS = 8, 16
BYTES = 4 * ROWS * COLS


def fact(text, key, otherwise):
    found = re.search("^# %s: *(.*)$" % key, text, re.M)
    return found.group(1) if found else otherwise


def be_runner(runner, control, way):
    os.dup2(control, 11)
    os.environ["WAY"] = str(way)
    sys.argv = [".avogit-runner.py"]
    sys.path[0] = os.getcwd()
    path = os.path.abspath(".avogit-runner.py")
    own = sys.modules["__main__"].__dict__
    own["__file__"] = path
    exec(compile(runner, path, "exec"), own)


def tensor(name, buffer):
    return {
        "name": name,
        "buffer": buffer,
        "offset": 0,
        "bytes": BYTES,
        "shape": [ROWS, COLS],
        "strides": [COLS, 1],
    }


def requests():
    files = []
    for name in ("inputs", "outputs"):
        files.append(os.memfd_create(name))
        os.ftruncate(files[-1], BYTES)
    start = {
        "request": "start",
        "sources": ["kernel.py"],
        "entry": "softmax",
        "threads": 1,
        "arguments": [
            {"name": "x", "kind": "tensor", "dtype": "f32"},
            {"name": "y", "kind": "tensor", "dtype": "f32"},
            {"name": "rows", "kind": "value", "dtype": "i32"},
            {"name": "cols", "kind": "value", "dtype": "i32"},
        ],
        "forbidden": {
            "calls": ["softmax", "linear", "gelu"],
            "modules": ["html.parser"],
            "exempt": False,
        },
    }
    ready = {
        "request": "ready",
        "inputs": {"image": 0},
        "outputs": {"image": 0},
        "arguments": [
            tensor("x", "inputs"),
            tensor("y", "outputs"),
            {"name": "rows", "value": str(ROWS)},
            {"name": "cols", "value": str(COLS)},
        ],
    }
    return files, (start, ready, {"request": "go", "images": [0]})


def answer_of(control):
    """The last answer, up to one that is not what is due."""
    files, asked = requests()
    reply = {}
    for sequence, request in enumerate(asked, 7):
        fds = files if request["request"] == "ready" else []
        packet = json.dumps({**request, "sequence": sequence}).encode()
        socket.send_fds(control, [packet], fds)
        data = control.recv(1 << 16)
        reply = json.loads(data) if data else {}
        if reply.get("sequence") != sequence or "why" in reply:
            break
    for fd in files:
        os.close(fd)
    return reply


def told(runner, forbid, cheat, way):
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(cheat, os.path.join(folder, "kernel.py"))
        shutil.copy(forbid, os.path.join(folder, ".avogit-forbid.so"))
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            here.close()
            be_runner(runner, there.fileno(), way)
            os._exit(9)
        there.close()
        try:
            reply = answer_of(here)
        except OSError:
            reply = {}
        here.close()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return reply, code


def main():
    runner = open(sys.argv[1]).read()
    failed = False
    for cheat in sys.argv[4:]:
        text = open(cheat).read()
        why = fact(text, "why", "")
        for way in range(int(fact(text, "ways", "1"))):
            right, seen = 0, set()
            for _ in range(int(sys.argv[3])):
                reply, code = told(runner, sys.argv[2], cheat, way)
                if fact(text, "verdict", "") == "pass":
                    ok = reply.get("reply") == "done"
                else:
                    ok = bool(reply.get("forbidden")) and bool(
                        re.search(why, reply.get("why", ""))
                    )
                right += ok
                if not ok:
                    seen.add("%s, exit %d" % (reply.get("why") or reply.get("reply"), code))
            name = os.path.basename(cheat)[:-3]
            print("%s %d: %d of %s told" % (name, way, right, sys.argv[3]), *seen)
            sys.stdout.flush()
            failed |= bool(seen)
    return failed


sys.exit(main())
