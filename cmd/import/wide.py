

# ---- written by `avogit import` ------------------------------------------------
# A problem in double.

import torch as _torch
import torch.overrides as _overrides


class _AvogitWide(getattr(_overrides, "TorchFunctionMode", object)):
    """Conversions to narrower types inside of the problem keep double, whose result
    is right whatever it rounds in between. PyTorch before 1.13 has nothing
    like it."""

    NAMED = {
        _torch.float32: _torch.float64,
        _torch.float16: _torch.float64,
        _torch.bfloat16: _torch.float64,
        _torch.complex64: _torch.complex128,
    }
    CALLED = (_torch.Tensor.float, _torch.Tensor.half, _torch.Tensor.bfloat16)

    def wide(self, value):
        if isinstance(value, _torch.dtype):
            return self.NAMED.get(value, value)
        return value

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if any(func is one for one in self.CALLED):
            return args[0].double()
        if func is not _torch.Tensor.view:  # which reads the same bits otherwise
            args = [self.wide(x) for x in args]
            kwargs = {k: self.wide(x) for k, x in kwargs.items()}
        return func(*args, **kwargs)

    if not hasattr(_overrides, "TorchFunctionMode"):

        def __enter__(self):
            return self

        def __exit__(self, *what):
            return None


def _avogit_widen(model):
    """Made double, with tensors that are neither parameters nor buffers. No copy: in
    one a function that the model keeps would still have the modules of this."""
    model = model.double()
    for module in model.modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, _torch.Tensor) and value.is_floating_point():
                setattr(module, name, value.double())
    return model
