#ifndef POLYBENCH_H
#define POLYBENCH_H
#define POLYBENCH_C99_SELECT(x, y) x
#ifdef MINI_DATASET
#define NI 20
#define NJ 25
#define NK 30
#else
#define NI 60
#define NJ 70
#define NK 80
#endif
#ifdef DATA_TYPE_IS_FLOAT
#define DATA_TYPE float
#else
#define DATA_TYPE double
#endif
#define POLYBENCH_2D(var, dim1, dim2, ddim1, ddim2) var[dim1 + 0][dim2 + 0]
#define SCALAR_VAL(x)				    x
#define _PB_NI					    ni
#define _PB_NJ					    nj
#define _PB_NK					    nk
#endif
