#include "scorer/runner_gpu/gate.h"

#include <signal.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>

#define GATE_BYTES   4096
#define END_AT	     64 /* words: another line of a cache */
#define STUCK_MICROS 250000

/* Of whom a signal is. */
static struct gate *volatile closed;

double gate_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void let_go(struct gate *g)
{
	g->start = gate_now();
	__atomic_store_n(g->word, g->key, __ATOMIC_SEQ_CST);
}

static void open_by_itself(int number UNUSED)
{
	struct gate *g = closed;

	if (!g)
		return;
	g->own = true;
	let_go(g);
}

static void set_alarm(suseconds_t micros)
{
	const struct itimerval t = {.it_value = {0, micros}};

	setitimer(ITIMER_REAL, &t, NULL);
}

const char *gate_make(struct gate *g, struct gpu_device *gpu, CUstream stream)
{
	const struct sigaction action = {.sa_handler = open_by_itself,
					 .sa_flags = SA_RESTART};
	void *page = NULL;
	CUresult r =
		gpu->cuda.event_create(&g->before, CU_EVENT_DISABLE_TIMING);

	g->gpu = gpu;
	g->stream = stream;
	if (!r)
		r = gpu->cuda.host_memory(&page, GATE_BYTES, 0);
	if (!r) {
		g->word = page;
		g->end = g->word + END_AT;
		sigaction(SIGALRM, &action, NULL);
	}
	return gpu_check(gpu, r, "getting ready");
}

/* Another word than what is there. */
static void draw(uint32_t *key, volatile uint32_t *there)
{
	if (getrandom(key, sizeof *key, 0) != sizeof *key || *key == *there)
		*key = *there + 1;
}

CUresult gate_close(struct gate *g)
{
	CUresult r = CUDA_SUCCESS;

	g->own = false;
	if (!g->word)
		return r;
	draw(&g->key, g->word);
	for (size_t i = 0; i < ARRAY_SIZE(g->end_key); i++)
		draw(&g->end_key[i], &g->end[i]);
	r = g->gpu->cuda.event_record(g->before, g->stream);
	if (!r)
		r = g->gpu->cuda.stream_wait_value(
			g->stream, (CUdeviceptr)(uintptr_t)g->word, g->key,
			CU_STREAM_WAIT_VALUE_EQ);
	closed = g;
	set_alarm(STUCK_MICROS);
	return r;
}

CUresult gate_queue_end(struct gate *g)
{
	CUresult r = CUDA_SUCCESS;

	for (size_t i = 0; g->word && !r && i < ARRAY_SIZE(g->end_key); i++)
		r = g->gpu->cuda.stream_write_value(
			g->stream, (CUdeviceptr)(uintptr_t)&g->end[i],
			g->end_key[i], 0);
	return r;
}

CUresult gate_open(struct gate *g)
{
	CUresult r;

	if (!g->word)
		return CUDA_SUCCESS;
	set_alarm(0);
	closed = NULL;
	if (g->own)
		return CUDA_SUCCESS;
	r = g->gpu->cuda.event_wait(g->before);
	let_go(g);
	return r;
}

static bool is_over(const struct gate *g)
{
	for (size_t i = 0; i < ARRAY_SIZE(g->end_key); i++)
		if (g->end[i] != g->end_key[i])
			return false;
	return true;
}

CUresult gate_await_end(struct gate *g)
{
	CUresult r = CUDA_SUCCESS;

	while (g->word && (!r || r == CUDA_ERROR_NOT_READY) && !is_over(g))
		r = g->gpu->cuda.stream_query(g->stream);
	return r == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : r;
}
