# Runs a problem in the form of KernelBench (Model, get_inputs, get_init_inputs)
# and says what it is, as JSON to descriptor 3: types and shapes of what goes in
# and comes out, and where its own check would accept what is wrong. avogit
# starts it in the sandbox and takes nothing of what it says on trust: the
# problem is code of a stranger and runs in this process.

import copy
import importlib.util
import inspect
import json
import keyword
import math
import os
import random
import re
import sys

RESULT_FD = 3
TRIALS = 5
# The tolerance of KernelBench's own check.
LOOSE = {"rtol": 1e-2, "atol": 1e-2, "equal_nan": True}
MOST_ARGUMENTS = 32
# A tensor of the model that changes outputs, in double, by a smaller share of
# the largest changes nothing: a bias that a normalisation takes out, say.
TOO_LITTLE = 1e-6
TYPES = {
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "bfloat16": "bf16",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
}


class Refusal(Exception):
    """The problem has no such form; its text is one sentence."""


def seed_all(seed):
    torch.manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def load(path):
    spec = importlib.util.spec_from_file_location("problem", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["problem"] = module
    spec.loader.exec_module(module)
    for name in ("Model", "get_inputs", "get_init_inputs"):
        if not callable(getattr(module, name, None)):
            raise Refusal("it defines no %s" % name)
    return module


def same(a, b, share=0.0):
    """Bit for bit, NaN like NaN; or but for this share of the largest value."""
    for x, y in zip(a, b):
        x, y = x.double(), y.double()
        far = share * x.nan_to_num(0, 0, 0).abs().max().item() if share else 0
        if not torch.allclose(x, y, rtol=0, atol=far, equal_nan=True):
            return False
    return True


def alike(a, b):
    return all(
        torch.allclose(x.double(), y.double(), **LOOSE) for x, y in zip(a, b)
    )


def is_tensor(x):
    return isinstance(x, torch.Tensor)


class Problem:
    def __init__(self, path):
        self.module = load(path)
        self.model = self.make_model()
        self.start = self.tensors(self.model)
        self.start = {k: v.detach().clone() for k, v in self.start.items()}

    def make_model(self):
        seed_all(0)
        return self.module.Model(*self.module.get_init_inputs())

    def draw(self, seed):
        seed_all(seed)
        inputs = self.module.get_inputs()
        if not isinstance(inputs, (list, tuple)):
            raise Refusal("get_inputs returns no list")
        return list(inputs)

    @staticmethod
    def tensors(model):
        found = dict(model.named_parameters())
        found.update(model.named_buffers())
        return found

    def run(self, inputs, seed=0, state=None, model=None):
        """The outputs, from the tensors that the model began with."""
        model = model or self.model
        for name, tensor in self.tensors(model).items():
            value = (state or self.start)[name]
            tensor.data = value.detach().clone().to(tensor.dtype)
        seed_all(seed)
        with torch.no_grad():
            made = model(*[copy.deepcopy(x) for x in inputs])
        if is_tensor(made):
            made = [made]
        if not isinstance(made, (list, tuple)) or not all(map(is_tensor, made)):
            raise Refusal("forward returns what is not a tensor")
        if not made:
            raise Refusal("forward returns nothing")
        return [m.detach().clone() for m in made]


def type_of(tensor, what):
    name = str(tensor.dtype).replace("torch.", "")
    if name not in TYPES:
        raise Refusal("%s is of type %s, which no task has" % (what, name))
    return TYPES[name]


def shape_of(tensor, what):
    shape = [int(n) for n in tensor.shape]
    if 0 in shape:
        raise Refusal("%s has no elements" % what)
    return shape


# ---- names ----------------------------------------------------------------------


class Names:
    def __init__(self):
        self.taken = {"wide"}

    def add(self, wish):
        name = re.sub(r"\W", "_", wish, flags=re.ASCII)[:32].strip("_") or "t"
        if not name[0].isalpha() or keyword.iskeyword(name):
            name = "t_" + name
        free, n = name, 1
        while free in self.taken:
            n += 1
            free = "%s_%d" % (name, n)
        self.taken.add(free)
        return free


def forward_names(model, n):
    try:
        names = list(inspect.signature(model.forward).parameters.values())
    except (TypeError, ValueError):
        names = []
    plain = [p.name for p in names if p.kind is p.POSITIONAL_OR_KEYWORD]
    return (plain + ["x%d" % i for i in range(len(plain), n)])[:n]


# ---- what goes in and comes out ---------------------------------------------------


class Range:
    """What was seen of an input in all draws."""

    def __init__(self):
        self.low, self.high = math.inf, -math.inf

    def see(self, tensor):
        self.low = min(self.low, tensor.min().item())
        self.high = max(self.high, tensor.max().item())


def describe_tensor(name, tensor, seen):
    out = {
        "name": name,
        "dtype": type_of(tensor, "`%s`" % name),
        "shape": shape_of(tensor, "`%s`" % name),
    }
    if seen and not tensor.is_floating_point():
        out["low"], out["high"] = int(seen.low), int(seen.high)
    elif seen:
        out["uniform"] = seen.low >= 0 and seen.low < seen.high
    return out


def describe_input(name, value, seen):
    if is_tensor(value):
        return describe_tensor(name, value, seen)
    if isinstance(value, bool):
        return {"value": "True" if value else "False"}
    if isinstance(value, int):
        return {"value": str(value)}
    if isinstance(value, float) and math.isfinite(value):
        return {"value": repr(value)}
    raise Refusal("`%s` of get_inputs is neither a tensor nor a number" % name)


# ---- where it is weak -----------------------------------------------------------


def other_like(tensor, seed):
    seed_all(seed)
    if tensor.is_floating_point():
        return tensor + torch.randn(tensor.shape).to(tensor.dtype)
    return tensor.flip(0) if tensor.dim() else tensor + 1


def look_at_inputs(p, names, first, outputs, weak):
    second = p.draw(2)
    for i, value in enumerate(first):
        if not is_tensor(value):
            continue
        changed = list(first)
        changed[i] = second[i]
        if same([value], [second[i]]):
            weak.append({"kind": "fixed", "name": names[i]})
            changed[i] = other_like(value, 3)
        made = p.run(changed)
        if same(outputs, made):
            weak.append({"kind": "ignored", "name": names[i]})
        elif alike(outputs, made):
            weak.append({"kind": "hardly_used", "name": names[i]})


def look_at_trials(p, names, first, outputs, ranges, weak):
    """As many trials as KernelBench makes."""
    zeros = constant = loose = True
    varied = False
    for trial in range(TRIALS):
        inputs = first if trial == 0 else p.draw(1 + trial)
        made = outputs if trial == 0 else p.run(inputs)
        for x, y, r in zip(inputs, first, ranges):
            if is_tensor(x) and x.numel():
                r.see(x)
                varied = varied or not same([x], [y])
        zeros = zeros and alike(made, [torch.zeros_like(m) for m in made])
        constant = constant and same(made, outputs)
        loose = loose and alike(made, outputs)
    if zeros:
        weak.append({"kind": "zeros"})
    if constant and varied:
        weak.append({"kind": "constant"})
    elif loose and varied:
        weak.append({"kind": "hardly_varies"})


def look_at_forward(p, first, outputs, weak):
    if not same(outputs, p.run(first, seed=77)):
        weak.append({"kind": "random"})
    kept = [copy.deepcopy(x) for x in first]
    with torch.no_grad():
        p.model(*kept)
    for x, y in zip(kept, first):
        if is_tensor(x) and not same([x], [y]):
            weak.append({"kind": "writes_input"})
            return


def widened(model):
    """In double, with tensors that are neither parameters nor buffers."""
    model = copy.deepcopy(model).double()
    for module in model.modules():
        for name, value in list(vars(module).items()):
            if is_tensor(value) and value.is_floating_point():
                setattr(module, name, value.double())
    return model


def run_wide(p, inputs, model, state=None):
    wide = [
        x.double() if is_tensor(x) and x.is_floating_point() else x
        for x in inputs
    ]
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return p.run(wide, model=model, state=state)
    finally:
        torch.set_default_dtype(usual)


def look_at_double(p, first, outputs, weak):
    try:
        made = run_wide(p, first, widened(p.model))
    except Refusal:
        raise
    except Exception:
        weak.append({"kind": "no_double"})
        return
    for m, o in zip(made, outputs):
        if o.is_floating_point() and m.dtype != torch.float64:
            weak.append({"kind": "no_double"})
            return
    if not alike(made, outputs):
        weak.append({"kind": "double_differs"})


# ---- the model's own tensors --------------------------------------------------------


def state_of(p, first, names, room):
    """Those that change an output become arguments; others stay in the model,
    as all do where there are too many."""
    tensors = p.tensors(p.model)
    p.run(first)
    fixed = [n for n, t in tensors.items() if not same([t], [p.start[n]])]
    keys = [n for n, t in tensors.items() if n not in fixed and t.numel()]
    if len(keys) > room:
        return [], len(keys)
    found = []
    wide = widened(p.model)
    right = run_wide(p, first, wide)
    for key in keys:
        value = p.start[key]
        state = dict(p.start)
        state[key] = other_like(value, 5)
        if same(right, run_wide(p, first, wide, state), TOO_LITTLE):
            continue
        if not re.fullmatch(r"[A-Za-z0-9_.]{1,200}", key):
            raise Refusal("a tensor of the model has an unusual name")
        seen = Range()
        seen.see(value)
        one = describe_tensor(names.add(key), value, seen)
        one["key"] = key
        if "uniform" in one:
            one["uniform"] = key.endswith("running_var")
        found.append(one)
    return found, 0


def describe(path):
    p = Problem(path)
    names, weak = Names(), []
    first = p.draw(1)
    called = [names.add(n) for n in forward_names(p.model, len(first))]
    outputs = p.run(first)
    ranges = [Range() for _ in first]
    look_at_forward(p, first, outputs, weak)
    look_at_trials(p, called, first, outputs, ranges, weak)
    look_at_inputs(p, called, first, outputs, weak)
    look_at_double(p, first, outputs, weak)
    inputs = [describe_input(*x) for x in zip(called, first, ranges)]
    used = sum("value" not in x for x in inputs) + len(outputs)
    state, left = [], 0
    if not any(w["kind"] == "no_double" for w in weak):
        state, left = state_of(
            p, first, names, max(MOST_ARGUMENTS - used, 0)
        )
    made = [describe_tensor(names.add("out"), o, None) for o in outputs]
    return {
        "inputs": inputs,
        "state": state,
        "state_left": left,
        "outputs": made,
        "weak": weak,
        "torch": str(torch.__version__),
    }


def words_of(error, path):
    text = str(error).strip().split("\n")[0]
    line = 0
    step = error.__traceback__
    while step:
        if step.tb_frame.f_code.co_filename == os.path.abspath(path):
            line = step.tb_lineno
        step = step.tb_next
    where = "line %d: " % line if line else ""
    return "%s%s: %s" % (where, type(error).__name__, text)


def main():
    global torch
    sys.dont_write_bytecode = True
    path = os.path.abspath(sys.argv[1])
    try:
        import torch
    except ImportError:
        found = {"error": "this Python has no PyTorch"}
    else:
        try:
            found = describe(path)
        except Refusal as e:
            found = {"error": str(e)}
        except Exception as e:
            found = {"error": words_of(e, path)}
    with os.fdopen(RESULT_FD, "w") as f:
        json.dump(found, f)


main()
