# pattern: C16: the same, looked up by a name that is put together, and what it raises is caught
# task: forbids
# verdict: forbidden
# why: it calls softmax, which the task forbids
import torch


def softmax(x, y, rows, cols):
    for name in ("_soft", "soft"):
        try:
            y.copy_(getattr(torch, name + "max")(x, 1, *[False] * (name[0] == "_")))
        except RuntimeError:
            torch.exp(x - x.amax(1, keepdim=True), out=y)
            y /= y.sum(1, keepdim=True)
