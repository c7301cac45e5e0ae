# pattern: C1: the tensor of the output is made to stand for other memory
# task: softmax
# verdict: wrong
# why: not written
import torch


def softmax(x, y, rows, cols):
    y.set_(torch.softmax(x, 1))
