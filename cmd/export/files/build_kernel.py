"""Compiles the kernel by the commands of build.json: with the compiler and the
flags that it was measured with, which are not those of PyTorch's extensions."""
import json
import os
import shutil
import subprocess

FOLDER = os.path.dirname(os.path.abspath(__file__))


def program(name):
    """nvcc may lie in the toolkit only."""
    if name == "nvcc" and not shutil.which(name):
        from torch.utils.cpp_extension import CUDA_HOME

        return os.path.join(CUDA_HOME or "/usr/local/cuda", "bin", "nvcc")
    return name


def compile(part):
    """Runs the commands of "kernel" or "reference"; returns what a linker
    needs: objects, libraries."""
    with open(os.path.join(FOLDER, "build.json"), encoding="utf-8") as f:
        build = json.load(f)[part]
    os.makedirs(os.path.join(FOLDER, "build"), exist_ok=True)
    for command in build["commands"]:
        subprocess.run([program(command[0])] + command[1:], cwd=FOLDER, check=True)
    objects = [os.path.join(FOLDER, o) for o in build["objects"]]
    return objects, build["libraries"]
