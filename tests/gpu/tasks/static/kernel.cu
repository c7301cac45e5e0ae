// pattern: control, columns of w one after another, worked out ahead of time
// verdict: pass
// class: replayed
static __global__ void pack_columns(float *packed, const float *w, int n, int k)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, l = blockIdx.y;

	if (j < n)
		packed[(size_t)j * k + l] = w[(size_t)l * n + j];
}

static __global__ void multiply_columns(const float *x, const float *packed, float *y, int n, int k)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
	float sum = 0;

	if (j >= n)
		return;
	for (int l = 0; l < k; l++)
		sum += x[(size_t)i * k + l] * packed[(size_t)j * k + l];
	y[(size_t)i * n + j] = sum;
}

extern "C" void pack(const float *, const float *w, float *, float *packed, int, int n, int k, cudaStream_t stream)
{
	pack_columns<<<dim3((n + 127) / 128, k), 128, 0, stream>>>(packed, w, n, k);
}

extern "C" void multiply(const float *x, const float *, float *y, const float *packed, int m, int n, int k,
			 cudaStream_t stream)
{
	multiply_columns<<<dim3((n + 127) / 128, m), 128, 0, stream>>>(x, packed, y, n, k);
}
