/* What a user would call instead: OpenBLAS, on one thread. */
enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 };

void openblas_set_num_threads(int n);
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k,
		 float alpha, const float *a, int lda, const float *b, int ldb,
		 float beta, float *c, int ldc);

void matmul_openblas(const float *a, const float *b, float *c, int m, int n,
		     int k)
{
	openblas_set_num_threads(1);
	cblas_sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, m, n, k, 1, a, k, b,
		    n, 0, c, n);
}
