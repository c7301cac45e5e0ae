/*
 * Logs: transcripts, build logs, profiles. They are large, perhaps private, and
 * not needed to resume a run. refs/avogit/RUN/logs/WRITER is a chain of
 * commits, the newest first, each with a tree of one file, the log under its
 * name. It is sent elsewhere only on request, and `avogit prune` drops it. A
 * pruned chain is made again without what was dropped, so moving its ref is
 * then not a fast-forward (it has one writer, which may push it by force).
 */
#ifndef GITSTORE_RUN_LOGS_H
#define GITSTORE_RUN_LOGS_H

#include "gitstore/gitstore.h"

#define LOG_NAME_MAX 200

struct log_info {
	struct commit_id id; /* of its commit */
	char writer[WRITER_LEN + 1];
	char *name;
	int64_t time; /* seconds */
	uint64_t bytes;
};
struct log_list {
	struct log_info *log; /* those of one writer together, newest first */
	size_t n, cap;
	uint64_t bytes;
};

/* Keeps the file at `path`, of any size, as a log under this name (one file
 * name; the same name again is another log) in this clone's chain of the run.
 * Does not read it into memory. Returns when it is reachable. */
struct error *gitstore_log_add_file(struct gitstore *g, const char *run,
				    const char *name,
				    const char *path) MUST_CHECK;
/* Adds the logs of a run that were written before `before` (seconds; INT64_MAX:
 * all of them). */
struct error *gitstore_log_list(struct log_list *out, struct gitstore *g,
				const char *run, int64_t before) MUST_CHECK;
/* Runs that have logs, "@" included, sorted. */
struct error *gitstore_log_runs(struct strvec *out,
				struct gitstore *g) MUST_CHECK;
/* Drops the logs of a run from before `before`, and adds them to *out. git
 * frees the space when it collects the next time. */
struct error *gitstore_log_prune(struct log_list *out, struct gitstore *g,
				 const char *run, int64_t before) MUST_CHECK;
void log_list_release(struct log_list *l);

/* archive.open_log and keep_log; the run's lock is held. */
struct error *run_log_open(int *out, struct gitstore *g, const char *run,
			   const char *name) MUST_CHECK;
struct error *run_log_keep(struct gitstore *g, const char *run,
			   const char *name) MUST_CHECK;
/* The folder of logs that are being written. free() disposes. */
char *run_log_folder(const struct gitstore *g, const char *run) MUST_CHECK;

DEFINE_RELEASE(log_list, struct log_list, log_list_release)
#define cleanup_log_list CLEANUP(log_list)

#endif
