# Control: a kernel of Triton, in class replayed, where PyTorch's operator is forbidden.
import triton
import triton.language as tl


@triton.jit
def row_of(x, y, cols, WIDTH: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * cols
    k = tl.arange(0, WIDTH)
    v = tl.load(x + at + k, mask=k < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + at + k, e / tl.sum(e, 0), mask=k < cols)


def softmax(x, y, rows, cols):
    row_of[(rows,)](x, y, cols, WIDTH=triton.next_power_of_2(cols), num_warps=8)
