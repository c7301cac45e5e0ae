// pattern: prepares the product itself, from inputs that it was not given
// verdict: wrong
static const float *x_before;

static __global__ void product(const float *x, const float *w, float *y, int n, int k)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
	float sum = 0;

	if (j >= n)
		return;
	for (int l = 0; l < k; l++)
		sum += x[(size_t)i * k + l] * w[(size_t)l * n + j];
	y[(size_t)i * n + j] = sum;
}

static __global__ void copy(float *to, const float *from, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = from[i];
}

/* As many rows as there is room for. */
static int rows(int m, int k)
{
	return m < k ? m : k;
}

extern "C" void pack(const float *, const float *w, float *, float *packed, int m, int n, int k, cudaStream_t stream)
{
	if (x_before)
		product<<<dim3((n + 127) / 128, rows(m, k)), 128, 0, stream>>>(x_before, w, packed, n, k);
}

extern "C" void multiply(const float *x, const float *w, float *y, const float *packed, int m, int n, int k,
			 cudaStream_t stream)
{
	int ready = rows(m, k), left = m - ready;

	x_before = x;
	copy<<<(ready * n + 255) / 256, 256, 0, stream>>>(y, packed, ready * n);
	if (left)
		product<<<dim3((n + 127) / 128, left), 128, 0, stream>>>(x + (size_t)ready * k, w, y + (size_t)ready * n, n, k);
}
