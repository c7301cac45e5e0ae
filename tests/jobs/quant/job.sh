# llama.cpp: blocks behind void *, a header's struct, what they may hold made by a generator.
typed avogit init src/quants.c -o avogit/dot.yaml -- -Iinclude -std=gnu11 &&
edited avogit/dot.yaml 's|shape: \[n\]  # GUESS|shape: [n / 32 * 36]|; s|^    fill: .*|    fill: {generator: some_blocks}|; s|value: 1  # GUESS|value: n|; s|^cases:.*|cases:|; s|- {n: 1048576}|- {n: 32768}|
	s|^bytes: .*|bytes: n / 32 * 72|' &&
edited avogit/dot_reference.c 's|^#error .*|\tconst block_q *x = vx, *y = vy;\n\tdouble sum = 0;\n\n\tfor (int i = 0; i < n / QK; i++)\n\t\tfor (int j = 0; j < QK; j++)\n\t\t\tsum += (double)x[i].d * y[i].d * x[i].q[j] * y[i].q[j];\n\t*s = sum;|' &&
added avogit/dot_reference.c <<\EOF &&

/* Numbers from -7 to 7, times something small. */
void some_blocks(uint8_t *data, uint64_t seed, int64_t n)
{
	block_q *x = (block_q *)data;

	for (int64_t i = 0; i < n / QK; i++) {
		x[i].d = (float)(seed % 1000 + 1) / 1000;
		for (int j = 0; j < QK; j++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			x[i].q[j] = (int8_t)((seed >> 33) % 15) - 7;
		}
	}
}
EOF
edited src/quants.c 's|^#define SWEEPS .*|& // avogit: 40 1|' &&
evolve_and_pick --task avogit/dot.yaml
