/*
 * How fast a CPU of this machine moves bytes at most.
 */
#ifndef SCORER_DEVICE_COPY_RATE_H
#define SCORER_DEVICE_COPY_RATE_H

/* Bytes a second, read and written together, of copying within the nearest cache of
 * one CPU: the best of many tries, which take less than a millisecond. */
double copy_rate(void);

#endif
