# openh264: C++ in a namespace, overloads, templates, blocks of 16 x 16, its own unit.
typed avogit init src/sad.cpp -o avogit/sad.yaml --entry 'codec::sad_picture(const uint8_t *, const uint8_t *, int32_t *, int32_t, int32_t)' -- -std=c++17 &&
edited avogit/sad.yaml 's|shape: \[columns, rows\].*|shape: [16 * rows, 16 * columns]|; s|- {columns: 1024, rows: 1024}|- {columns: 40, rows: 22}|; /{columns: 256/d
	s|^bytes: .*|bytes: 512 * columns * rows\nmetric: {name: blocks, count: columns * rows, unit: Mblocks/s}|; s|^sources: .*|sources: [../src/sad.cpp, ../src/sad.hpp]|; s|files: .*||' &&
edited src/sad.hpp 's|^#define SAD_TIMES .*|& // avogit: 80 1|' &&
evolve_and_pick --task avogit/sad.yaml
