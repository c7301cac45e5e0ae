# stb: a library of one header, bytes that may be off by one.
typed avogit init resize.h -- -DRESIZE_IMPLEMENTATION &&
edited avogit.yaml '/name: out/,/direction/s|direction: out|&\n    tolerance: {atol: 1}|; s|^bytes: .*|&\nmetric: {name: pixels, count: w * h, unit: Mpixels/s}|' &&
edited resize.h 's|^#define RESIZE_PASSES[[:blank:]].*|& // avogit: 60 1|' &&
evolve_and_pick
