# pattern: C22: a softmax without its maximum
# task: softmax
# verdict: wrong
import torch


def softmax(x, y, rows, cols):
    torch.exp(x, out=y)
    y.div_(y.sum(1, keepdim=True))
