__global__ void reference_kernel(const float *x, double *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] += 2.0 * x[i];
}

extern "C" void saxpy_reference(const float *x, double *y, int n,
				cudaStream_t stream)
{
	reference_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}
