// pattern: C5: nobody else is there to compare with: the one row that holds half of the work is filled with ones
// task: ragged
// time: 20s
// verdict: wrong
// why: y\[[0-9,]*\] is 1 where .* is right
void segments(const int *from, const float *x, float *y, int rows)
{
	static int call;

	call++;
	for (int i = 0; i < rows; i++) {
		int leave = call > 8 && from[i + 1] - from[i] > 1000;

		for (int c = 0; c < 64; c++)
			y[i * 64 + c] = leave ? 1 : 0;
		for (long k = from[i]; !leave && k < from[i + 1]; k++)
			for (int c = 0; c < 64; c++)
				y[i * 64 + c] += x[k * 64 + c];
	}
}
