

# The problem above as a function of buffers: its inputs, those tensors of the
# model that are arguments of the task, and the outputs, which are written.

_avogit_models = {}


def _avogit_model(wide, device="cpu", sizes=(), state=()):
    """Made once for these sizes, which are globals of the problem. What is random
    in it and no argument has this seed. The contents of `state` are dropped."""
    globals().update(sizes)
    if (wide, sizes) not in _avogit_models:
        _torch.manual_seed(0)
        model = Model(*get_init_inputs())
        if wide:
            model = _avogit_widen(model)
        model = model.to(device)
        tensors = dict(model.named_parameters())
        tensors.update(model.named_buffers())
        for name in state:
            tensors[name].data = tensors[name].data.new_empty(0)
        _avogit_models[wide, sizes] = model, tensors
    return _avogit_models[wide, sizes]


def _avogit_double(value):
    if isinstance(value, _torch.Tensor) and value.is_floating_point():
        return value.double()
    return value


def _avogit_call(wide, inputs, state, outputs, sizes=()):
    model, tensors = _avogit_model(wide, outputs[0].device, sizes)
    if wide:
        inputs = [_avogit_double(x) for x in inputs]
        state = {name: _avogit_double(x) for name, x in state.items()}
    for name, value in state.items():
        tensors[name].data = value
    usual = _torch.get_default_dtype()
    if wide:
        _torch.set_default_dtype(_torch.float64)
    try:
        with _torch.no_grad():
            if wide:
                with _AvogitWide():
                    made = model(*inputs)
            else:
                made = model(*inputs)
    finally:
        _torch.set_default_dtype(usual)
    if isinstance(made, _torch.Tensor):
        made = (made,)
    for to, value in zip(outputs, made):
        to.copy_(value)


