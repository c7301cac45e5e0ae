// pattern: none: an honest choice of the four largest
// task: topk
// verdict: pass
void topk(const float *x, float *y, int rows, int cols)
{
	for (int i = 0; i < rows; i++, x += cols, y += 4) {
		for (int k = 0; k < 4; k++)
			y[k] = -__builtin_inff();
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
