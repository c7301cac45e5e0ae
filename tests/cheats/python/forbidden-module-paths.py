# pattern: C16: a module that the task forbids, loaded by its file, by another path in eleven ways
# task: forbids
# verdict: forbidden
# why: it imports html.parser, which the task forbids
# ways: 11
import builtins
import gc
import io
import os
import pathlib
import random

import torch

folder = os.path.join(os.path.dirname(os.__file__), "html")
file = os.path.join(folder, "parser.py")


def evasive(kind):
    def answer(value):
        return lambda *arguments, **named: value

    return type(
        "Evasive",
        (kind,),
        {
            "startswith": answer(False),
            "replace": answer("nothing"),
            "decode": answer("nothing"),
            "__add__": answer("nothing"),
            "__getitem__": answer("n"),
            "__str__": answer("nothing"),
            "__bytes__": answer(b"nothing"),
            "__fspath__": answer("nothing"),
        },
    )


class Changing:
    names = [file, file]

    def __fspath__(self):
        return self.names.pop() if self.names else "nothing"


def changing():
    try:
        return io.FileIO(Changing()).read(1)
    except (ImportError, TypeError):
        return open(file).read(1)  # such paths are not taken at all


def below(flags):
    at = os.open(folder, flags)
    return os.read(os.open("parser.py", os.O_RDONLY, dir_fd=at), 1)


def moved():
    here = os.getcwd()
    try:
        os.chdir(folder)
    except OSError:
        return open(file).read(1)  # the filter allows no other folder
    try:
        return open("parser.py").read(1)
    finally:
        os.chdir(here)


def patched():
    kept = builtins.issubclass, builtins.type, os.readlink, os.path.realpath
    builtins.issubclass = builtins.type = lambda *all: False
    os.readlink = os.path.realpath = lambda *all, **named: "nothing"
    try:
        return open(file).read(1)
    finally:
        builtins.issubclass, builtins.type, os.readlink, os.path.realpath = kept


def emptied():
    gc.unfreeze()
    for thing in gc.get_objects():
        if type(thing).__name__ == "cell":
            try:
                if "html.parser" in repr(thing.cell_contents):
                    thing.cell_contents = ()
            except ValueError:
                pass  # it is empty
    return open(file).read(1)


ways = [
    lambda: open(os.path.join(folder, ".", "parser.py")).read(1),
    lambda: open(os.fsencode(file)).read(1),
    lambda: open(evasive(str)(file)).read(1),
    lambda: open(evasive(bytes)(os.fsencode(file))).read(1),
    changing,
    lambda: os.read(os.open(os.fspath(pathlib.Path(file)), os.O_RDONLY), 1),
    lambda: below(os.O_RDONLY),
    lambda: below(os.O_PATH),
    moved,
    patched,
    emptied,
]
ways[int(os.environ.get("WAY", random.randrange(len(ways))))]()
os._exit(3)  # it was let through


def softmax(x, y, rows, cols):
    torch.exp(x - x.amax(1, keepdim=True), out=y)
    y /= y.sum(1, keepdim=True)
