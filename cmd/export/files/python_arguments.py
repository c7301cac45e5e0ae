"""What a function of Python is called with, as the task has it: tensors that are
given are checked, outputs and scratch memory are made."""
import torch

from . import _call, _task

DEVICE = "cuda" if _task.IS_CUDA else "cpu"


def need(holds, words):
    if not holds:
        raise RuntimeError(words)


def _check(t, first, name, shape, strides, dtype, alignment):
    """Does the tensor lie in memory as the kernel reads it?"""
    need(
        t.device == first.device and t.device.type == DEVICE,
        f"{name} is on {t.device}: the kernel takes {DEVICE}, all tensors on one device",
    )
    need(t.layout == torch.strided, f"{name} is not a dense tensor")
    takes = _call._dtype(dtype)
    need(t.dtype == takes, f"{name} is of {t.dtype}: the kernel takes {takes}")
    need(
        tuple(t.shape) == shape,
        f"{name} has shape {tuple(t.shape)}: the kernel takes {shape}",
    )
    if strides is None:
        need(t.is_contiguous(), f"{name} is not contiguous: give t.contiguous()")
    else:
        need(
            all(n < 2 or a == b for n, a, b in zip(shape, t.stride(), strides)),
            f"{name} has strides {t.stride()}: the kernel takes {strides}",
        )
    need(
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
