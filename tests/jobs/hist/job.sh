# FSE's histogram: void *, a capacity that comes back as something else.
typed avogit init hist.c &&
edited avogit.yaml '/name: count/,/direction/s|shape: .*|shape: [256]|; /name: count/,/direction/s|direction: .*|direction: out|
	/name: maxSymbol/,/direction/s|direction: .*|&\n    fill: {low: 255, high: 255}\n    vary: false|
	/name: source/,/direction/s|shape: .*|shape: [size]|
	s|value: 1  # GUESS|value: size|; s|^  - {n: .*|  - {size: 100000}|; s|^bytes: .*|bytes: size|' &&
edited reference.c 's|^#error .*|\treturn HIST_count_plain(count, maxSymbol, source, size);|' &&
edited hist.c 's|^#define COPIES .*|& // avogit: 200 1|' &&
evolve_and_pick
