# pattern: T2: a thread from when it was imported
# task: softmax
# verdict: build-failed
# why: thread
import threading
import time

import torch

work = []


def wait():
    while True:
        while work:
            x, y = work.pop()
            torch.softmax(x, 1, out=y)
        time.sleep(0.0001)


threading.Thread(target=wait, daemon=True).start()


def softmax(x, y, rows, cols):
    work.append((x, y))
