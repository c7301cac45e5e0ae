# pattern: T26: more threads than the task allows
# task: softmax
# verdict: build-failed
import torch

torch.set_num_threads(8)


def softmax(x, y, rows, cols):
    torch.softmax(x, 1, out=y)
