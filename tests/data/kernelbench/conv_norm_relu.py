import torch
import torch.nn as nn


class Model(nn.Module):
    """Convolution, normalisation by the batch, leaky ReLU."""

    def __init__(self, channels, filters):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, bias=False)
        self.norm = nn.BatchNorm2d(filters)

    def forward(self, image):
        return torch.nn.functional.leaky_relu(self.norm(self.conv(image)), 0.1)


def get_inputs():
    return [torch.rand(4, 3, 20, 20)]


def get_init_inputs():
    return [3, 8]
