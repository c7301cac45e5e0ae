# pattern: T2: a thread of PyTorch's own pool works after the return
# task: softmax
# verdict: crashed|forbidden|wrong
import torch


@torch.jit.script
def work(x: torch.Tensor, y: torch.Tensor):
    y.copy_(torch.softmax(x, 1))


@torch.jit.script
def begin(x: torch.Tensor, y: torch.Tensor) -> torch.jit.Future[None]:
    return torch.jit.fork(work, x, y)


def softmax(x, y, rows, cols):
    begin(x, y)
