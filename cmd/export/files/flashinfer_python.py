"""A kernel in Python that avogit exported, as a Solution of FlashInfer-Bench."""
from . import _operator

_kernel = _operator.entry()
