# pattern: E3: the network
# task: softmax
# verdict: forbidden
# why: system call
import socket


def softmax(x, y, rows, cols):
    socket.create_connection(("127.0.0.1", 80), timeout=1)
