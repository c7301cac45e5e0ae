"""The operator around the kernel's own function."""
import ast
import importlib.util
import os
import sys

import torch

from . import _call, _task
from ._arguments import DEVICE, arguments, need

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel")


# ---- the kernel ---------------------------------------------------------------


def _defines(path, name):
    """Does the file bind this name at its top?"""
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read(), path)
    for node in tree.body:
        names = []
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [getattr(t, "id", None) for t in node.targets]
        elif isinstance(node, ast.AnnAssign):
            names = [getattr(node.target, "id", None)]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [a.asname or a.name for a in node.names]
        if name in names:
            return True
    return False


def _load(path, loaded, hidden):
    """Under a name that no other package has; files beside it by their own. They may
    import this one, so it has its own name, too, until all is loaded: what had that
    name before is kept in `hidden`."""
    if path not in loaded:
        name = f"{__package__}._kernel_{len(loaded)}"
        own = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(name, path)
        loaded[path] = sys.modules[name] = importlib.util.module_from_spec(spec)
        hidden.setdefault(own, sys.modules.get(own))
        sys.modules[own] = loaded[path]
        spec.loader.exec_module(loaded[path])
    return loaded[path]


def _find(name, loaded, hidden):
    """As it was scored: a file that says the name at its top, where that is a function."""
    for path in _PATHS:
        if _defines(path, name):
            found = getattr(_load(path, loaded, hidden), name, None)
            if callable(found):
                return found
    raise ImportError(f"no file of {FOLDER} defines {name}")


def _own(folders):
    """The names of the files there that are imported by them. What this process needs
    itself keeps its own, as it did where the kernel was scored."""
    files = [os.path.splitext(n) for f in folders for n in os.listdir(f)]
    kept = {"torch", *getattr(sys, "stdlib_module_names", ())}
    return {name for name, end in files if end == ".py"} - kept


def _hide(names):
    """What others, such as another kernel, imported by these names."""
    taken = [m for m in sys.modules if m.partition(".")[0] in names]
    return {name: sys.modules.pop(name) for name in taken}


def _load_all(names):
    """The functions of these names."""
    folders = list(dict.fromkeys([*map(os.path.dirname, _PATHS), FOLDER]))
    loaded, hidden, before = {}, _hide(_own(folders)), list(sys.path)
    sys.path[:0] = folders
    try:
        found = [_find(name, loaded, hidden) for name in names]
    finally:
        sys.path[:] = before
        for name, module in hidden.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
    # For what it imports when it is called.
    sys.path.extend(f for f in folders if f not in before)
    return found


_PATHS = [os.path.join(FOLDER, *path.split("/")) for path in _task.SOURCES]


# ---- a call -------------------------------------------------------------------


def _operator(function, sizes_of, passed_at):
    def call(*given):
        try:
            sizes = sizes_of(*given)
        except IndexError:
            raise RuntimeError(
                f"{_task.NAME}: a tensor has fewer dimensions than the kernel takes"
            ) from None
        words = " ".join(f"{n}={v}" for n, v in sizes.items())
        need(
            _call.is_checked(**sizes),
            f"{_task.NAME} was not checked at this size: {words}",
        )
        all_of_it, made = arguments(passed_at(**sizes), given)
        with torch.no_grad():
            if _task.IS_CUDA:
                with torch.cuda.device(given[0].device):
                    function(*all_of_it)
            else:
                function(*all_of_it)
        return made[0] if len(made) == 1 else tuple(made) if made else None

    return call


def entry():
    """What the kernel's operator does, as a plain function."""
    return _operator(*_load_all([_task.ENTRY]), _task.sizes, _task.passed)


def define(library):
    """Makes the operators of the package."""
    names = [_task.ENTRY] + [_task.PREPARE_ENTRY] * bool(_task.PREPARED)
    functions = _load_all(names)
    key = DEVICE.upper()
    library.define(_task.DOC)
    entry = _operator(functions[0], _task.sizes, _task.passed)
    library.impl(_task.NAME, entry, key)
    _call.register(library, _task.NAME, _call.fake)
    if _task.PREPARED:
        library.define(_task.PREPARE_DOC)
        first = _operator(functions[1], _task.prepare_sizes, _task.prepare_passed)
        library.impl(_task.PREPARE, first, key)
        _call.register(library, _task.PREPARE, _call.fake_prepare)
