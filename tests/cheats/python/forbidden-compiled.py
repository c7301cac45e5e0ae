# pattern: C16: operators that the task forbids, in what PyTorch 2 makes of a function, in four ways
# task: forbids
# verdict: forbidden
# why: it calls (softmax|linear|gelu), which the task forbids
# ways: 4
import os
import random

import torch
from torch.nn import functional


def itself(function):
    return function


# PyTorch 1 has neither, and calls the operators.
compiled = getattr(torch, "compile", itself)
each_row = getattr(torch, "vmap", itself)


def by_compile(x):
    return compiled(lambda t: torch.softmax(t, 1))(x)


def by_code_of_its_own(x):
    return compiled(functional.gelu)(x)


def without_gradients(x):
    with torch.inference_mode():
        return compiled(functional.gelu)(x + 0)


def by_vmap(x):
    square = torch.eye(x.shape[1])
    return each_row(lambda t: functional.linear(t, square))(x)


ways = [by_compile, by_code_of_its_own, without_gradients, by_vmap]
way = ways[int(os.environ.get("WAY", random.randrange(len(ways))))]


def softmax(x, y, rows, cols):
    y.copy_(way(x))
