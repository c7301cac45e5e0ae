# pattern: control: a softmax of other operators, where the task forbids PyTorch's own
# task: forbids
# verdict: pass
# time: 1s
import torch


def softmax(x, y, rows, cols):
    torch.exp(x - x.amax(1, keepdim=True), out=y)
    y /= y.sum(1, keepdim=True)
