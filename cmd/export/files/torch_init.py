"""A kernel that avogit exported, as an operator of PyTorch: README.md."""
import glob
import os

import torch
from torch import library

from . import _call, _task
from ._call import is_checked, set_fallback

_built = sorted(glob.glob(os.path.join(os.path.dirname(__file__), "_C*.so")))
if not _built:
    raise ImportError(
        f"{__name__} is not built: `pip install .` or "
        "`python3 setup.py build_ext --inplace` in its folder"
    )
torch.ops.load_library(_built[0])
_operators = getattr(torch.ops, _task.NAMESPACE)

_library = library.Library(_task.NAMESPACE, "IMPL")
_call.register(_library, _task.NAME, _call.fake)
prepare = None
if _task.PREPARED:
    _call.register(_library, _task.PREPARE, _call.fake_prepare)
    prepare = getattr(_operators, _task.PREPARE)
globals()[_task.NAME] = _call.make(getattr(_operators, _task.NAME), prepare)
__all__ = [_task.NAME, "is_checked", "set_fallback"] + ["prepare"] * bool(prepare)
