# pattern: E6: takes other CPUs than those of its turn, and a higher priority
# task: softmax
# verdict: pass|forbidden|crashed|build-failed
# faster: no
import os

import torch

for take in (
    lambda: os.sched_setaffinity(0, range(os.cpu_count())),
    lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)),
    lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
):
    try:
        take()
    except OSError:
        pass


def softmax(x, y, rows, cols):
    torch.softmax(x, 1, out=y)
