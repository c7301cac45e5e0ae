# Operators that tests/gpu/languages.sh measures: of Triton, and a product of PyTorch.
# Which layout of a row was the fastest is what tune.py printed on a card.
import torch
import triton
import triton.language as tl

# Threads in groups of 32; 0 stages: a row for each program, else so many programs
# take the rows in turn, and load that many ahead.
SOFTMAX = {"warps": 16, "stages": 0, "programs": 0, "policy": ""}
LAYERNORM = {"warps": 16, "stages": 2, "programs": 256, "policy": ""}
GELU = {"warps": 8, "width": 2048, "policy": ""}


@triton.jit
def softmax_row(x, y, row, cols, WIDTH: tl.constexpr, POLICY: tl.constexpr):
    at = row.to(tl.int64) * cols
    k = tl.arange(0, WIDTH)
    v = tl.load(
        x + at + k, mask=k < cols, other=-float("inf"), eviction_policy=POLICY
    ).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + at + k, e * (1 / tl.sum(e, 0)), mask=k < cols)


@triton.jit
def softmax_kernel(
    x, y, rows, cols, WIDTH: tl.constexpr, STAGES: tl.constexpr, POLICY: tl.constexpr
):
    row = tl.program_id(0)
    if STAGES == 0:
        softmax_row(x, y, row, cols, WIDTH, POLICY)
    else:
        for at in tl.range(row, rows, tl.num_programs(0), num_stages=STAGES):
            softmax_row(x, y, at, cols, WIDTH, POLICY)


@triton.jit
def layernorm_row(
    x, g, b, y, row, cols, eps, WIDTH: tl.constexpr, POLICY: tl.constexpr
):
    at = row.to(tl.int64) * cols
    k = tl.arange(0, WIDTH)
    there = k < cols
    v = tl.load(x + at + k, mask=there, other=0.0, eviction_policy=POLICY)
    v = v.to(tl.float32)
    apart = tl.where(there, v - tl.sum(v, 0) / cols, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, 0) / cols + eps)
    tl.store(
        y + at + k, apart * scale * g.to(tl.float32) + b.to(tl.float32), mask=there
    )


# gamma and beta are as long as a row: read for each row, they are twice as much to
# read from the cache as x is from memory. So a program reads them once.
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
    STAGES: tl.constexpr,
    POLICY: tl.constexpr,
):
    row = tl.program_id(0)
    k = tl.arange(0, WIDTH)
    g = tl.load(gamma + k, mask=k < cols, eviction_policy="evict_last")
    b = tl.load(beta + k, mask=k < cols, eviction_policy="evict_last")
    if STAGES == 0:
        layernorm_row(x, g, b, y, row, cols, eps, WIDTH, POLICY)
    else:
        for at in tl.range(row, rows, tl.num_programs(0), num_stages=STAGES):
            layernorm_row(x, g, b, y, at, cols, eps, WIDTH, POLICY)


# x Phi(x) is max(x, 0) - z Phi(-z) with z = |x|, and Phi(-z) a polynomial of
# 1 / (1 + 0.38 z) times exp(-z z / 2), off by 4e-5 of it from 0 to 14: nowhere the
# difference of two near numbers. The card has an instruction for each of the two.
@triton.jit
def gelu_kernel(x, y, n, WIDTH: tl.constexpr, POLICY: tl.constexpr):
    k = tl.program_id(0).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    v = tl.load(x + k, mask=k < n, other=0.0, eviction_policy=POLICY).to(tl.float32)
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
    tl.store(y + k, tl.maximum(v, 0.0) - z * (p * t * e), mask=k < n)


# How many programs, the width and the number of warps for rows of `cols`.
def shape(rows, cols, how):
    width = triton.next_power_of_2(cols)
    small = 8 if width > 1024 else 4
    return (
        (min(rows, how["programs"]) if how["stages"] else rows,),
        {
            "WIDTH": width,
            "STAGES": how["stages"],
            "POLICY": how["policy"],
            "num_warps": how["warps"] if width > 4096 else small,
        },
    )


def softmax(x, y, rows, cols, how=SOFTMAX):
    grid, options = shape(rows, cols, how)
    softmax_kernel[grid](x, y, rows, cols, **options)


def layernorm(x, gamma, beta, y, rows, cols, eps, how=LAYERNORM):
    grid, options = shape(rows, cols, how)
    layernorm_kernel[grid](x, gamma, beta, y, rows, cols, eps, **options)


def gelu(x, y, rows, cols, how=GELU):
    n = rows * cols
    gelu_kernel[(triton.cdiv(n, how["width"]),)](
        x, y, n, WIDTH=how["width"], POLICY=how["policy"], num_warps=how["warps"]
    )


def matmul(a, b, c, m, n, k):
    torch.mm(a, b.t(), out=c)
