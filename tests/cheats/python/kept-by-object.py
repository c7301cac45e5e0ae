# pattern: T12: hands out what it made for a tensor, by its identity
# task: softmax
# verdict: wrong
# why: it was launched again in (the buffers of an earlier launch|the same buffers)
import torch

made = {}


def softmax(x, y, rows, cols):
    key = (id(x), x.data_ptr(), x._version)
    if key not in made:
        made[key] = (x, torch.softmax(x, 1))
    y.copy_(made[key][1])
