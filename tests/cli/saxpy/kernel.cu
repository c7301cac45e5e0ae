__global__ void saxpy_kernel(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] += 2 * x[i];
}

extern "C" void saxpy(const float *x, float *y, int n, cudaStream_t stream)
{
	saxpy_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}
