"""How the operator is called: the sizes that the kernel was checked at, the
fallback for others, and what PyTorch's compiler must know of it."""
import torch
from torch import library

from . import _task

_fallback = None


def set_fallback(function):
    """What is called with the same tensors where the kernel was not checked at
    their sizes. None: that is an error."""
    global _fallback
    _fallback = function


def is_checked(**sizes):
    """Was the kernel checked at these sizes?"""
    values = tuple(sizes[name] for name in _task.SYMBOLS)
    if any(values == case for case in _task.CASES):
        return True
    return _task.HIDDEN is not None and all(
        low <= v <= high and v % step == 0
        for v, (low, high, step) in zip(values, _task.HIDDEN)
    ) and bool(_task.go_together(*values))


def sizes_text():
    """The sizes that it was checked at, in words."""
    words = [
        " ".join(f"{n}={v}" for n, v in zip(_task.SYMBOLS, case))
        for case in _task.CASES
    ]
    if _task.HIDDEN is not None:
        words.append(
            " ".join(
                f"{n}={low}..{high}" + (f" (multiples of {step})" if step > 1 else "")
                for n, (low, high, step) in zip(_task.SYMBOLS, _task.HIDDEN)
            )
            + (f", where {_task.REQUIRE}" if _task.REQUIRE else "")
        )
    return "; ".join(words)


def _dtype(name):
    if not hasattr(torch, name):
        raise RuntimeError(f"this PyTorch has no {name}, which the kernel needs")
    return getattr(torch, name)


def _like(first, shape, strides, dtype):
    if strides is None:
        return first.new_empty(shape, dtype=_dtype(dtype))
    return first.new_empty_strided(shape, strides, dtype=_dtype(dtype))


def _made(tensors, first):
    made = [_like(first, *t) for t in tensors]
    return made[0] if len(made) == 1 else tuple(made) if made else None


def fake(*arguments):
    """The operator's outputs without contents."""
    return _made(_task.outputs(**_task.sizes(*arguments)), arguments[0])


def fake_prepare(*arguments):
    return _made(_task.prepared(**_task.prepare_sizes(*arguments)), arguments[0])


def register(operators, name, fake):
    """Tells PyTorch what the operator returns, by what this version has."""
    if hasattr(library, "register_fake"):
        library.register_fake(f"{_task.NAMESPACE}::{name}")(fake)
    elif hasattr(library, "impl_abstract"):
        library.impl_abstract(f"{_task.NAMESPACE}::{name}")(fake)
    else:
        operators.impl(name, fake, "Meta")
        operators.impl(name, fake, "AutogradMeta")


def make(operator, prepare):
    """The function that users call."""

    def call(*arguments, fallback=None):
        if len(arguments) not in (_task.TAKES, _task.TAKES - _task.PREPARED):
            raise TypeError(
                f"{_task.NAME} takes {', '.join(_task.ARGUMENTS)}: "
                f"{_task.TAKES} arguments, and not {len(arguments)}"
            )
        sizes = _task.sizes(*arguments)
        if not is_checked(**sizes):
            other = fallback or _fallback
            if other is None:
                given = " ".join(f"{n}={v}" for n, v in sizes.items())
                raise ValueError(
                    f"{_task.NAME} was not checked at {given}, only at "
                    f"{sizes_text()}: give a function for other sizes as "
                    f"fallback=, or by set_fallback"
                )
            return other(*arguments)
        if len(arguments) < _task.TAKES:
            made = prepare(*_task.prepare_arguments(*arguments))
            arguments += (made,) if _task.PREPARED == 1 else tuple(made)
        return operator(*arguments)

    call.__name__ = call.__qualname__ = _task.NAME
    call.__doc__ = _task.DOC
    return call
