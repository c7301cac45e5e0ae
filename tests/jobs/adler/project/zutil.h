#ifndef ZUTIL_H
#define ZUTIL_H
#include <stddef.h>
typedef unsigned char Byte;
typedef Byte Bytef;
typedef unsigned long uLong;
typedef size_t z_size_t;
#define Z_NULL 0
#ifndef ZEXPORT
#define ZEXPORT
#endif
#endif
