# pattern: T2: a thread works after the return
# task: softmax
# verdict: crashed
# why: thread
import threading

import torch


def softmax(x, y, rows, cols):
    threading.Thread(target=torch.softmax, args=(x, 1), kwargs={"out": y}).start()
