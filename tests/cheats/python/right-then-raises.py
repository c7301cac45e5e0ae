# pattern: C17: the first launches are right, the others end in an exception that is no error
# task: softmax
# verdict: crashed|wrong
import torch

calls = []


class Ended(GeneratorExit):
    pass


def softmax(x, y, rows, cols):
    calls.append(1)
    if len(calls) > 5:
        raise Ended()
    torch.softmax(x, 1, out=y)
