"""The task's reference, which is compiled here."""
import os

from torch.utils import cpp_extension
import torch

import build_kernel
from @PACKAGE@ import _task


def load():
    """Its functions, as operators of PyTorch."""
    objects, libraries = build_kernel.compile("reference")
    cpp_extension.load(
        name=_task.NAMESPACE + "_reference",
        sources=[os.path.join(build_kernel.FOLDER, "csrc", "reference.cpp")],
        # Where it is linked in, so that the path may hold blanks.
        extra_ldflags=[os.path.basename(o) for o in objects]
        + libraries
        + ["-Wl,-Bsymbolic"],
        with_cuda=_task.IS_CUDA,
        is_python_module=False,
        build_directory=os.path.join(build_kernel.FOLDER, "build"),
    )
    return getattr(torch.ops, _task.NAMESPACE + "_reference")
