"""The operator around the kernel's own function: what it is given is checked, and
outputs and scratch memory are made."""
import ast
import importlib.util
import os
import sys

import torch

from . import _call, _task

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel")
DEVICE = "cuda" if _task.IS_CUDA else "cpu"


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


def _load_all(names):
    """The functions of these names."""
    folders = list(dict.fromkeys([*map(os.path.dirname, _PATHS), FOLDER]))
    loaded, hidden, before = {}, {}, list(sys.path)
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


def _need(holds, words):
    if not holds:
        raise RuntimeError(words)


def _check(t, first, name, shape, strides, dtype, alignment):
    """Does the tensor lie in memory as the kernel reads it?"""
    _need(
        t.device == first.device and t.device.type == DEVICE,
        f"{name} is on {t.device}: the kernel takes {DEVICE}, all tensors on one device",
    )
    _need(t.layout == torch.strided, f"{name} is not a dense tensor")
    takes = _call._dtype(dtype)
    _need(t.dtype == takes, f"{name} is of {t.dtype}: the kernel takes {takes}")
    _need(
        tuple(t.shape) == shape,
        f"{name} has shape {tuple(t.shape)}: the kernel takes {shape}",
    )
    if strides is None:
        _need(t.is_contiguous(), f"{name} is not contiguous: give t.contiguous()")
    else:
        _need(
            all(n < 2 or a == b for n, a, b in zip(shape, t.stride(), strides)),
            f"{name} has strides {t.stride()}: the kernel takes {strides}",
        )
    _need(
        t.data_ptr() % alignment == 0,
        f"{name} is not aligned to {alignment} bytes: give t.clone()",
    )


def _scratch(first, size, zeroed):
    make = first.new_zeros if zeroed else first.new_empty
    return make((size,), dtype=torch.uint8)


def arguments(passed, given, wide=False):
    """What the function is called with, and which of it is returned. `wide`:
    outputs of floating types are float64."""
    all_of_it, made = [], []
    first = given[0]

    def make(shape, strides, dtype):
        floats = _call._dtype(dtype).is_floating_point
        t = _call._like(first, shape, strides, "float64" if wide and floats else dtype)
        made.append(t)
        return t

    for kind, *what in passed:
        if kind == "taken":
            index, *rest = what
            _check(given[index], first, *rest)
            all_of_it.append(given[index])
        elif kind == "made":
            all_of_it.append(make(*what))
        elif kind == "copied":
            index, *rest = what
            all_of_it.append(make(*rest).copy_(given[index]))
        elif kind == "scratch":
            all_of_it.append(_scratch(first, *what))
        else:
            all_of_it.append(what[0])
    return all_of_it, made


def _operator(function, sizes_of, passed_at):
    def call(*given):
        try:
            sizes = sizes_of(*given)
        except IndexError:
            raise RuntimeError(
                f"{_task.NAME}: a tensor has fewer dimensions than the kernel takes"
            ) from None
        words = " ".join(f"{n}={v}" for n, v in sizes.items())
        _need(
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
