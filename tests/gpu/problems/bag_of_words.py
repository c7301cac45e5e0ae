# sizes: s/randint(0, 50, (64, 12)), torch.rand(64, 12)/randint(0, 50000, (16384, 12)), torch.rand(16384, 12)/
# sizes: s/\[50, 40\]/[50000, 256]/
import triton
import triton.language as tl


@triton.jit
def bags(words, weights, table, out, count, WIDTH: tl.constexpr):
    bag = tl.program_id(0)
    k = tl.arange(0, WIDTH)
    total = tl.zeros((WIDTH,), tl.float32)
    for i in range(count):
        word = tl.load(words + bag * count + i)
        weight = tl.load(weights + bag * count + i)
        total += weight * tl.load(table + word * WIDTH + k)
    tl.store(out + bag * WIDTH + k, total)


def avogit_kernel(words, weights, table_weight, out):
    n, count = words.shape
    bags[(n,)](words, weights, table_weight, out, count, WIDTH=out.shape[1], num_warps=2)
