# pattern: C12: NaN everywhere
# task: softmax
# verdict: wrong
def softmax(x, y, rows, cols):
    y.fill_(float("nan"))
