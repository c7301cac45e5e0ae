# pattern: C16: the same, the form that writes its output, from the table of operators
# task: forbids
# verdict: forbidden
# why: it calls softmax, which the task forbids
import torch

found = torch._C._jit_get_operation("aten::_softmax")[0]


def softmax(x, y, rows, cols):
    y.copy_(found(x, 1, False))
