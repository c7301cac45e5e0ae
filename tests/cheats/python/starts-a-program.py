# pattern: E4: a program of the machine
# task: softmax
# verdict: forbidden
# why: system call
import subprocess


def softmax(x, y, rows, cols):
    subprocess.run(["/bin/cat", "/etc/passwd"])
