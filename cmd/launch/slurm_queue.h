/*
 * Slurm's own commands: sbatch, squeue and scancel, as a cluster without a
 * database has them. What runs under one name are arrays of jobs, so that a job
 * whose number was lost on its way is found again.
 */
#ifndef CMD_LAUNCH_SLURM_QUEUE_H
#define CMD_LAUNCH_SLURM_QUEUE_H

#include "core/base/error.h"

struct slurm_settings {
	char *partition;
	char *gres, *time; /* as sbatch takes them; may be NULL */
	char *options;	   /* more of them, in a shell's words; may be NULL */
	char *folder;	   /* absolute, the same on all nodes; may be NULL */
	int64_t jobs;	   /* at most so many at a time */
};
void slurm_settings_release(struct slurm_settings *s);

#define SLURM_ID_MAX   23
#define SLURM_WORD_MAX 63

/* A job of an array, as squeue lists it. */
struct queued {
	char array[SLURM_ID_MAX + 1]; /* the number of its array */
	int64_t index;
	int64_t restarts;
	char state[SLURM_WORD_MAX + 1]; /* RUNNING, ... */
	char reason[SLURM_WORD_MAX + 1];
	char node[SLURM_WORD_MAX + 1]; /* "" while it waits */
};
struct queue {
	struct queued *job;
	size_t n, cap;
};
void queue_release(struct queue *q);
DEFINE_RELEASE(queue, struct queue, queue_release)
#define cleanup_queue CLEANUP(queue)

/* Submits the script as an array of n jobs, 0 and up, that are put back into the
 * queue when their node fails. `folder`: their stderr goes there. ERROR_MOVED if
 * it may succeed later: the controller is away, the queue is full; ERROR_REFUSED
 * if Slurm declines; ERROR_INTERRUPTED at *stop. */
struct error *queue_submit(char array[SLURM_ID_MAX + 1],
			   const struct slurm_settings *s, const char *name,
			   const char *folder, const char *script, size_t n,
			   const volatile int *stop) MUST_CHECK;
/* All jobs of this name, also those that ended some minutes ago. Errors as
 * above. */
struct error *queue_list(struct queue *out, const char *name,
			 const volatile int *stop) MUST_CHECK;
/* Cancels all jobs of this name, or only those that wait. */
struct error *queue_cancel(const char *name, bool waiting) MUST_CHECK;
/* Has it ended, so that Slurm does not start it again? */
bool queued_is_over(const struct queued *job);

#endif
