# pattern: C16: calls what PyTorch has: as fast as that, and no faster
# task: softmax
# verdict: pass
# faster: no
import torch


def softmax(x, y, rows, cols):
    y.copy_(torch.nn.functional.softmax(x, dim=1))
