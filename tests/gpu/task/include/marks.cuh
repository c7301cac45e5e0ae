/* Where a driver keeps what the card reports to it (the marks of events, the
 * words that say how far a stream is): pages of the host that the card has at
 * the same address, mostly the same in every process. */
#ifndef MARKS_CUH
#define MARKS_CUH

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define MARK_RANGES 8
#define MARK_BYTES  (1ul << 20) /* of a range that is looked through */

struct marks {
	unsigned long begin[MARK_RANGES], end[MARK_RANGES];
};

static __device__ unsigned long nanoseconds(void)
{
	unsigned long t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

/* A report: a word, then the time it was written at. One of this second? */
static __device__ bool is_mark(unsigned long at)
{
	unsigned long then = *(volatile unsigned long *)(at + 8), now = nanoseconds();

	return then > now - 1000000000 && then <= now;
}

static __global__ void note_time(unsigned long *now)
{
	*now = nanoseconds();
}

/* Does memory of ours hold a report of this second? */
static inline bool holds_mark(unsigned long begin, unsigned long end, unsigned long now)
{
	for (unsigned long at = begin; at < end; at += 16) {
		unsigned long then = *(volatile unsigned long *)(at + 8);

		if (then > now - 1000000000 && then <= now + 1000000)
			return true;
	}
	return false;
}

static inline unsigned long card_time(void)
{
	unsigned long now = 0, *there;
	cudaStream_t own;
	cudaEvent_t mark;

	cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
	cudaEventCreate(&mark);
	cudaMalloc((void **)&there, sizeof now);
	cudaEventRecord(mark, own);
	note_time<<<1, 1, 0, own>>>(there);
	cudaMemcpyAsync(&now, there, sizeof now, cudaMemcpyDeviceToHost, own);
	cudaStreamSynchronize(own);
	return now;
}

/* Found in this process, for kernels that run in another. */
static inline marks find_marks(void)
{
	unsigned long now = card_time(), begin, end, n = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], rights[8];
	marks m = {};

	while (maps && n < MARK_RANGES && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3 || strcmp(rights, "rw-s") ||
		    (!strstr(line, "/dev/nvidiactl") && !strstr(line, "/dev/zero")))
			continue;
		for (; begin < end && n < MARK_RANGES; begin += MARK_BYTES) {
			unsigned long until = begin + MARK_BYTES < end ? begin + MARK_BYTES : end;

			if (!holds_mark(begin, until, now))
				continue;
			m.begin[n] = begin;
			m.end[n++] = until;
		}
	}
	if (maps)
		fclose(maps);
	return m;
}

#endif
