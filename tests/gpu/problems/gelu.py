# sizes: s/randn(64, 512)/randn(2048, 2048)/
import triton
import triton.language as tl


@triton.jit
def elements(x, out, n, WIDTH: tl.constexpr):
    k = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    v = tl.load(x + k, mask=k < n)
    tl.store(out + k, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), mask=k < n)


def avogit_kernel(x, out):
    n = x.numel()
    elements[(triton.cdiv(n, 2048),)](x, out, n, WIDTH=2048, num_warps=8)
