# pattern: C3: the input as the output
# task: softmax
# verdict: wrong
def softmax(x, y, rows, cols):
    y.copy_(x)
