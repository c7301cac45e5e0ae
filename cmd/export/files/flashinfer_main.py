"""A kernel that avogit exported, as a Solution of FlashInfer-Bench."""
import fcntl
import os

import torch
from torch.utils import cpp_extension

from . import build_kernel


def _load(name, is_cuda):
    """Builds the kernel by build.json and the operator around it."""
    operators = getattr(torch.ops, name)
    if hasattr(operators, "avogit_is_loaded"):
        return operators
    folder = os.path.join(build_kernel.FOLDER, "build")
    os.makedirs(folder, exist_ok=True)
    # Benchmarks start several processes on one folder. PyTorch has a file `lock`.
    with open(os.path.join(folder, "avogit.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        objects, libraries = build_kernel.compile("kernel")
        cpp_extension.load(
            name=name,
            sources=[os.path.join(build_kernel.FOLDER, "csrc", "binding.cpp")],
            # Where it is linked in, so that the path may hold blanks.
            extra_ldflags=[os.path.basename(o) for o in objects]
            + libraries
            + ["-Wl,-Bsymbolic"],
            with_cuda=is_cuda,
            is_python_module=False,
            build_directory=folder,
        )
    operators.avogit_is_loaded = True
    return operators
