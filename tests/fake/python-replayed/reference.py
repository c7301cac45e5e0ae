import torch


def right(x, y):
    y.copy_(torch.softmax(x.double(), 1))


def plain(x, y):
    torch.softmax(x, 1, out=y)
