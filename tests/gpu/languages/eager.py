# The same as users of PyTorch write it. What has a form that writes its output is
# called so, since copying a result would be half as much work again; what
# torch.compile makes of a copy copies nothing.
import torch
from torch.nn import functional


def softmax(x, y, rows, cols):
    torch.softmax(x, 1, out=y)


def layernorm(x, gamma, beta, y, rows, cols, eps):
    y.copy_(functional.layer_norm(x, (cols,), gamma, beta, eps))


def gelu(x, y, rows, cols):
    torch._C._nn.gelu(x, out=y)


def softmax_compiled(x, y, rows, cols):
    y.copy_(torch.softmax(x, 1))


def layernorm_compiled(x, gamma, beta, y, rows, cols, eps):
    y.copy_(functional.layer_norm(x, (cols,), gamma, beta, eps))


def gelu_compiled(x, y, rows, cols):
    y.copy_(functional.gelu(x))
