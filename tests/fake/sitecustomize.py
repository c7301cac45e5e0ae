# Makes the PyTorch of a machine without a GPU look like one with the card of
# tests/fake/cuda.h, whose memory is the host's: for the runner of Python in a
# task with `device: cuda`.
import ctypes
import importlib.machinery
import sys


class Streams:
    """The stream that a `with` makes current."""

    current = None

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        Streams.current, self.stream = self.stream, Streams.current

    def __exit__(self, *raised):
        Streams.current = self.stream


def on_card(torch):
    def without_device(real):
        def function(*arguments, device=None, **named):
            return real(*arguments, **named)

        return function

    def as_tensor(data, device=None, **named):
        memory = getattr(data, "__cuda_array_interface__", None)
        if memory is None:
            return real_as_tensor(data, **named)
        size = memory["shape"][0]
        place = (ctypes.c_char * size).from_address(memory["data"][0])
        return torch.frombuffer(place, dtype=torch.uint8)

    def to(tensor, *arguments, **named):
        if arguments == ("cuda",):
            return tensor.clone()
        return real_to(tensor, *arguments, **named)

    def compiled(function, mode):
        if mode not in ("default", "reduce-overhead", "max-autotune"):
            raise RuntimeError("Unrecognized mode=%s" % mode)
        return function

    def init():
        driver = ctypes.CDLL("/proc/self/fd/13")
        context = ctypes.c_void_p()
        if driver.cuInit(0) or driver.cuDevicePrimaryCtxRetain(
            ctypes.byref(context), 0
        ):
            raise RuntimeError("the driver\nsays no")
        driver.cuCtxSetCurrent(context)

    real_as_tensor, real_to = torch.as_tensor, torch.Tensor.to
    torch.as_tensor = as_tensor
    torch.Tensor.to = to
    torch.zeros = without_device(torch.zeros)
    torch.empty = without_device(torch.empty)
    torch.compile = compiled
    torch.version.cuda = "13.0"
    torch.cuda.init = init
    torch.cuda.synchronize = lambda: None
    torch.cuda.ExternalStream = lambda stream: stream
    torch.cuda.stream = Streams
    torch.cuda.current_stream = lambda: Streams.current


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        real = spec.loader.exec_module

        def exec_module(module):
            real(module)
            on_card(module)

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder)
