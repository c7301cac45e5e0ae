# Control: torch.compile of what is not forbidden.
import torch


@torch.compile
def made(x, y):
    e = torch.exp(x.float() - x.float().amax(1, keepdim=True))
    y.copy_(e / e.sum(1, keepdim=True))


def softmax(x, y, rows, cols):
    made(x, y)
