# The same as users of PyTorch write it.
import torch
from torch.nn import functional


def softmax(x, y, rows, cols):
    y.copy_(torch.softmax(x, 1))


def layernorm(x, gamma, beta, y, rows, cols, eps):
    y.copy_(functional.layer_norm(x, (cols,), gamma, beta, eps))


def gelu(x, y, rows, cols):
    y.copy_(functional.gelu(x))
