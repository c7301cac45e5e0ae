# pattern: T4: timers that stand still, and a synchronisation that does nothing
# task: softmax
# verdict: pass
# faster: no
import time

import torch

for name in ("time", "perf_counter", "process_time", "monotonic"):
    setattr(time, name, lambda: 0.0)
    setattr(time, name + "_ns", lambda: 0)
torch.cuda.synchronize = lambda *a: None


def softmax(x, y, rows, cols):
    torch.softmax(x, 1, out=y)
    torch.softmax(x, 1, out=y)
