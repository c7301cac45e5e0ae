import torch


def right(x, y, rows, cols):
    y.copy_(torch.softmax(x.double(), 1))


def plain(x, y, rows, cols):
    y.copy_(torch.softmax(x, 1))
