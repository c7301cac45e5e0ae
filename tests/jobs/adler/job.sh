# zlib's checksum: macros, its typedefs, a value that is returned, a flat folder.
typed avogit init adler32.c &&
edited adler32.c 's|^#define AGAIN .*|& // avogit: 400 1|' &&
evolve_and_pick
