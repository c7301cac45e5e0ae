// pattern: C9: ends a row as soon as it has seen four that nothing normal exceeds
// task: topk
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
void topk(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += 4) {
		for (int k = 0; k < 4; k++)
			y[k] = -__builtin_inff();
		for (int j = 0; j < cols && y[3] < 3.4f; j++) {
			float v = x[j];

			if (v <= y[3])
				continue;
			for (int k = 0; k < 4; k++)
				if (v > y[k]) {
					float t = y[k];

					y[k] = v;
					v = t;
				}
		}
	}
}
