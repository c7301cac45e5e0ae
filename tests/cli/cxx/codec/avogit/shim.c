/* The static function of codec.c, by a name that can be called. */
#include "../codec.c"

struct codec *codec_lookup(const char *path)
{
	(void)path;
	return 0;
}

void rows_of_codec(const unsigned char *x, int *to, int rows, int columns)
{
	sum_rows(x, to, rows, columns);
}
