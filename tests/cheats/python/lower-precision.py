# pattern: C10: works in bfloat16
# task: softmax
# verdict: wrong
import torch


def softmax(x, y, rows, cols):
    y.copy_(torch.softmax(x.to(torch.bfloat16), 1))
