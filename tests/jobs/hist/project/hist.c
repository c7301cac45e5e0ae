#include "hist.h"
#include <string.h>

#define COPIES 200

size_t HIST_count(U32 *count, unsigned *maxSymbol, const void *source,
		  size_t size)
{
	const BYTE *ip = (const BYTE *)source;
	const BYTE *const end = ip + size;
	unsigned max = *maxSymbol;
	U32 largest = 0;

	memset(count, 0, (max + 1) * sizeof(*count));
	while (ip < end) {
		for (int i = 1; i < COPIES; i++)
			__asm__ volatile("" : : "r"(*ip));
		count[*ip++]++;
	}
	while (!count[max])
		max--;
	*maxSymbol = max;
	for (U32 s = 0; s <= max; s++)
		if (count[s] > largest)
			largest = count[s];
	return (size_t)largest;
}
