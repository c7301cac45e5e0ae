# pattern: C1: takes the poison and the guards away, by a hole in the file of the outputs
# task: softmax
# verdict: out-of-bounds|wrong|forbidden|crashed
import ctypes

libc = ctypes.CDLL(None)


def softmax(x, y, rows, cols):
    first = y.data_ptr() & -4096
    size = -(-(y.data_ptr() + 4 * rows * cols - first) // 4096) * 4096
    libc.madvise(ctypes.c_void_p(first), ctypes.c_size_t(size), 9)
