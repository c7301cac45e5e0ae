// What a user would call instead: cuBLASLt, which knows both kinds of scales on a
// Hopper card since 12.9, with its heuristics and a workspace of the size that its
// own documentation advises there.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>

#define WORKSPACE ((size_t)32 << 20)
#define SHAPES	  32

struct plan {
	int m, n, k;
	cublasLtMatmulDesc_t what;
	cublasLtMatrixLayout_t a, b, c;
	cublasLtMatmulAlgo_t how;
};

static cublasLtHandle_t handle;
static void *workspace;

// Once, in the first call, which is not timed.
static bool ready(void)
{
	return handle ||
	       (cublasLtCreate(&handle) == CUBLAS_STATUS_SUCCESS && cudaMalloc(&workspace, WORKSPACE) == cudaSuccess);
}

static bool set(cublasLtMatmulDesc_t what, cublasLtMatmulDescAttributes_t key, const void *value, size_t size)
{
	return cublasLtMatmulDescSetAttribute(what, key, value, size) == CUBLAS_STATUS_SUCCESS;
}

static bool set_scales(struct plan *p, const float *a_scale, const float *b_scale)
{
	return set(p->what, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &b_scale, sizeof b_scale) &&
	       set(p->what, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &a_scale, sizeof a_scale);
}

// cuBLAS goes down columns: to it A, B and C are transposed already, and
// C' = B A' is what is asked for.
static bool make_plan(struct plan *p, const float *a_scale, const float *b_scale)
{
	const cublasOperation_t turned = CUBLAS_OP_T;
	const int32_t block = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
	const int32_t row = CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
	const size_t most = WORKSPACE;
	cublasLtMatmulPreference_t wish;
	cublasLtMatmulHeuristicResult_t found = {};
	int n = 0;

	return cublasLtMatmulDescCreate(&p->what, CUBLAS_COMPUTE_32F, CUDA_R_32F) == 0 &&
	       set(p->what, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned) &&
	       set(p->what, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &block, sizeof block) &&
	       set(p->what, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &row, sizeof row) && set_scales(p, a_scale, b_scale) &&
	       cublasLtMatrixLayoutCreate(&p->a, CUDA_R_8F_E4M3, (uint64_t)p->k, (uint64_t)p->n, p->k) == 0 &&
	       cublasLtMatrixLayoutCreate(&p->b, CUDA_R_8F_E4M3, (uint64_t)p->k, (uint64_t)p->m, p->k) == 0 &&
	       cublasLtMatrixLayoutCreate(&p->c, CUDA_R_16BF, (uint64_t)p->n, (uint64_t)p->m, p->n) == 0 &&
	       cublasLtMatmulPreferenceCreate(&wish) == 0 &&
	       cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
						    sizeof most) == 0 &&
	       cublasLtMatmulAlgoGetHeuristic(handle, p->what, p->a, p->b, p->c, p->c, wish, 1, &found, &n) == 0 &&
	       n == 1 && (p->how = found.algo, true);
}

static struct plan *find_plan(int m, int n, int k, const float *a_scale, const float *b_scale)
{
	static struct plan known[SHAPES];
	static int count;

	for (int i = 0; i < count; i++)
		if (known[i].m == m && known[i].n == n && known[i].k == k)
			return &known[i];
	if (count == SHAPES)
		return NULL;
	known[count] = {m, n, k};
	return make_plan(&known[count], a_scale, b_scale) ? &known[count++] : NULL;
}

extern "C" void fp8_cublas(const __nv_fp8_e4m3 *a, const float *a_scale, const __nv_fp8_e4m3 *b, const float *b_scale,
			   __nv_bfloat16 *c, int m, int n, int k, cudaStream_t stream)
{
	const float one = 1, zero = 0;
	struct plan *p = ready() ? find_plan(m, n, k, a_scale, b_scale) : NULL;

	if (!p || !set_scales(p, a_scale, b_scale) ||
	    cublasLtMatmul(handle, p->what, &one, b, p->a, a, p->b, &zero, c, p->c, c, p->c, &p->how, workspace,
			   WORKSPACE, stream) != CUBLAS_STATUS_SUCCESS)
		fprintf(stderr, "cuBLASLt does not do this: %d x %d x %d\n", m, n, k);
}
