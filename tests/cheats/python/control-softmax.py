# pattern: none: an honest softmax
# task: softmax
# verdict: pass
import torch


def softmax(x, y, rows, cols):
    torch.softmax(x, 1, out=y)
