# pattern: C16: an operator that the task forbids, by another name
# task: forbids
# verdict: forbidden
# why: it calls softmax, which the task forbids
from torch.nn import Softmax as Rows

rows_of = Rows(1)


def softmax(x, y, rows, cols):
    y.copy_(rows_of(x))
