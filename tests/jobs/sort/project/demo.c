#include <stdio.h>

#define SORT_NAME demo
#define SORT_TYPE int64_t
#include "sort.h"

int main(void)
{
	int64_t x[] = {3, -1, 2, 0, 2};

	demo_quick_sort(x, 5);
	for (int i = 0; i < 5; i++)
		printf("%d ", (int)x[i]);
	return 0;
}
