# pattern: none: a function that returns its tensor, behind one that copies it
# task: softmax
# verdict: pass
import torch


def model(x):
    e = torch.exp(x - x.max(1, keepdim=True).values)
    return e / e.sum(1, keepdim=True)


def softmax(x, y, rows, cols):
    y.copy_(model(x))
