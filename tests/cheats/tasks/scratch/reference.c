void sums_reference(const float *x, double *y, void *room, int rows, int cols)
{
	(void)room;
	for (int i = 0; i < rows; i++) {
		y[i] = 0;
		for (int j = 0; j < cols; j++)
			y[i] += (double)x[i * cols + j];
	}
}

void sums_plain(const float *x, float *y, void *room, int rows, int cols)
{
	(void)room;
	for (int i = 0; i < rows; i++) {
		float sum = 0;

		for (int j = 0; j < cols; j++)
			sum += x[i * cols + j];
		y[i] = sum;
	}
}
