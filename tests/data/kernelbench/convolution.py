import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, filters, size):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, size, padding=1)

    def forward(self, image):
        return self.conv(image)


def get_inputs():
    return [torch.randn(2, 8, 32, 32)]


def get_init_inputs():
    return [8, 16, 3]
