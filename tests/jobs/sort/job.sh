# swenson/sort: a header whose macros make static functions of any name.
typed avogit init sort.h -o avogit/sort.yaml --entry rows_quick_sort -- -DSORT_NAME=rows -DSORT_TYPE=int64_t &&
edited avogit/sort.yaml 's|shape: .*|shape: [size]|; s|direction: .*|direction: inout|; s|^bytes: .*|bytes: 16 * size|; s|^cases: .*|cases:\n  - {size: 30000}|; /^  - {size: [0-9]}/d; /^  - {size: 16}/d' &&
edited sort.h 's|^#define SMALL .*|& // avogit: 8192 16|' &&
evolve_and_pick --task avogit/sort.yaml
