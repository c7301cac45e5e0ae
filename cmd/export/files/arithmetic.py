def divide(a, b):
    """As C does: towards zero."""
    return a // b if (a >= 0) == (b > 0) else -(-a // b)


def modulo(a, b):
    return a - divide(a, b) * b


def negate(a):
    return -a


def is_not(a):
    return int(not a)


def is_less(a, b):
    return int(a < b)


def is_at_most(a, b):
    return int(a <= b)


def is_equal(a, b):
    return int(a == b)


def is_true(a):
    return int(bool(a))


def minimum(a, b):
    return a if a < b else b


def maximum(a, b):
    return a if a > b else b


def ceil_div(a, b):
    return (a + b - 1) // b


def align_up(a, b):
    return ceil_div(a, b) * b
