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

/* The task. `name`: letters, digits, _ and -; `from`: the problem's file name,
 * for a comment. `cuda`: for a GPU, else for the CPU. */
void kernelbench_task(struct buf *out, const struct problem *p,
		      const char *name, const char *from, bool cuda);
/* The problem's own text, as a function of the task's arguments: the candidate
 * to begin with, and the baseline. */
void kernelbench_candidate(struct buf *out, const struct problem *p,
			   const struct buf *text, bool cuda);
/* The same in double and in the problem's own precision. */
void kernelbench_reference(struct buf *out, const struct problem *p,
			   const struct buf *text);

#endif
