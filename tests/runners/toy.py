#!/usr/bin/python3
"""A runner (docs/runner-protocol.md) of a toy language, for tests: a source has
lines `NAME = EXPRESSION`, and the one whose NAME is the task's entry is
evaluated for every element i of the outputs, with tensors of as many elements
(`x` is x[i]), values, and lines above it whose EXPRESSION is a number. The line of
the task's `prepare` is evaluated for every f64 of the prepared buffers, which
are tensors then. Lines `# toy: WORDS` say what it does wrong."""
import array
import ctypes
import json
import mmap
import os
import signal
import socket
import sys

CONTROL, FILTER = 11, 15
CODES = {"f32": "f", "f64": "d", "i8": "b", "i16": "h", "i32": "i",
         "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}


def is_inout(argument):
    return argument["direction"] == "inout"


def load_filter():
    """Before anything of the candidate is run, while there is one thread."""
    class Program(ctypes.Structure):
        _fields_ = [("n", ctypes.c_ushort), ("code", ctypes.c_void_p)]
    try:
        code = os.pread(FILTER, 1 << 18, 0)
    except OSError:
        return  # a machine without seccomp
    os.close(FILTER)
    text = ctypes.create_string_buffer(code, len(code))
    program = Program(len(code) // 8, ctypes.addressof(text))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(22, 2, ctypes.byref(program), 0, 0):  # PR_SET_SECCOMP
        sys.exit("the filter cannot be loaded")


class Runner:
    def __init__(self):
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
        self.socket = socket.socket(fileno=CONTROL)
        self.arguments, self.maps, self.code = {}, [], None
        self.preparing = None
        self.wrong, self.constants = set(), {}

    def receive(self):
        text, fds, _, _ = socket.recv_fds(self.socket, 1 << 16, 3)
        return (json.loads(text) if text else None), fds

    def answer(self, q, reply, **more):
        text = json.dumps({"reply": reply, "sequence": q["sequence"], **more})
        self.socket.send(text.encode())

    def start(self, q):
        self.arguments = {a["name"]: a for a in q["arguments"]}
        lines = []
        for path in q["sources"]:
            with open(path) as f:
                lines += [(path, n + 1, line.strip())
                          for n, line in enumerate(f)]
        for path, n, line in lines:
            if line.startswith("# toy: "):
                self.wrong |= set(line[7:].split())
        if "early" in self.wrong:
            return "started"  # and no filter
        if "spin" in self.wrong:
            signal.signal(signal.SIGALRM, lambda *_: sum(range(50000)))
            signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
        if "child" in self.wrong and not os.fork():
            while True:
                os.read(os.pipe()[0], 1)
        load_filter()
        if q["empty"]:
            self.code = compile("None", "empty", "eval")
            return "started"
        for path, n, line in lines:
            name, _, text = line.partition("#")[0].partition("=")
            if name.strip() != q["entry"]:
                if text.strip().isdigit():
                    self.constants[name.strip()] = int(text)
                continue
            try:
                self.code = compile(text.strip(), path, "eval")
                self.preparing = self.line(lines, q.get("prepare"))
            except SyntaxError as e:
                return f"{path}:{n}: error: {e.msg}"
            return "started"
        return f"no line of the sources defines {q['entry']}"

    @staticmethod
    def line(lines, wanted):
        for path, _, line in lines:
            name, _, text = line.partition("#")[0].partition("=")
            if wanted and name.strip() == wanted:
                return compile(text.strip(), path, "eval")
        return None

    def prepare(self, q, fds):
        """Only what is static is there."""
        files = {"inputs": memoryview(mmap.mmap(
            fds[0], q["inputs"]["bytes"], mmap.MAP_SHARED, mmap.PROT_READ)),
            "prepared": memoryview(mmap.mmap(
                fds[1], q["prepared"]["bytes"], mmap.MAP_SHARED))}
        image = self.image(q, files, 0)
        for name, a in self.arguments.items():
            if a["kind"] != "prepared":
                continue
            for i in range(len(image[name])):
                image[name][i] = eval(self.preparing, {
                    n: v[i] if isinstance(v, memoryview) else v
                    for n, v in image.items() if n != name})
        for fd in fds:
            os.close(fd)

    def ready(self, q, fds):
        self.maps, self.kept = [], {}
        kinds = {"inputs": (fds[0], mmap.PROT_READ),
                 "outputs": (fds[1], mmap.PROT_READ | mmap.PROT_WRITE)}
        files = {}
        for name, (fd, protection) in kinds.items():
            if q[name]["bytes"]:
                files[name] = memoryview(mmap.mmap(
                    fd, q[name]["bytes"], mmap.MAP_SHARED, protection))
            if "leak" not in self.wrong:
                os.close(fd)
        if "prepared" in q:
            files["prepared"] = memoryview(mmap.mmap(
                fds[2], q["prepared"]["bytes"], mmap.MAP_SHARED))
            os.close(fds[2])
        self.outputs = files["outputs"]
        self.images = [self.image(q, files, k) for k in range(q["batch"])]

    def image(self, q, files, k):
        image = dict(self.constants)
        for a in q["arguments"]:
            known = self.arguments[a["name"]]
            if "value" in a:
                number = float if known["dtype"][0] == "f" else int
                image[a["name"]] = number(a["value"])
            elif a.get("buffer") == "prepared" and "prepared" in files:
                at = a["offset"]
                view = files["prepared"][at:at + a["bytes"]]
                image[a["name"]] = view.cast("d")
            elif "shape" in a:
                at = a["offset"] + k * q[a["buffer"]]["image"]
                view = files[a["buffer"]][at:at + a["bytes"]]
                image[a["name"]] = view.cast(CODES[known["dtype"]])
        return image

    def launch(self, k):
        image = self.images[k]
        outputs = [n for n, a in self.arguments.items()
                   if a.get("direction") in ("out", "inout")]
        if self.code.co_filename == "empty":
            return
        if "keeps" in self.wrong and k in self.kept:
            for i, v in enumerate(self.kept[k]):
                image[outputs[0]][i] = v
            return
        for i in range(len(image[outputs[0]])):
            names = {n: v[i] if isinstance(v, memoryview) else v
                     for n, v in image.items()
                     if n not in outputs or is_inout(self.arguments[n])}
            image[outputs[0]][i] = eval(self.code, names)
        self.kept[k] = image[outputs[0]].tolist()

    def serve(self):
        while True:
            q, fds = self.receive()
            if q is None:
                sys.exit(3 if "exit" in self.wrong else 0)
            if q["request"] == "start":
                why = self.start(q)
                if why == "started":
                    self.answer(q, "started", again=True, versions={
                        "python": sys.version.split()[0]})
                else:
                    self.answer(q, "failed", why=why, log=why + "\n  | here")
            elif q["request"] == "prepare":
                if self.preparing:
                    self.prepare(q, fds)
                    self.answer(q, "prepared")
                else:
                    self.answer(q, "failed", why="no line prepares")
            elif q["request"] == "ready":
                self.ready(q, fds)
                self.answer(q, "ready")
            else:
                every = range(len(self.images))
                for k in every if "all" in self.wrong else q["images"]:
                    self.launch(k)
                if "beyond" in self.wrong:
                    self.outputs[0] ^= 1
                self.answer(q, "done")


Runner().serve()
