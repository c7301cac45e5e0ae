# Operators that tests/gpu/languages.sh measures: of Triton, and a product of PyTorch.
# Which layout of a row was the fastest is what tune.py printed on a card.
import torch
import triton
import triton.language as tl

# `warps` of 32 threads take `rows` at a time.
SOFTMAX = {"warps": 16, "rows": 1, "policy": ""}
LAYERNORM = {"warps": 4, "rows": 1, "early": False, "policy": ""}
GELU = {"warps": 2, "width": 1024, "policy": "", "store": ""}


# Without a mask where rows and columns are as many as the programs take.
@triton.jit
def tile_of(x, at, there, other, EVEN: tl.constexpr, POLICY: tl.constexpr):
    if EVEN:
        v = tl.load(x + at, eviction_policy=POLICY)
    else:
        v = tl.load(x + at, mask=there, other=other, eviction_policy=POLICY)
    return v.to(tl.float32)


@triton.jit
def put(y, at, there, v, EVEN: tl.constexpr, STORE: tl.constexpr):
    if EVEN:
        tl.store(y + at, v, cache_modifier=STORE)
    else:
        tl.store(y + at, v, mask=there)


@triton.jit
def softmax_kernel(
    x,
    y,
    rows,
    cols,
    WIDTH: tl.constexpr,
    ROWS: tl.constexpr,
    EVEN: tl.constexpr,
    POLICY: tl.constexpr,
):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    k = tl.arange(0, WIDTH)
    at = row.to(tl.int64)[:, None] * cols + k[None, :]
    there = (row < rows)[:, None] & (k < cols)[None, :]
    v = tile_of(x, at, there, -float("inf"), EVEN, POLICY)
    if not EVEN:
        v = tl.where((row < rows)[:, None], v, 0.0)
    e = tl.exp(v - tl.max(v, 1)[:, None])
    put(y, at, there, e * (1 / tl.sum(e, 1))[:, None], EVEN, "")


@triton.jit
def layernorm_kernel(
    x,
    gamma,
    beta,
    y,
    rows,
    cols,
    eps,
    WIDTH: tl.constexpr,
    ROWS: tl.constexpr,
    EVEN: tl.constexpr,
    EARLY: tl.constexpr,
    POLICY: tl.constexpr,
):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    k = tl.arange(0, WIDTH)
    at = row.to(tl.int64)[:, None] * cols + k[None, :]
    there = (row < rows)[:, None] & (k < cols)[None, :]
    if EARLY:
        g = tile_of(gamma, k, k < cols, 0.0, EVEN, "evict_last")
        b = tile_of(beta, k, k < cols, 0.0, EVEN, "evict_last")
    v = tile_of(x, at, there, 0.0, EVEN, POLICY)
    apart = v - (tl.sum(v, 1) / cols)[:, None]
    if not EVEN:
        apart = tl.where(there, apart, 0.0)
    scale = tl.rsqrt(tl.sum(apart * apart, 1) / cols + eps)[:, None]
    if not EARLY:
        g = tile_of(gamma, k, k < cols, 0.0, EVEN, "evict_last")
        b = tile_of(beta, k, k < cols, 0.0, EVEN, "evict_last")
    put(y, at, there, apart * scale * g[None, :] + b[None, :], EVEN, "")


# x Phi(x) is max(x, 0) - z Phi(-z) with z = |x|, and Phi(-z) a polynomial of
# 1 / (1 + 0.38 z) times exp(-z z / 2), off by 4e-5 of it from 0 to 14: nowhere the
# difference of two near numbers. The card has an instruction for each of the two.
@triton.jit
def gelu_kernel(
    x,
    y,
    n,
    WIDTH: tl.constexpr,
    EVEN: tl.constexpr,
    POLICY: tl.constexpr,
    STORE: tl.constexpr,
):
    k = tl.program_id(0).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    v = tile_of(x, k, k < n, 0.0, EVEN, POLICY)
    z = tl.abs(v)
    t = tl.inline_asm_elementwise(
        "rcp.approx.ftz.f32 $0, $1;",
        "=f,f",
        [1 + 0.38 * z],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )
    e = tl.inline_asm_elementwise(
        "ex2.approx.ftz.f32 $0, $1;",
        "=f,f",
        [-0.7213475204444817 * z * z],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )
    p = 0.1888675682 - 0.08992427939 * t
    p = 0.09198656524 + p * t
    p = 0.1578273131 + p * t
    p = 0.1512253754 + p * t
    put(y, k, k < n, tl.maximum(v, 0.0) - z * (p * t * e), EVEN, STORE)


# Launches a kernel that takes whole rows of matrices of these sizes.
def launch_rows(kernel, arguments, rows, cols, how, **options):
    width = triton.next_power_of_2(cols)
    many = how["rows"] if width > 4096 else 1
    kernel[(triton.cdiv(rows, many),)](
        *arguments,
        WIDTH=width,
        ROWS=many,
        EVEN=width == cols and rows % many == 0,
        POLICY=how["policy"],
        num_warps=how["warps"] if width > 4096 else 8 if width > 1024 else 4,
        **options,
    )


def softmax(x, y, rows, cols, how=SOFTMAX):
    launch_rows(softmax_kernel, (x, y, rows, cols), rows, cols, how)


def layernorm(x, gamma, beta, y, rows, cols, eps, how=LAYERNORM):
    arguments = (x, gamma, beta, y, rows, cols, eps)
    launch_rows(
        layernorm_kernel, arguments, rows, cols, how, EARLY=how["early"]
    )


def gelu(x, y, rows, cols, how=GELU):
    n, width = rows * cols, how["width"]
    gelu_kernel[(triton.cdiv(n, width),)](
        x,
        y,
        n,
        WIDTH=width,
        EVEN=n % width == 0,
        POLICY=how["policy"],
        STORE=how["store"],
        num_warps=how["warps"],
    )


def matmul(a, b, c, m, n, k):
    torch.mm(a, b.t(), out=c)
