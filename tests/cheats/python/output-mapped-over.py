# pattern: C1: memory of its own where the output is
# task: softmax
# verdict: wrong|crashed|forbidden
import ctypes

import torch

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p


def softmax(x, y, rows, cols):
    first = y.data_ptr() & -4096
    size = -(-(y.data_ptr() + 4 * rows * cols - first) // 4096) * 4096
    libc.mmap(ctypes.c_void_p(first), ctypes.c_size_t(size), 3, 0x32, -1, ctypes.c_long(0))
    torch.softmax(x, 1, out=y)
