"""Builds the operator: the kernel by build.json, the binding by PyTorch."""
import json
import os
import sys

from setuptools import setup
from torch.utils import cpp_extension

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build_kernel

with open(os.path.join(build_kernel.FOLDER, "export.json"), encoding="utf-8") as f:
    facts = json.load(f)
is_cuda = facts["language"] == "CUDA"
objects, libraries = build_kernel.compile("kernel")
extension = cpp_extension.CUDAExtension if is_cuda else cpp_extension.CppExtension

setup(
    name=facts["package"],
    version="0.0.0+" + facts["commit"][:12],
    packages=[facts["package"]],
    ext_modules=[
        extension(
            facts["package"] + "._C",
            ["csrc/binding.cpp"],
            extra_objects=objects,
            extra_link_args=libraries + ["-Wl,-Bsymbolic"],
        )
    ],
    cmdclass={"build_ext": cpp_extension.BuildExtension},
    zip_safe=False,
)
