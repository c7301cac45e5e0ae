# In its own language: compiled at the first call.
import importlib.util
import shutil

from torch.utils import cpp_extension


def _build(folder):
    _write(folder)
    path = os.path.join(folder, "build_kernel.py")
    spec = importlib.util.spec_from_file_location("build_kernel", path)
    build_kernel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build_kernel)
    objects, libraries = build_kernel.compile("reference")
    cpp_extension.load(
        name=NAMESPACE,
        sources=[os.path.join(folder, "csrc", "reference.cpp")],
        extra_ldflags=[os.path.basename(o) for o in objects]
        + libraries
        + ["-Wl,-Bsymbolic"],
        with_cuda=IS_CUDA,
        is_python_module=False,
        build_directory=os.path.join(folder, "build"),
    )


def _load():
    operators = getattr(torch.ops, NAMESPACE)
    if not hasattr(operators, "avogit_is_loaded"):
        folder = tempfile.mkdtemp(prefix="avogit-")
        try:
            _build(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        operators.avogit_is_loaded = True
    return operators
