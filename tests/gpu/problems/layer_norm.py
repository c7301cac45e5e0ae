# sizes: s/randn(32, 8, 128)/randn(4, 1024, 1024)/
# sizes: s/return \[128\]/return [1024]/
import triton
import triton.language as tl


@triton.jit
def rows(x, gamma, beta, out, cols, WIDTH: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * cols
    k = tl.arange(0, WIDTH)
    there = k < cols
    v = tl.load(x + at + k, mask=there, other=0.0)
    apart = tl.where(there, v - tl.sum(v, 0) / cols, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, 0) / cols + 1e-5)
    g = tl.load(gamma + k, mask=there)
    b = tl.load(beta + k, mask=there)
    tl.store(out + at + k, apart * scale * g + b, mask=there)


def avogit_kernel(x, norm_weight, norm_bias, out):
    cols = x.shape[-1]
    width = triton.next_power_of_2(cols)
    rows[(x.numel() // cols,)](
        x, norm_weight, norm_bias, out, cols, WIDTH=width, num_warps=4
    )
