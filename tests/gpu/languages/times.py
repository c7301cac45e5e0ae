# Microseconds of a launch by CUDA events in plain PyTorch, in three ways, each the
# median of nine: a replay of a graph of all launches, divided; replays of graphs of one
# launch each, with an event before and after; and such events round launches that wait
# in the stream's queue until all of them are there.
import statistics
import time

import torch


def events(n):
    return [torch.cuda.Event(enable_timing=True) for _ in range(n)]


def captured(launches):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for launch in launches:
            launch()
    return graph


def together(graph, count):
    begin, end = events(2)
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return 1e3 * begin.elapsed_time(end) / count


def alone(launches, others=None):
    begins, ends = events(len(launches)), events(len(launches))
    if others is not None:
        others.fill_(1)
    torch.cuda._sleep(int(2e7))
    for begin, end, launch in zip(begins, ends, launches):
        begin.record()
        launch()
        end.record()
    torch.cuda.synchronize()
    return [1e3 * b.elapsed_time(e) for b, e in zip(begins, ends)]


def median(call):
    return statistics.median([call() for _ in range(11)][2:])


def mean_alone(launches):
    return median(lambda: statistics.mean(alone(launches)))


# One after another, after a rest: a card at its power limit is slower the longer it
# works. `inputs` are filled before, as avogit does between its launches.
def burst(launches, count, rest, inputs=()):
    begin, end = events(2)
    for x in inputs:
        x.normal_()
    torch.cuda.synchronize()
    time.sleep(rest)
    begin.record()
    for i in range(count):
        launches[i % len(launches)]()
    end.record()
    torch.cuda.synchronize()
    return 1e3 * begin.elapsed_time(end) / count


def report_bursts(launches, inputs):
    for rest, filled in ((0.1, ()), (0.5, ()), (0.02, inputs), (0.1, inputs)):
        print(
            "in bursts after %.2f s of rest%s: "
            % (rest, ", filled before" if filled else "")
            + ", ".join(
                "%d: %.2f"
                % (
                    n,
                    statistics.median(
                        burst(launches, n, rest, filled) for _ in range(5)
                    ),
                )
                for n in (1, 4, 16, 64)
            )
        )


def report(launches):
    for launch in launches:
        launch()
    torch.cuda.synchronize()
    every = captured(launches)
    one = [captured([launch]) for launch in launches]
    others = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    cold = [alone(launches, others) for _ in range(11)][2:]
    print(
        "%.2f in a graph of %d, %.2f in graphs of one, %.2f alone in a stream, "
        "after a fill %.2f the first and %.2f the others"
        % (
            median(lambda: together(every, len(launches))),
            len(launches),
            mean_alone([graph.replay for graph in one]),
            mean_alone(launches),
            statistics.median(c[0] for c in cold),
            statistics.median(statistics.mean(c[1:]) for c in cold),
        )
    )
