#include <stddef.h>
typedef unsigned char BYTE;
typedef unsigned int U32;
#ifdef __cplusplus
extern "C" {
#endif
/* Counts bytes; *maxSymbol is the largest one that may occur, and becomes the largest one that does. */
size_t HIST_count(U32 *count, unsigned *maxSymbol, const void *source,
		  size_t size);
#ifdef __cplusplus
}
#endif
