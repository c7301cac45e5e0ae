/*
 * The files of a kernel repository for a problem in the form of KernelBench: the
 * task, the first candidate, the baseline and the reference.
 */
#ifndef CMD_IMPORT_KERNELBENCH_H
#define CMD_IMPORT_KERNELBENCH_H

#include "cmd/import/problem.h"

#define KERNELBENCH_TASK      TASK_FILE
#define KERNELBENCH_CANDIDATE "kernel.py"
#define KERNELBENCH_EAGER     "eager.py"
#define KERNELBENCH_REFERENCE "reference.py"

/* What else the task says. Borrowed. */
struct kernelbench_heading {
	const char *name; /* letters, digits, _ and - */
	/* For a comment: the form that the problem has, as import is told it,
	 * and the name of its file. */
	const char *form, *from;
	bool cuda;		      /* for a GPU, else for the CPU */
	bool suite;		      /* the rule of KernelBench is shown */
	const struct strvec *remarks; /* lines of comment; may be NULL */
};

void kernelbench_task(struct buf *out, const struct problem *p,
		      const struct kernelbench_heading *h);
/* The problem's own text, as a function of the task's arguments: the candidate
 * to begin with, and the baseline. */
void kernelbench_candidate(struct buf *out, const struct problem *p,
			   const struct buf *text, bool cuda);
/* The same in double and in the problem's own precision. */
void kernelbench_reference(struct buf *out, const struct problem *p,
			   const struct buf *text);

#endif
