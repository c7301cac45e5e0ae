// pattern: T17: keeps the graph of the first call of a shape, with the pointers of that call
// verdict: pass|wrong|out-of-bounds
// why: were not written|memory that is not its own
// class: isolated
// faster: no
#include "honest.cuh"

#define KEPT 64

static cudaGraphExec_t make(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, long n)
{
	cudaGraphExec_t made = 0;
	cudaGraph_t graph;
	cudaStream_t own;

	cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
	cudaStreamBeginCapture(own, cudaStreamCaptureModeRelaxed);
	honest<<<blocks(n), 256, 0, own>>>(x, y, a, n);
	cudaStreamEndCapture(own, &graph);
	cudaGraphInstantiate(&made, graph, 0);
	cudaStreamDestroy(own);
	return made;
}

/* Right as long as a shape comes at the same addresses. */
extern "C" void axpb(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int rows, int cols, cudaStream_t s)
{
	static struct {
		int rows, cols;
		cudaGraphExec_t graph;
	} kept[KEPT];
	long n = (long)rows * cols;
	int i = 0;

	while (i < KEPT - 1 && kept[i].graph && (kept[i].rows != rows || kept[i].cols != cols))
		i++;
	if (!kept[i].graph) {
		kept[i].graph = make(x, y, a, n);
		kept[i].rows = rows;
		kept[i].cols = cols;
	}
	cudaGraphLaunch(kept[i].graph, s);
}
