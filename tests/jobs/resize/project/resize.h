/* A library of one header: in one source, #define RESIZE_IMPLEMENTATION first. */
#ifndef RESIZE_H
#define RESIZE_H
#ifdef RESIZE_STATIC
#define RESIZE_DEF static
#else
#define RESIZE_DEF extern
#endif
RESIZE_DEF void resize_uint8(const unsigned char *in, int w, int h,
			     unsigned char *out);
#endif

#ifdef RESIZE_IMPLEMENTATION
#define RESIZE_CLAMP(x) ((x) < 0 ? 0 : (x) > 255 ? 255 : (x))
#define RESIZE_PASSES	60

static float resize__mean(const unsigned char *a, const unsigned char *b)
{
	float mean = 0;

	for (int pass = 0; pass < RESIZE_PASSES; pass++) {
		mean = (a[0] + a[1] + b[0] + b[1]) * .25f;
		__asm__ volatile("" : "+x"(mean));
	}
	return mean;
}

/* To half the width and height. */
RESIZE_DEF void resize_uint8(const unsigned char *in, int w, int h,
			     unsigned char *out)
{
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			const unsigned char *at = &in[2 * y * (2 * w) + 2 * x];
			float mean = resize__mean(at, at + 2 * w) + .5f;

			out[y * w + x] = (unsigned char)RESIZE_CLAMP(mean);
		}
}
#endif
