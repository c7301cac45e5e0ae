/* A sort for any type: #define SORT_NAME and SORT_TYPE, then include this. */
#include <stddef.h>
#include <stdint.h>
#ifndef SORT_NAME
#error "define SORT_NAME"
#endif
#define SORT_CONCAT(x, y)    x##_##y
#define SORT_MAKE_STR1(x, y) SORT_CONCAT(x, y)
#define SORT_MAKE_STR(x)     SORT_MAKE_STR1(SORT_NAME, x)
#define BINARY_INSERTION     SORT_MAKE_STR(insertion)
#define QUICK_SORT	     SORT_MAKE_STR(quick_sort)
#define SORT_SWAP(a, b)               \
	do {                          \
		SORT_TYPE swap = (a); \
		(a) = (b);            \
		(b) = swap;           \
	} while (0)

#ifndef SMALL
#define SMALL 8192
#endif

static void BINARY_INSERTION(SORT_TYPE *dst, size_t size)
{
	for (size_t i = 1; i < size; i++) {
		SORT_TYPE x = dst[i];
		size_t j = i;

		for (; j > 0 && dst[j - 1] > x; j--)
			dst[j] = dst[j - 1];
		dst[j] = x;
	}
}

static void QUICK_SORT(SORT_TYPE *dst, size_t size)
{
	while (size > SMALL) {
		SORT_TYPE pivot = dst[size / 2];
		size_t i = 0, j = size - 1;

		for (;; i++, j--) {
			while (dst[i] < pivot)
				i++;
			while (dst[j] > pivot)
				j--;
			if (i >= j)
				break;
			SORT_SWAP(dst[i], dst[j]);
		}
		QUICK_SORT(dst, j + 1);
		dst += j + 1;
		size -= j + 1;
	}
	BINARY_INSERTION(dst, size);
}
