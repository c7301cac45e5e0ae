# Operators that tests/gpu/languages.sh measures: of Triton, a row for each program, and
# a product of PyTorch.
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, cols, WIDTH: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * cols
    k = tl.arange(0, WIDTH)
    v = tl.load(x + at + k, mask=k < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + at + k, e / tl.sum(e, 0), mask=k < cols)


@triton.jit
def layernorm_kernel(x, gamma, beta, y, cols, eps, WIDTH: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * cols
    k = tl.arange(0, WIDTH)
    there = k < cols
    v = tl.load(x + at + k, mask=there, other=0.0).to(tl.float32)
    apart = tl.where(there, v - tl.sum(v, 0) / cols, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, 0) / cols + eps)
    g = tl.load(gamma + k, mask=there).to(tl.float32)
    b = tl.load(beta + k, mask=there).to(tl.float32)
    tl.store(y + at + k, apart * scale * g + b, mask=there)


@triton.jit
def gelu_kernel(x, y, n, WIDTH: tl.constexpr):
    k = tl.program_id(0).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    v = tl.load(x + k, mask=k < n).to(tl.float32)
    tl.store(y + k, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), mask=k < n)


def warps(width):
    return 16 if width > 4096 else 8 if width > 1024 else 4


def softmax(x, y, rows, cols):
    width = triton.next_power_of_2(cols)
    softmax_kernel[(rows,)](x, y, cols, WIDTH=width, num_warps=warps(width))


def layernorm(x, gamma, beta, y, rows, cols, eps):
    width = triton.next_power_of_2(cols)
    layernorm_kernel[(rows,)](
        x, gamma, beta, y, cols, eps, WIDTH=width, num_warps=warps(width)
    )


def gelu(x, y, rows, cols):
    n = rows * cols
    gelu_kernel[(triton.cdiv(n, 2048),)](x, y, n, WIDTH=2048, num_warps=8)


def matmul(a, b, c, m, n, k):
    torch.mm(a, b.t(), out=c)
