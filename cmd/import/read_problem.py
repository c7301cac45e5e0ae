# Runs a problem in the form of KernelBench (Model, get_inputs, get_init_inputs)
# and says what it is, as JSON to descriptor 3: types and shapes of what goes in
# and comes out, and where its own check would accept what is wrong. With a
# question (a file in JSON) the problem has sizes, which a list SHAPES gives it.
# avogit starts it in the sandbox and takes nothing of what it says on trust: the
# problem is code of a stranger and runs in this process.

import ast
import copy
import importlib.util
import inspect
import json
import keyword
import linecache
import math
import os
import random
import re
import sys
import time

RESULT_FD = 3
SHAPES = "shapes.py"
WIDE = "avogit_wide.py"
MOST_CASES = 8
LARGEST_SIZE = 2**39
TRIALS = 5
SECONDS_OF_SIZES = 10
# The tolerance of KernelBench's own check.
LOOSE = {"rtol": 1e-2, "atol": 1e-2}
MOST_ARGUMENTS = 32
# A tensor of the model that changes outputs, in double, by a smaller share of
# the largest changes nothing: a bias that a normalisation takes out, say.
TOO_LITTLE = 1e-6
TYPES = {
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8e4m3",
    "float8_e5m2": "f8e5m2",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "bool": "u8",  # 0 or 1: "truth" says so
}


class Refusal(Exception):
    """The problem has no such form; its text is one sentence."""


def seed_all(seed):
    torch.manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def load_module(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load(path):
    module = load_module(path, "problem")
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


def alike(a, b, rules=None):
    """By KernelBench's rule, or by that of the type of each in b."""
    for x, y in zip(a, b):
        name = TYPES.get(str(y.dtype).replace("torch.", ""))
        rule = (rules or {}).get(name, LOOSE)
        if not torch.allclose(x.double(), y.double(), equal_nan=True, **rule):
            return False
    return True


def is_tensor(x):
    return isinstance(x, torch.Tensor)


def is_truth(x):
    return is_tensor(x) and x.dtype == torch.bool


def comparable(tensor):
    """Of a type that has a smallest and a largest, which small ones lack."""
    if tensor.is_floating_point():
        return tensor.double()
    return tensor.to(torch.uint8) if is_truth(tensor) else tensor


def no_operators(names):
    """The places of those that this PyTorch does not have, in any form."""
    has = {
        s.name.rpartition("::")[2].strip("_")
        for s in torch._C._jit_get_all_schemas()
        if s.name.startswith("aten::")
    }
    return [i for i, name in enumerate(names) if name.strip("_") not in has]


class Problem:
    def __init__(self, path, question):
        self.path = path
        self.rules = question.get("tolerance", {})
        self.load()

    def load(self):
        """Anew, without what an earlier call left in the module."""
        self.module = load(self.path)

    def begin(self, sizes):
        """Makes the model of these sizes: {global of the module: size}."""
        for name, size in sizes.items():
            setattr(self.module, name, size)
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
        if not any(map(is_tensor, inputs)):
            raise Refusal(
                "get_inputs returns no tensor, so that no kernel could be called: "
                "have it return what one call of forward takes"
            )
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
    def __init__(self, sizes):
        """Those of sizes are arguments, too."""
        self.sizes = list(sizes)
        self.taken = {"wide"} | set(sizes)

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
        tensor = comparable(tensor)
        self.low = min(self.low, tensor.min().item())
        self.high = max(self.high, tensor.max().item())


def describe_tensor(name, tensor, seen):
    out = {
        "name": name,
        "dtype": type_of(tensor, "`%s`" % name),
        "shape": shape_of(tensor, "`%s`" % name),
    }
    if is_truth(tensor):
        out["truth"], out["low"], out["high"] = True, 0, 1
    elif seen and not tensor.is_floating_point():
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
        noise = torch.randn(tensor.shape).double()
        return (tensor.double() + noise).to(tensor.dtype)
    if is_truth(tensor):
        return ~tensor
    other = tensor.flip(0) if tensor.dim() else tensor + 1
    # Lengths that are all one: shorter ones are as valid.
    return tensor - 1 if same([tensor], [other]) and tensor.min() > 0 else other


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
        elif alike(outputs, made, p.rules):
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
        none = [torch.zeros_like(m) for m in made]
        zeros = zeros and alike(made, none, p.rules)
        constant = constant and same(made, outputs)
        loose = loose and alike(made, outputs, p.rules)
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


def run_wide(p, inputs, model, state=None):
    wide = [
        x.double() if is_tensor(x) and x.is_floating_point() else x
        for x in inputs
    ]
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with in_double._AvogitWide():
            return p.run(wide, model=model, state=state)
    finally:
        torch.set_default_dtype(usual)


def look_at_double(p, first, outputs, weak):
    try:
        made = run_wide(p, first, in_double._avogit_widen(p.make_model()))
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


def is_mask(tensor):
    """Two values, as a causal mask has them. Drawn at random it would be none: a
    kernel that does not look at it would pass."""
    all_values = tensor.double().reshape(-1)
    other = all_values[all_values != all_values[:1]]
    return other.numel() > 0 and bool((other == other[0]).all())


def is_key(name):
    return re.fullmatch(r"[A-Za-z0-9_.]{1,200}", name)


def state_of(p, first, names, room, exact):
    """Those that change an output become arguments; masks among the buffers, and
    others, stay in the model, as all do where there are too many: the list of
    what became one, how many were too many, and the masks. `exact`: it computes
    in double."""
    tensors = p.tensors(p.model)
    p.run(first)
    fixed = [n for n, t in tensors.items() if not same([t], [p.start[n]])]
    keys = [n for n, t in tensors.items() if n not in fixed and t.numel()]
    buffers = dict(p.model.named_buffers())
    masks = [n for n in keys if n in buffers and is_mask(p.start[n])]
    keys = [n for n in keys if n not in masks]
    if len(keys) > room:
        return [], len(keys), masks
    found = []
    wide = in_double._avogit_widen(p.make_model()) if exact else None

    def outputs(state):
        if exact:
            return run_wide(p, first, wide, state)
        return p.run(first, state=state)

    right = outputs(None)
    for key in keys:
        value = p.start[key]
        state = dict(p.start)
        state[key] = other_like(value, 5)
        if same(right, outputs(state), TOO_LITTLE):
            continue
        if not is_key(key):
            raise Refusal("a tensor of the model has an unusual name")
        seen = Range()
        seen.see(value)
        one = describe_tensor(names.add(key), value, seen)
        one["key"] = key
        if "uniform" in one:
            one["uniform"] = key.endswith("running_var")
        found.append(one)
    return found, 0, masks


# ---- sizes ------------------------------------------------------------------------


def is_size(value):
    return type(value) is int and 1 <= value <= LARGEST_SIZE


def global_of(module, name):
    """The number of the module that is meant: M is M, and batch may be BATCH."""
    numbers = [k for k, v in vars(module).items() if is_size(v)]
    if name in numbers:
        return name
    alike = [k for k in numbers if k.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else None


def names_in(formula):
    try:
        tree = ast.parse(formula, mode="eval")
    except (SyntaxError, ValueError, TypeError):
        return []
    return [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)]


class Sizes:
    """What shapes.py gives the problem, and what its formulas need."""

    def __init__(self, module, formulas):
        self.module = module
        self.cases, self.left = [{}], 0
        if os.path.exists(SHAPES):
            self.read()
        self.globals, self.passed_over = {}, []
        for one in self.cases:
            for name in one:
                self.add(name)
        for formula in formulas:
            for name in names_in(formula):
                if global_of(module, name):
                    self.add(name)
        cases = [self.whole(one) for one in self.cases]
        self.cases = [c for i, c in enumerate(cases) if c not in cases[:i]]
        self.left = len(self.cases[MOST_CASES:])
        self.cases = self.cases[:MOST_CASES]
        if len(self.passed_over) > MOST_ARGUMENTS:
            raise Refusal("SHAPES gives too many names")

    def read(self):
        cases = getattr(load_module(os.path.abspath(SHAPES), "shapes"), "SHAPES", 0)
        if not isinstance(cases, (list, tuple)) or not cases:
            raise Refusal("shapes.py defines no list SHAPES")
        for one in cases:
            if not isinstance(one, dict):
                raise Refusal("SHAPES holds what is not a dict")
        self.cases = list(cases)

    def add(self, name):
        if not isinstance(name, str) or not re.fullmatch(
            r"[A-Za-z][A-Za-z0-9_]{0,31}", name
        ):
            raise Refusal("SHAPES has a size whose name is not a word")
        if keyword.iskeyword(name) or name in ("count", "weight"):
            raise Refusal("SHAPES has a size `%s`, which no task may" % name)
        found = global_of(self.module, name)
        if not found and any(
            k.lower() == name.lower() and not callable(v)
            for k, v in vars(self.module).items()
        ):
            raise Refusal(
                "SHAPES gives `%s`, which is not a whole number above 0 in "
                "reference.py" % name
            )
        if not found:  # what another program of the board reads
            if name not in self.passed_over:
                self.passed_over.append(name)
            return
        self.globals[name] = found

    def whole(self, one):
        """A size that SHAPES leaves out is the module's own."""
        full = {}
        for name, found in self.globals.items():
            full[name] = one.get(name, getattr(self.module, found))
            if not is_size(full[name]):
                raise Refusal("SHAPES: `%s` is not a whole number above 0" % name)
        return full

    def of_module(self, one):
        return {self.globals[name]: size for name, size in one.items()}

    def work(self, formula):
        """Of every case; None where it cannot be said."""
        try:
            code = compile(formula, "formula", "eval")
            made = [
                float(eval(code, {"__builtins__": {}}, dict(one)))
                for one in self.cases
            ]
        except Exception:
            return None
        return made if all(map(math.isfinite, made)) else None


def no_memory(modes):
    """A mode in which tensors of floats that are made have no memory: all that a
    case is looked at for are shapes, and the ranges of integers."""

    class NoMemory(modes):
        USUAL = (torch.rand, torch.randn, torch.empty, torch.zeros, torch.ones)

        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            dtype = kwargs.get("dtype")
            floats = func in self.USUAL if dtype is None else dtype.is_floating_point
            mine = func in self.USUAL or func is torch.full
            if mine and floats and str(kwargs.get("device") or "cpu") == "cpu":
                kwargs["device"] = "meta"
            return func(*args, **kwargs)

    return NoMemory()


def meta_of(value, integers):
    if is_tensor(value) and (integers or value.is_floating_point()):
        return value.to("meta")
    return value


def outputs_at(p, inputs):
    """Shapes and types are all that counts: on the device without memory, if
    the model can. It may look at integers: where its loops end, say."""
    for integers in (True, False):
        try:
            model = copy.deepcopy(p.model).to("meta")
            with torch.no_grad():
                made = model(*[meta_of(x, integers) for x in inputs])
            made = [made] if is_tensor(made) else list(made)
            if made and all(map(is_tensor, made)):
                return made
        except Exception:
            pass
    return p.run(inputs)


def range_at(tensor):
    if not is_tensor(tensor) or tensor.is_floating_point() or not tensor.numel():
        return None
    if is_truth(tensor):
        return 0, 1
    return int(tensor.min().item()), int(tensor.max().item())


def form_of(value):
    """What is the same in all cases."""
    if is_tensor(value):
        return str(value.dtype), value.dim()
    return value


class Case:
    """What goes in and comes out at the sizes that the model has."""

    def __init__(self, p):
        inputs = p.draw(1)
        outputs = outputs_at(p, inputs)
        groups = (dict(enumerate(inputs)), p.start, dict(enumerate(outputs)))
        self.form = [{k: form_of(v) for k, v in g.items()} for g in groups]
        tensors = [
            {k: v for k, v in g.items() if is_tensor(v)} for g in groups
        ]
        self.shapes = [
            {k: [int(n) for n in v.shape] for k, v in g.items()} for g in tensors
        ]
        self.ranges = [
            {k: range_at(v) for k, v in g.items()} for g in tensors[:2]
        ] + [{}]
        self.elements = sum(v.numel() for g in tensors for v in g.values())


def case_at(p, sizes):
    """Without memory where the problem can: the largest sizes of some take minutes
    to draw, and hours to compute on a CPU."""
    modes = getattr(in_double._overrides, "TorchFunctionMode", None)
    try:
        if modes:
            with no_memory(modes):
                p.begin(sizes)
                return Case(p)
    except Exception:
        p.load()
    p.begin(sizes)
    return Case(p)


def look_at_cases(p, sizes):
    found = []
    for i, one in enumerate(sizes.cases):
        found.append(case_at(p, sizes.of_module(one)))
        if found[i].form != found[0].form:
            raise Refusal(
                "SHAPES[%d] makes tensors of another number, type or rank, or "
                "other numbers, than SHAPES[0]" % i
            )
    return found


def add_case(out, cases, group, key):
    """The shape, and of integers the range, in every case."""
    if "value" in out:
        return
    out["shapes"] = [c.shapes[group][key] for c in cases]
    if any(0 in shape for shape in out["shapes"]):
        raise Refusal("`%s` has no elements" % out["name"])
    if "low" in out:
        ranges = [c.ranges[group][key] for c in cases]
        out["lows"] = [r[0] for r in ranges]
        out["highs"] = [r[1] for r in ranges]


def add_cases(out, cases, sizes, question):
    for i, one in enumerate(out["inputs"]):
        add_case(one, cases, 0, i)
    for one in out["state"]:
        add_case(one, cases, 1, one["key"])
    for i, one in enumerate(out["outputs"]):
        add_case(one, cases, 2, i)
    out["sizes"] = [
        {
            "name": name,
            "global": sizes.globals[name],
            "values": [one[name] for one in sizes.cases],
        }
        for name in sizes.globals
    ]
    out["cases"] = len(sizes.cases)
    out["cases_left"] = sizes.left
    out["passed_over"] = [{"name": name} for name in sizes.passed_over]
    for work in ("flops", "bytes"):
        made = sizes.work(question[work]) if question.get(work) else None
        if made:
            out[work] = made


# ---- all of it --------------------------------------------------------------------


def describe_model(p, names):
    weak = []
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
    kinds = [w["kind"] for w in weak]
    exact = "no_double" not in kinds and "double_differs" not in kinds
    room = max(MOST_ARGUMENTS - used - len(names.sizes), 0)
    state, left, masks = state_of(p, first, names, room, exact)
    made = [describe_tensor(names.add("out"), o, None) for o in outputs]
    return {
        "inputs": inputs,
        "state": state,
        "state_left": left,
        "masks": [{"key": m} for m in masks if is_key(m)][:MOST_ARGUMENTS],
        "outputs": made,
        "weak": weak,
        "torch": str(torch.__version__),
    }


def look_at_zeros(p, cases, sizes, out):
    """An error that means something at one size is all there is at another: those of a
    softmax grow smaller with its rows. As many sizes as there is time for; a product
    takes longer by more than its tensors are larger. `p` has the first case's sizes."""
    began = time.monotonic()
    p.run(p.draw(1))
    last, took = cases[0], time.monotonic() - began
    for case, one in zip(cases[1:], sizes[1:]):
        left = began + SECONDS_OF_SIZES - time.monotonic()
        if took * (case.elements / last.elements) ** 1.5 > left:
            return
        start = time.monotonic()
        p.begin(one)
        made = p.run(p.draw(1))
        last, took = case, time.monotonic() - start
        if alike(made, [torch.zeros_like(m) for m in made], p.rules):
            out["weak"].append({"kind": "zeros"})
            return


def describe(path, question):
    missing = no_operators((question or {}).get("calls", []))
    p = Problem(path, question or {})
    if question is None:
        p.begin({})
        return describe_model(p, Names([]))
    formulas = [f for f in (question.get("flops"), question.get("bytes")) if f]
    sizes = Sizes(p.module, formulas)
    cases = look_at_cases(p, sizes)
    # Where it is weak is mostly seen at any size: the smallest takes the least time.
    order = sorted(range(len(cases)), key=lambda i: cases[i].elements)
    by_size = [sizes.of_module(sizes.cases[i]) for i in order]
    p.load()
    p.begin(by_size[0])
    out = describe_model(p, Names(sizes.globals))
    add_cases(out, cases, sizes, question)
    out["no_operators"] = missing
    if {"kind": "zeros"} not in out["weak"]:
        look_at_zeros(p, [cases[i] for i in order], by_size, out)
    return out


def line_of(error, path):
    """0: it was not in the problem's own text."""
    line = 0
    step = error.__traceback__
    while step:
        if step.tb_frame.f_code.co_filename == os.path.abspath(path):
            line = step.tb_lineno
        step = step.tb_next
    return line


OTHER_PYTHON = "or give the path of another Python by AVOGIT_PYTHON"


def lack_of(error, text):
    """What this machine lacks, and what helps; None: it is the problem's own."""
    has = "PyTorch %s" % torch.__version__
    if isinstance(error, ModuleNotFoundError):
        return (
            "it needs the module `%s`, which %s does not have: install it "
            "there, %s" % (error.name, sys.executable, OTHER_PYTHON)
        )
    found = re.match(r"module '(torch[\w.]*)' has no attribute '(\w+)'", text)
    if found:
        return (
            "it needs `%s.%s`, which %s does not have: install a newer "
            "PyTorch, %s" % (found.group(1), found.group(2), has, OTHER_PYTHON)
        )
    found = re.match(r'"(\w+)" not implemented for \'(\w+)\'', text)
    if found:
        return (
            "%s has no `%s` for numbers of type %s on a CPU, where import runs "
            "it: install a newer PyTorch, %s"
            % (has, found.group(1), found.group(2), OTHER_PYTHON)
        )
    if isinstance(error, MemoryError) or "t allocate memory" in text:
        found = re.search(r"allocate (\d+) bytes", text)
        size = " (%s bytes at once)" % found.group(1) if found else ""
        return (
            "it takes more memory than there is%s: import it on a larger "
            "machine, or give it smaller sizes" % size
        )
    return None


def words_of(error, path):
    text = str(error).strip().split("\n")[0]
    line = line_of(error, path)
    if not text:
        text = linecache.getline(os.path.abspath(path), line).strip()
    words = lack_of(error, text) or "%s: %s" % (type(error).__name__, text)
    return "line %d: %s" % (line, words) if line else words


def main():
    global torch, in_double
    sys.dont_write_bytecode = True
    path = os.path.abspath(sys.argv[1])
    question = None
    if len(sys.argv) > 2:
        with open(sys.argv[2]) as f:
            question = json.load(f)
    try:
        import torch
    except ImportError:
        found = {"error": "this Python has no PyTorch"}
    else:
        in_double = load_module(os.path.abspath(WIDE), "avogit_wide")
        try:
            found = describe(path, question)
        except Refusal as e:
            found = {"error": str(e)}
        except Exception as e:
            found = {"error": words_of(e, path)}
    with os.fdopen(RESULT_FD, "w") as f:
        json.dump(found, f)


main()
