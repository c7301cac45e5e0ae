# pattern: T7: an answer of JSON that is nested without end
# task: softmax
# verdict: forbidden
# why: control channel
import os

import torch

count = 0


def softmax(x, y, rows, cols):
    global count
    torch.softmax(x, 1, out=y)
    count += 1
    if count == 3:
        os.write(11, b'{"reply": "done", "sequence": ' + b"[" * 60000)
