"""Holds the operator against the task's reference at every size that it was timed
at: `python3 tests/test_kernel.py`."""
import os
import sys
import unittest

import torch
from torch import library

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]
import task_reference
import @PACKAGE@ as package
from @PACKAGE@ import _call, _task

DEVICE = "cuda" if _task.IS_CUDA else "cpu"


def make_input(shape, strides, dtype, fill, low, high, seed, sizes, reference, name):
    """As the task's `fill` says, in a plain way."""
    generator = torch.Generator().manual_seed(seed)
    if fill == "generator":
        made = getattr(reference, "generate_" + name)(seed, *sizes)
    elif fill == "range":
        made = torch.randint(low, high + 1, shape, generator=generator)
    elif not _call._dtype(dtype).is_floating_point or fill == "small_ints":
        least = 0 if dtype.startswith("uint") else -4
        made = torch.randint(least, 5, shape, generator=generator)
    elif fill == "uniform":
        made = torch.rand(shape, generator=generator)
    else:
        scale = {"large": 1e4, "tiny": 1e-4}.get(fill, 1.0)
        made = torch.randn(shape, generator=generator, dtype=torch.float64) * scale
    out = _call._like(torch.empty(0, device=DEVICE), shape, strides, dtype)
    return out.copy_(made)


class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if _task.IS_CUDA and not torch.cuda.is_available():
            raise unittest.SkipTest("there is no GPU here")
        cls.reference = task_reference.load()
        cls.call = staticmethod(getattr(package, _task.NAME))

    def arguments(self, case, seed=1):
        sizes = dict(zip(_task.SYMBOLS, case))
        tensors = [
            make_input(*t, seed + i, case, self.reference, name)
            for i, (name, t) in enumerate(_task.inputs(**sizes).items())
        ]
        return tensors + [sizes[name] for name in _task.EXTRA]

    def outputs(self, arguments):
        """All that the kernel writes, in the task's order."""
        mine = [
            _call._like(a, a.shape, a.stride(), str(a.dtype)[6:]).copy_(a)
            if torch.is_tensor(a)
            else a
            for a in arguments
        ]
        made = self.call(*mine)
        made = [] if made is None else [made] if torch.is_tensor(made) else list(made)
        return [mine[i] if i >= 0 else made.pop(0) for i in _task.WRITTEN]

    def expected(self, name, arguments):
        made = getattr(self.reference, name)(*arguments)
        return [made] if torch.is_tensor(made) else list(made)

    def hold(self, got, right, plain, rule):
        self.assertEqual(got.shape, right.shape)
        if not got.dtype.is_floating_point and rule is None:
            self.assertTrue(torch.equal(got, right.to(got.dtype)))
            return
        off = (got.double() - right.double()).abs()
        self.assertFalse(torch.isnan(off).any() and not torch.isnan(right.double()).any())
        if rule is not None:
            absolute, relative = rule
            allowed = absolute + relative * right.double().abs()
        else:
            error = (plain.double() - right.double()).abs().max()
            step = torch.finfo(got.dtype).eps * right.double().abs().max()
            allowed = _task.FACTOR * error + step
        self.assertTrue(bool((off <= allowed).all()), f"off by {off.max()}")

    def test_it_computes_what_the_reference_does_in_every_case(self):
        for case in _task.CASES:
            arguments = self.arguments(case)
            right = self.expected("reference", arguments)
            plain = self.expected("plain", arguments) if _task.HAS_PLAIN else right
            got = self.outputs(arguments)
            self.assertEqual(len(got), len(right))
            for g, r, p, rule in zip(got, right, plain, _task.RULES):
                self.hold(g, r, p, rule)

    def test_its_outputs_are_known_without_running_it(self):
        arguments = self.arguments(_task.CASES[0])
        meta = [a.to("meta") if torch.is_tensor(a) else a for a in arguments]
        fake = self.call(*meta)
        real = self.call(*arguments)
        both = [(fake, real)] if torch.is_tensor(real) else zip(fake or (), real or ())
        for f, r in both:
            self.assertEqual(
                (f.shape, f.dtype, f.stride()), (r.shape, r.dtype, r.stride())
            )
            self.assertEqual(f.device.type, "meta")

    def test_other_sizes_go_to_the_fallback_or_are_refused_by_name(self):
        if not _task.SYMBOLS:
            self.skipTest("the kernel has one size")
        case = tuple(n * 2 + 1 for n in max(_task.CASES))
        sizes = dict(zip(_task.SYMBOLS, case))
        if _call.is_checked(**sizes):
            self.skipTest("the kernel takes sizes of any kind")
        meta = torch.empty(0, device="meta")
        arguments = [_call._like(meta, *t[:3]) for t in _task.inputs(**sizes).values()]
        arguments += [sizes[name] for name in _task.EXTRA]
        with self.assertRaisesRegex(ValueError, "only at "):
            self.call(*arguments)
        self.assertEqual(self.call(*arguments, fallback=lambda *a: "other"), "other")
        package.set_fallback(lambda *a: "set")
        self.assertEqual(self.call(*arguments), "set")
        package.set_fallback(None)

    def test_what_the_kernel_cannot_read_is_refused(self):
        arguments = self.arguments(_task.CASES[0])
        other = torch.int64 if arguments[0].dtype != torch.int64 else torch.float32
        with self.assertRaisesRegex(RuntimeError, "the kernel takes"):
            self.call(arguments[0].to(other), *arguments[1:])
        if arguments[0].dim() and arguments[0].shape[-1] > 1:
            wide = torch.stack([arguments[0], arguments[0]], -1)
            with self.assertRaisesRegex(RuntimeError, "contiguous|strides"):
                self.call(wide[..., 0], *arguments[1:])

    @unittest.skipUnless(hasattr(library, "opcheck"), "PyTorch has no opcheck")
    def test_pytorch_finds_nothing_wrong_with_the_operator(self):
        arguments = self.arguments(_task.CASES[0])
        if _task.PREPARED:
            made = package.prepare(*_task.prepare_arguments(*arguments))
            arguments += [made] if torch.is_tensor(made) else list(made)
        operators = getattr(torch.ops, _task.NAMESPACE)
        library.opcheck(getattr(operators, _task.NAME).default, tuple(arguments))


if __name__ == "__main__":
    unittest.main()
