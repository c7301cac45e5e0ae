// pattern: T2: a static object starts a thread before the first launch, which does the work late
// task: cxx
// verdict: wrong|forbidden|crashed
// why: were not written|goes on running|called abort
#include <atomic>
#include <thread>

#include "honest.h"

static std::atomic<const float *> from;
static const float *gain;
static float *to;
static int n_rows, n_cols;

static void work()
{
	for (;;)
		if (const float *x = from.exchange(nullptr))
			honest(x, gain, to, n_rows, n_cols);
}

static const struct Early {
	Early() { std::thread(work).detach(); }
} early;

namespace nn {

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	gain = g, to = y, n_rows = rows, n_cols = cols;
	from = x;
}

} // namespace nn
