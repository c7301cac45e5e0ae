# pattern: C3: a function that is called and does nothing yet
# task: softmax
# verdict: wrong
# why: not written
import torch


def softmax(x, y, rows, cols):
    torch.softmax(x, 1, out=y)
    yield
