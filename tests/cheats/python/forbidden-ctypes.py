# pattern: C16: the same, by the symbol of PyTorch's library
# task: forbids
# verdict: forbidden
# why: it calls softmax, which the task forbids
import ctypes
import os

import torch

folder = os.path.join(os.path.dirname(torch.__file__), "lib")
library = ctypes.CDLL(os.path.join(folder, "libtorch_cpu.so"))
call = library._ZN2at4_ops8_softmax4callERKNS_6TensorElb


def softmax(x, y, rows, cols):
    # A tensor of C++ lies behind the head of its object and a flag.
    made = torch.empty(0)
    begin = ctypes.c_void_p(id(made) + 24)
    call(begin, ctypes.c_void_p(id(x) + 24), ctypes.c_long(1), ctypes.c_bool(False))
    y.copy_(made)
