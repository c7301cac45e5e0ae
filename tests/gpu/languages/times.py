# Microseconds of a launch by CUDA events in plain PyTorch, in three ways, each the
# median of nine: a replay of a graph of all launches, divided; replays of graphs of one
# launch each, with an event before and after; and such events round launches that wait
# in the stream's queue until all of them are there.
import statistics

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


def alone(launches):
    begins, ends = events(len(launches)), events(len(launches))
    torch.cuda._sleep(int(2e7))
    for begin, end, launch in zip(begins, ends, launches):
        begin.record()
        launch()
        end.record()
    torch.cuda.synchronize()
    spent = (b.elapsed_time(e) for b, e in zip(begins, ends))
    return 1e3 * sum(spent) / len(launches)


def median(call):
    return statistics.median([call() for _ in range(11)][2:])


def report(launches):
    for launch in launches:
        launch()
    torch.cuda.synchronize()
    every = captured(launches)
    one = [captured([launch]) for launch in launches]
    print(
        "%.2f in a graph of %d, %.2f in graphs of one, %.2f alone in a stream"
        % (
            median(lambda: together(every, len(launches))),
            len(launches),
            median(lambda: alone([graph.replay for graph in one])),
            median(lambda: alone(launches)),
        )
    )
