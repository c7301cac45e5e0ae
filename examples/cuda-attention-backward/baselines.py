# PyTorch's own operators for the backward pass, by cuDNN and by its
# FlashAttention. They make new tensors, which are copied.
import torch

aten = torch.ops.aten
known = {}


def turned(x, batch, seq):
    return x.view(batch, seq, x.shape[1], 128).transpose(1, 2)


def give(got, to, batch, seq):
    for tensor, place in zip(got, to):
        turned(place, batch, seq).copy_(tensor)


# What the forward pass says besides its output and the logarithms: found once
# for a shape.
def besides(which, forward, shape):
    if (which, shape) not in known:
        known[which, shape] = forward()
    return known[which, shape]


def cudnn(q, k, v, o, lse, go, gq, gk, gv, work, batch, seq, heads):
    q, k, v, o, go = (turned(x, batch, seq) for x in (q, k, v, o, go))

    def forward():
        got = aten._scaled_dot_product_cudnn_attention(q, k, v, None, True, 0.0, True, False)
        return got[1].shape, got[6], got[7]

    shape, seed, offset = besides("cudnn", forward, (batch, seq, heads))
    got = aten._scaled_dot_product_cudnn_attention_backward(
        go, q, k, v, o, lse.view(shape), seed, offset, None, None, None, seq, seq, 0.0, True)
    give(got, (gq, gk, gv), batch, seq)


def flash(q, k, v, o, lse, go, gq, gk, gv, work, batch, seq, heads):
    q, k, v, o, go = (turned(x, batch, seq) for x in (q, k, v, o, go))

    def forward():
        got = aten._scaled_dot_product_flash_attention(q, k, v, 0.0, True, False)
        return got[1].shape, got[6], got[7]

    shape, seed, offset = besides("flash", forward, (batch, seq, heads))
    got = aten._scaled_dot_product_flash_attention_backward(
        go, q, k, v, o, lse.view(shape), None, None, seq, seq, 0.0, True, seed, offset)
    give(got, (gq, gk, gv), batch, seq)
