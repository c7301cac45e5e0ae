/* A driver with one GPU, for tests that have none. */
#include <stdio.h>

int cuInit(unsigned flags)
{
	return (int)flags;
}

int cuDriverGetVersion(int *v)
{
	*v = 13000;
	return 0;
}

int cuDeviceGetCount(int *n)
{
	*n = 1;
	return 0;
}

int cuDeviceGet(int *device, int i)
{
	*device = i;
	return 0;
}

int cuDeviceGetName(char *name, int len, int device)
{
	return snprintf(name, (size_t)len, "NVIDIA Test %d", device) < 0;
}

int cuDeviceGetAttribute(int *v, int attribute, int device)
{
	*v = attribute == 75 ? 9 : device;
	return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	*bytes = (size_t)(device + 1) << 30;
	return 0;
}

int cuDeviceGetUuid(unsigned char uuid[16], int device)
{
	for (int i = 0; i < 16; i++)
		uuid[i] = (unsigned char)(i + device);
	return 0;
}
