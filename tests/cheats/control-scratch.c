// pattern: none: an honest kernel that writes its workspace before it reads it
// task: scratch
// verdict: pass
void sums(const float *x, float *y, float *room, int rows, int cols)
{
	for (int i = 0; i < rows; i++) {
		float *part = room + 8 * i;

		for (int k = 0; k < 8; k++)
			part[k] = 0;
		for (int j = 0; j < cols; j++)
			part[j & 7] += x[i * cols + j];
		y[i] = 0;
		for (int k = 0; k < 8; k++)
			y[i] += part[k];
	}
}
