# Microseconds of a call of the operator in an exported package, in a Python that has
# nothing else of avogit: python3 exported.py PACKAGE ROWS COLS
import sys

import torch

sys.path.insert(0, sys.argv[1])
import avogit_softmax

from times import report

rows, cols = int(sys.argv[2]), int(sys.argv[3])
count = max(3, (256 << 20) // (4 * rows * cols) + 2)
inputs = [
    torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16) for _ in range(count)
]
report([lambda x=x: avogit_softmax.softmax(x) for x in inputs])
