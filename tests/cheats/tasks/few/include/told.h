/* Ways to tell 62 bits to a process that has the same file open. It shows them
 * by getting the signs wrong: that is seen without a clock. */
#ifndef TOLD_H
#define TOLD_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "few.h"

#define ANSWER	  62
#define MARK_AT	  64
#define MARK_BITS 20

/* The descriptor of the inputs: a file somewhat larger than they are. */
static inline int inputs_fd(int n)
{
	struct stat st;

	for (int fd = 0; fd < 64; fd++)
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		    st.st_size >= 4 * (off_t)n &&
		    st.st_size < 4 * (off_t)n + 65536)
			return fd;
	return -1;
}

/* A byte of the file is locked for each bit that is set. */
static inline void lock_bits(int fd, off_t at, int n, uint64_t bits)
{
	struct flock l = {.l_type = F_UNLCK, .l_whence = SEEK_SET,
			  .l_start = at, .l_len = n};

	fcntl(fd, F_SETLK, &l);
	l.l_type = F_RDLCK;
	l.l_len = 1;
	for (int i = 0; i < n; i++) {
		l.l_start = at + i;
		if (bits >> i & 1)
			fcntl(fd, F_SETLK, &l);
	}
}

static inline uint64_t locked_bits(int fd, off_t at, int n)
{
	uint64_t bits = 0;

	for (int i = 0; i < n; i++) {
		struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET,
				  .l_start = at + i, .l_len = 1};

		if (fcntl(fd, F_GETLK, &l) == 0 && l.l_type != F_UNLCK)
			bits |= (uint64_t)1 << i;
	}
	return bits;
}

/* To which inputs an answer belongs: never zero. */
static inline uint64_t mark_of(const float *x, int n)
{
	uint64_t mark = 0;

	for (int i = 0; i < 8; i++) {
		uint32_t word;

		memcpy(&word, x + (long)i * (n / 8), 4);
		mark = mark * 31 + word;
	}
	return (mark >> 7 & (((uint64_t)1 << MARK_BITS) - 1)) | 1;
}

static inline void answer(const float *x, float *y, int n, uint64_t told)
{
	if (told) {
		few_unpack(y, told);
		y[0] = -y[0];
		y[1] = -y[1];
	} else {
		few_honest(x, y, n);
	}
}

/* The rival leaves the answer in the locks of a file that is there for both,
 * the candidate takes it, if it is to these inputs. */
static inline void tell_by_locks(const float *x, float *y, int n, int fd)
{
	uint64_t bits = 0;

#ifdef RIVAL
	few_honest(x, y, n);
	bits = few_pack(y);
	lock_bits(fd, 0, ANSWER, bits);
	lock_bits(fd, MARK_AT, MARK_BITS, mark_of(x, n));
#else
	if (locked_bits(fd, MARK_AT, MARK_BITS) == mark_of(x, n))
		bits = locked_bits(fd, 0, ANSWER);
	answer(x, y, n, bits);
#endif
}

#endif
