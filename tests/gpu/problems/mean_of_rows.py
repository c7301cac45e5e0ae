# sizes: s/randn(96, 300)/randn(1024, 4096)/
import triton
import triton.language as tl


@triton.jit
def rows(x, mean, most, cols, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, WIDTH)
    there = k < cols
    v = tl.load(x + row.to(tl.int64) * cols + k, mask=there, other=0.0)
    tl.store(mean + row, tl.sum(v, 0) / cols)
    tl.store(most + row, tl.max(tl.where(there, v, -float("inf")), 0))


def avogit_kernel(x, out, out_2):
    n, cols = x.shape
    rows[(n,)](x, out, out_2, cols, WIDTH=triton.next_power_of_2(cols), num_warps=8)
