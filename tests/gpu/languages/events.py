# Microseconds of a launch by CUDA events, in plain PyTorch:
#     python3 events.py softmax|matmul ROWS COLS
# It is launched on as many inputs as no cache holds, of the product as many as do
# not fit by far, or on SETS; times.py says in which ways. Otherwise a line for each of three
# places of the tensors in the card's memory, which is worth a percent.
import os
import sys

import torch

import kernel
from times import report, report_bursts

name, rows, cols = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def make():
    return torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16)


def launch(inputs, out):
    if name == "matmul":
        kernel.matmul(*inputs, out, rows, rows, cols)
    else:
        kernel.softmax(*inputs, out, rows, cols)


count = max(3, (256 << 20) // (4 * rows * cols) + 2)
if name == "matmul":
    count = 16
count = int(os.environ.get("SETS", count))
for place in range(3 - 2 * (name == "matmul")):
    between = torch.empty((place * 37 + 1) << 20, dtype=torch.uint8, device="cuda")
    sets = [[make() for _ in range(1 + (name == "matmul"))] for _ in range(count)]
    outs = [make() for _ in sets]
    launches = [lambda i=i, o=o: launch(i, o) for i, o in zip(sets, outs)]
    report(launches)
    if name == "matmul":
        report_bursts(launches, [a for s in sets for a in s])
    del launches, sets, outs
    torch.cuda.empty_cache()
