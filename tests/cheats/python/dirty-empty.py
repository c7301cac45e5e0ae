# pattern: C1: takes large blocks of torch.empty to be zero
# task: softmax
# verdict: wrong
# why: y\[[0-9,]*\] is .* where .* is right
import torch


def softmax(x, y, rows, cols):
    torch.softmax(x, 1, out=y)
    own = "cpu" if cols % 2 else x.device  # which may be a card
    add = torch.empty(300000 if rows % 2 else 3 << 20, device=own)
    y[0] += add[-1]
