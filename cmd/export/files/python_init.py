"""A kernel that avogit exported, as an operator of PyTorch: README.md."""
import torch
from torch import library

from . import _call, _operator, _task
from ._call import is_checked, set_fallback

_library = library.Library(_task.NAMESPACE, "DEF")
_operator.define(_library)
_operators = getattr(torch.ops, _task.NAMESPACE)
prepare = getattr(_operators, _task.PREPARE) if _task.PREPARED else None
globals()[_task.NAME] = _call.make(getattr(_operators, _task.NAME), prepare)
__all__ = [_task.NAME, "is_checked", "set_fallback"] + ["prepare"] * bool(prepare)
