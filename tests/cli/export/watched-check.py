"""watched-check.py events FILE: prints what an event file of TensorBoard has, a line
a scalar, by a reader of its own of the framing and of the fields that are used.
watched-check.py metrics FILE: reads FILE with both parsers of prometheus_client and
prints how many samples each found."""
import struct
import sys


def need(condition, what):
    if not condition:
        raise SystemExit(f"not valid: {what}")


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    at = 0
    while at < len(data):
        head = data[at:at + 8]
        size, = struct.unpack("<Q", head)
        body = data[at + 12:at + 12 + size]
        sums = data[at + 8:at + 12] + data[at + 12 + size:at + 16 + size]
        need(sums == struct.pack("<II", masked_crc(head), masked_crc(body)), "a checksum")
        at += 16 + size
        yield body


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size, form = {1: (8, "<d"), 5: (4, "<f")}[kind]
            value, = struct.unpack(form, data[at:at + size])
            at += size
        yield key >> 3, value


def events(path):
    for record in records(open(path, "rb").read()):
        event = dict(fields(record))
        need(event[1] > 1e9, "a time")
        if 3 in event:
            print("version", event[3].decode())
        for number, value in fields(event.get(5, b"")):
            need(number == 1, "a summary has values")
            scalar = dict(fields(value))
            print(event[2], scalar[1].decode(), f"{scalar[2]:.6g}")


def metrics(path):
    from prometheus_client import parser
    from prometheus_client.openmetrics import parser as openmetrics
    text = open(path, encoding="utf-8").read()
    for parse in parser, openmetrics:
        families = list(parse.text_string_to_metric_families(text))
        print(sum(len(f.samples) for f in families))


{"events": events, "metrics": metrics}[sys.argv[1]](sys.argv[2])
