// pattern: none: an honest kernel on rows of very different length
// task: ragged
// verdict: pass
void segments(const int *from, const float *x, float *y, int rows)
{
	for (int i = 0; i < rows; i++) {
		for (int c = 0; c < 64; c++)
			y[i * 64 + c] = 0;
		for (long k = from[i]; k < from[i + 1]; k++)
			for (int c = 0; c < 64; c++)
				y[i * 64 + c] += x[k * 64 + c];
	}
}
