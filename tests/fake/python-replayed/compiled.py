# A kernel as Triton keeps one, for the driver of tests/fake: device code, and
# the function that it was loaded as. `kernel.cubin` is of tests/fake/softmax.
import ctypes

import torch

driver = ctypes.CDLL("/proc/self/fd/13")


class Config(ctypes.Structure):
    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("n", ctypes.c_uint),
    ]


class CompiledKernel:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.asm = {"cubin": f.read()}
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        driver.cuModuleLoadData(ctypes.byref(module), self.asm["cubin"])
        driver.cuModuleGetFunction(
            ctypes.byref(function), module, b"softmax_kernel"
        )
        self.function = function.value

    def launch(self, y, x):
        rows, cols = x.shape
        values = [
            ctypes.c_void_p(y.data_ptr()),
            ctypes.c_void_p(x.data_ptr()),
            ctypes.c_int(rows),
            ctypes.c_int(cols),
        ]
        places = (ctypes.c_void_p * 4)(*map(ctypes.addressof, values))
        one = (ctypes.c_uint * 3)(1, 1, 1)
        config = Config(one, one, 0, torch.cuda.current_stream(), None, 0)
        driver.cuLaunchKernelEx(
            ctypes.byref(config),
            ctypes.c_void_p(self.function),
            places,
            None,
        )
