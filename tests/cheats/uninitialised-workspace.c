// pattern: C1: takes the workspace to be zero
// task: scratch
// verdict: wrong
// why: is -?nan where .* is right|were not written
void sums(const float *x, float *y, float *room, int rows, int cols)
{
	for (int i = 0; i < rows; i++) {
		for (int j = 0; j < cols; j++)
			room[i] += x[i * cols + j];
		y[i] = room[i];
	}
}
