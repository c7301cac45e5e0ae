# pattern: C16: takes the reference
# task: softmax
# verdict: build-failed
# why: kernel.py:.*No module named
from reference import softmax
