/* Four sums, so that one addition need not wait for the last. */
void dot(const float *x, const float *y, float *out, int n)
{
	float s[4] = {0};

	for (int i = 0; i < n; i += 4)
		for (int k = 0; k < 4; k++)
			s[k] += x[i + k] * y[i + k];
	*out = s[0] + s[1] + (s[2] + s[3]);
}
