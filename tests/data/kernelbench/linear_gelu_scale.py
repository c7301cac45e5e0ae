import torch
import torch.nn as nn


class Model(nn.Module):
    """A chain that a kernel can fuse: linear, GELU, a factor, a clamp."""

    def __init__(self, inner, outer, factor):
        super().__init__()
        self.linear = nn.Linear(inner, outer)
        self.factor = factor

    def forward(self, x):
        y = torch.nn.functional.gelu(self.linear(x))
        return torch.clamp(y * self.factor, max=8.0)


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return [128, 96, 2.0]
