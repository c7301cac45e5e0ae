# pattern: C19: one element too many
# task: softmax
# verdict: crashed|out-of-bounds
import ctypes

import torch


def softmax(x, y, rows, cols):
    torch.softmax(x, 1, out=y)
    ctypes.memset(y.data_ptr() + 4 * rows * cols, 0, 4)
