#include "cmd/doctor/noise.h"

#include <math.h>

#include "core/base/clock.h"
#include "core/score/stats.h"

#define MAX_BLOCKS 256
/* Long enough for the clock, short enough for many blocks: about 1 ms. */
#define LOOP_STEPS 1000000

/* A chain of dependent multiplications: its time is the core's clock. */
static double time_loop(void)
{
	double began = clock_seconds();
	volatile uint64_t sink;
	uint64_t x = 1;

	for (int i = 0; i < LOOP_STEPS; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	sink = x;
	(void)sink;
	return clock_seconds() - began;
}

double noise_floor(double seconds)
{
	double log_ratio[MAX_BLOCKS];
	double until = clock_seconds() + seconds;
	struct interval ci;
	size_t n = 0;

	while (n < MAX_BLOCKS && clock_seconds() < until) {
		double a = time_loop(), b = time_loop();

		b += time_loop();
		a += time_loop();
		log_ratio[n++] = log(a / b);
	}
	ci = stats_interval(log_ratio, n, 0.95, 1);
	return (ci.hi - ci.lo) / 2;
}
