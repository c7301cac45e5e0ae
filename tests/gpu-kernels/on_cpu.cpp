/* The kernels, each as a function of C. */
#include "scorer/runner_gpu/kernels.cu"

#include <ucontext.h>

#include <functional>

#define STACK (128 << 10)

/* A warp whose threads take turns, each until it exchanges words. */
struct lane {
	ucontext_t at;
	bool over;
	alignas(16) char stack[STACK];
};

of_three threadIdx;
static lane warp[32];
static ucontext_t between;
static warp_words brought, seen;
static const std::function<void()> *kernel;

warp_words exchange(unsigned long long mine)
{
	lane *me = &warp[threadIdx.x];

	brought.word[threadIdx.x] = mine;
	swapcontext(&me->at, &between);
	return seen;
}

static void live()
{
	lane *me = &warp[threadIdx.x];

	(*kernel)();
	me->over = true;
	swapcontext(&me->at, &between);
}

static void run(const std::function<void()> &what)
{
	unsigned over = 0;

	kernel = &what;
	for (lane &l : warp) {
		getcontext(&l.at);
		l.at.uc_stack.ss_sp = l.stack;
		l.at.uc_stack.ss_size = STACK;
		l.over = false;
		makecontext(&l.at, live, 0);
	}
	while (over < 32) {
		over = 0;
		for (unsigned i = 0; i < 32; i++) {
			threadIdx.x = i;
			if (!warp[i].over)
				swapcontext(&between, &warp[i].at);
			over += warp[i].over;
		}
		seen = brought;
	}
}

extern "C" {
void gpu_fill(char *data, const gpu_tensor *t, const contents *c)
{
	run([=] { avogit_fill(data, *t, *c); });
}

void gpu_poison(u64 *region, u64 words, u64 seed)
{
	run([=] { avogit_poison(region, words, seed); });
}

void gpu_look(const char *region, const gpu_tensor *t, u64 offset, u64 bytes, u64 end, u64 seed, u64 *found)
{
	run([=] { avogit_look(region, *t, 0, offset, bytes, end, seed, 1, found); });
}

void gpu_start(char *to, const char *from, const gpu_tensor *t, int wide)
{
	run([=] { avogit_start(to, from, *t, wide); });
}

void gpu_unlike(const char *a, const char *b, const gpu_tensor *t, u64 tile, u64 part, u64 *found)
{
	run([=] { avogit_unlike(a, b, *t, tile, part, 5, found); });
}

void gpu_same(const char *a, const char *b, const gpu_tensor *t, u64 *found)
{
	run([=] { avogit_same(a, b, *t, found); });
}
}
