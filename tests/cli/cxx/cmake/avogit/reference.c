void blur_reference(const float *from, double *to, int width, int height)
{
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			const float *row = from + (long)y * width;

			to[(long)y * width + x] =
				row[x ? x - 1 : x] / 4.0 + row[x] / 2.0 +
				row[x + 1 < width ? x + 1 : x] / 4.0;
		}
}

void blur_plain(const float *from, float *to, int width, int height)
{
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			const float *row = from + (long)y * width;

			to[(long)y * width + x] =
				row[x ? x - 1 : x] * 0.25f + row[x] * 0.5f +
				row[x + 1 < width ? x + 1 : x] * 0.25f;
		}
}
