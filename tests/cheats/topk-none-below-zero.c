// pattern: C9: the largest of a row are never below zero, it thinks
// task: topk
// verdict: wrong
// why: y\[[0-9,]*\] is .* where .* is right
void topk(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += 4) {
		for (int k = 0; k < 4; k++)
			y[k] = 0;
		for (int j = 0; j < cols; j++) {
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
