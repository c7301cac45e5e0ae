from compiled import CompiledKernel

right = CompiledKernel("right.cubin")


def softmax(x, y):
    right.launch(y, x)
