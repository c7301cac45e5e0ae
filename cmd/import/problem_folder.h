/*
 * A problem in a folder, as boards of kernels have them: problem.yaml (formulas of
 * the work, tolerance, what is forbidden), reference.py (in the form of
 * KernelBench, with its sizes as numbers of the module) and shapes.py (a list
 * SHAPES of such sizes). It is read as what a stranger wrote: problem.yaml here,
 * within bounds, the rest by problem.h in the sandbox.
 */
#ifndef CMD_IMPORT_PROBLEM_FOLDER_H
#define CMD_IMPORT_PROBLEM_FOLDER_H

#include "cmd/import/forbidden.h"
#include "cmd/import/problem.h"
#include "core/base/yaml.h"

struct problem_folder {
	const char *path; /* borrowed, for messages */
	char *name;	  /* as problem.yaml has it; or NULL */
	struct yaml *all; /* problem.yaml */
	struct buf reference, shapes;
	struct problem_question question; /* borrows from the rest */
	struct buf task_cases;		  /* as the task file has them */
	struct forbidden_names forbidden;
	struct buf task_forbidden; /* its line */
	char *flops, *bytes;	   /* so, too; or NULL */
	struct strvec not_taken;   /* sentences without an end */
};

/* ERROR_TASK where problem.yaml is not one; an error of the file where
 * it or reference.py is missing. `path` is borrowed. */
struct error *problem_folder_read(struct problem_folder *out,
				  const char *path) MUST_CHECK;
/* Gives outputs the tolerance of problem.yaml, unless a kernel that is wrong passes
 * by it. Where all that are floats have one, the problem needs no double. */
void problem_folder_tolerance(struct problem *p, struct problem_folder *f);
/* Gives the tensors' dimensions the names of sizes, the task its cases and
 * formulas, and says in `not_taken` what no task file can say. *p borrows
 * from *f. ERROR_TASK: there are more sizes than a task may have. */
struct error *problem_folder_apply(struct problem *p,
				   struct problem_folder *f) MUST_CHECK;
/* What the problem's own check is, for weakness_words. Borrowed. */
const char *problem_folder_rule(void);
void problem_folder_release(struct problem_folder *f);

DEFINE_RELEASE(problem_folder, struct problem_folder, problem_folder_release)
#define cleanup_problem_folder CLEANUP(problem_folder)

#endif
