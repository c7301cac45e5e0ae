# pattern: C16: a module that the task forbids, loaded by its file, whose name is bytes
# task: forbids
# verdict: forbidden
# why: it imports html.parser, which the task forbids
import os

import torch

path = os.path.join(os.path.dirname(os.__file__), "html", "parser.py")
with open(os.fsencode(path)) as f:
    exec(f.read(), {"__name__": "other"})


def softmax(x, y, rows, cols):
    torch.exp(x - x.amax(1, keepdim=True), out=y)
    y /= y.sum(1, keepdim=True)
