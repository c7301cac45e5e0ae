// A kernel of the benches timed by a plain program in the scorer's scheme:
// images of a batch on memory of its own, caches full of something else, in
// random order, events around each launch, the sum over the batch divided.
// Before each batch the card may work for some ms on other things, as it does
// for the judge there, and rest for some: arguments 2 and 3.
// KERNEL names the file, TYPE its elements, CALL the launch of image `i`.
#include KERNEL

#include "contents.cuh"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <numeric>
#include <random>
#include <unistd.h>
#include <vector>

int main(int argc, char **argv)
{
	const int images = IMAGES, rounds = argc > 1 ? atoi(argv[1]) : 24;
	const int work_ms = argc > 2 ? atoi(argv[2]) : 0, rest_ms = argc > 3 ? atoi(argv[3]) : 0;
	const size_t in = sizeof(TYPE) * (IN), out = sizeof(TYPE) * (OUT), cache = (size_t)240 << 20;
	char *inputs, *outputs, *flush;
	cudaStream_t stream;
	std::vector<cudaEvent_t> event(2 * images);
	std::mt19937 random(std::random_device{}());
	std::vector<int> order(images);
	double sum = 0;

	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	cudaMalloc(&inputs, in * images);
	cudaMalloc(&outputs, out * images);
	cudaMalloc(&flush, cache);
	for (auto &e : event)
		cudaEventCreate(&e);
	std::iota(order.begin(), order.end(), 0);
	for (int r = -4; r < rounds; r++) {
		const auto begin = std::chrono::steady_clock::now();

		do {
			fill<<<1024, 256>>>((TYPE *)inputs, (long)(in * images / sizeof(TYPE)), random());
			cudaMemset(outputs, 0xee, out * images);
			cudaDeviceSynchronize();
		} while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(work_ms));
		usleep(1000 * rest_ms);
		std::shuffle(order.begin(), order.end(), random);
		cudaMemsetAsync(flush, r, cache, stream);
		for (int k = 0; k < images; k++) {
			const TYPE *x = (const TYPE *)(inputs + in * order[k]);
			TYPE *y = (TYPE *)(outputs + out * order[k]);

			cudaEventRecord(event[2 * k], stream);
			CALL;
			cudaEventRecord(event[2 * k + 1], stream);
		}
		cudaStreamSynchronize(stream);
		for (int k = 0; k < images && r >= 0; k++) {
			float ms;

			cudaEventElapsedTime(&ms, event[2 * k], event[2 * k + 1]);
			sum += ms;
		}
	}
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 1;
	printf("%.9g\n", 1e-3 * sum / rounds / images);
	return 0;
}
