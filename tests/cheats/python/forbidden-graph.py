# pattern: C16: the same in a graph that PyTorch compiles of a text
# task: forbids
# verdict: forbidden
# why: it calls softmax, which the task forbids
import torch

text = "def rows(x):\n    return torch.%s(x, 1)\n" % "".join(("soft", "max"))
unit = torch.jit.CompilationUnit(text)


def softmax(x, y, rows, cols):
    y.copy_(unit.rows(x))
