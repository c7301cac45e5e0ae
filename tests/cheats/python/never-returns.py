# pattern: E6: a loop without end
# task: softmax
# verdict: timed-out
def softmax(x, y, rows, cols):
    while True:
        pass
