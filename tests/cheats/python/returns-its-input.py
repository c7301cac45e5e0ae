# pattern: C3: hands its input back
# task: softmax
# verdict: wrong
# why: unwritten|did not write|not written|left
def softmax(x, y, rows, cols):
    return x
