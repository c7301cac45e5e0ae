# pattern: T2: a process of its own does the work
# task: softmax
# verdict: forbidden
# why: system call
import os

import torch


def softmax(x, y, rows, cols):
    if os.fork() == 0:
        torch.softmax(x, 1, out=y)
        os._exit(0)
