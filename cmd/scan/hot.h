/*
 * The functions or kernels of a program with their share of its cost. Names, files
 * and numbers come from profilers, and these have them from the program: any of
 * them may be nonsense.
 */
#ifndef CMD_SCAN_HOT_H
#define CMD_SCAN_HOT_H

#include "core/base/buf.h"
#include "core/base/json.h"

struct hot_function {
	char *name;
	char *object; /* the file it was loaded from; NULL: not known */
	char *source; /* where it is defined; NULL: not known */
	long line;    /* 0: not known */
	double cost;
	/* The share of the nearer of the device's ceilings (arithmetic, memory)
	 * that it reaches, 0 to 1, weighted by cost; NAN: not known. */
	double reached;
};

struct hot_list {
	struct hot_function *f;
	size_t n, cap;
	size_t merge_at; /* so many are to be looked for twins the next time */
	double total;	 /* the cost of all, also of those that were dropped */
	bool is_time;	 /* else instructions */
};

/* Adds a cost; what is not a positive number is passed over. `object` may be
 * NULL, `reached` NAN. */
void hot_add(struct hot_list *h, const char *name, const char *object,
	     double cost, double reached);
/* Sums up what has one name and object, and ranks: by the share of the cost that
 * could be saved, which is all of it where no ceiling is known. */
void hot_rank(struct hot_list *h);
/* Of the total, 0 to 1. */
double hot_share(const struct hot_list *h, const struct hot_function *f);
/* Amdahl: how many times faster the whole is if this is so many times faster
 * (INFINITY: if it took no time). */
double hot_whole(const struct hot_list *h, const struct hot_function *f,
		 double times);
void hot_release(struct hot_list *h);

DEFINE_RELEASE(hot, struct hot_list, hot_release)
#define cleanup_hot CLEANUP(hot)

/* ---- what profilers print ------------------------------------------------ */

enum profile_form {
	PROFILE_PERF,	   /* perf script -F period,ip,sym,dso */
	PROFILE_CALLGRIND, /* the file of valgrind --tool=callgrind */
	PROFILE_NCU,	   /* ncu --csv --page raw */
	PROFILE_NSYS,	   /* nsys stats --report cuda_gpu_kern_sum, as csv */
};

/* Reads a text of any of these forms, and ranks it. ERROR_MALFORMED if it is of
 * none, ERROR_NOT_FOUND if it has no function. */
struct error *profile_parse(struct hot_list *out, enum profile_form *form,
			    const char *text) MUST_CHECK;
/* Adds what it understands of a table of ncu or nsys, which differ in the names of
 * their columns. */
void parse_kernels(struct hot_list *out, const char *text);

#endif
