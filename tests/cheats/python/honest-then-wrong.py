# pattern: T20: right at first, then the first rows only
# task: softmax
# verdict: wrong
import torch

calls = 0


def softmax(x, y, rows, cols):
    global calls
    calls += 1
    if calls < 8:
        torch.softmax(x, 1, out=y)
    else:
        y.fill_(1 / cols)
