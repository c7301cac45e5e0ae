/*
 * The archive as the loop uses it: it makes and keeps candidates, and writes
 * and reads the journal. gitstore/ implements it on a repository; tests use a
 * simple substitute.
 */
#ifndef CORE_RUN_ARCHIVE_H
#define CORE_RUN_ARCHIVE_H

#include "core/run/candidate.h"
#include "core/run/journal.h"
#include "core/run/population.h"

struct workspace {
	char *dir; /* absolute */
};

void workspace_release(struct workspace *w);

/* What the message of a candidate's commit says. */
struct proposal {
	const char *subject;	/* what was tried, one line */
	const char *hypothesis; /* why it should help; NULL for none */
	const char *operator_name;
	const char *assisted_by; /* "avogit:model"; NULL: no model took part */
	const char *after; /* rejected candidate it was edited on, or NULL */
	const char *run;
	int64_t number;
	size_t island; /* where it was bred; 0: the run has none */
};

struct archive {
	/* A folder with the parent's files that a build needs, and no .git.
	 * close_workspace removes it. */
	struct error *(*open_workspace)(struct archive *self,
					struct workspace *out,
					const char *parent);
	void (*close_workspace)(struct archive *self, struct workspace *w);
	/* Reads the sources back from the workspace and makes a candidate of
	 * them: a commit on `parent` whose tree differs in the sources only. If
	 * nothing differs, *same is true and *id is the parent's. */
	struct error *(*seal)(struct archive *self, struct commit_id *id,
			      bool *same, const struct workspace *w,
			      const char *parent, const struct proposal *p);
	struct error *(*load)(struct archive *self, struct candidate *out,
			      const char *id);
	/* Writes the entry to this clone's journal and, for a measurement, the
	 * note; moves the run's branches. Sets e->id, writer and time_us. */
	struct error *(*append)(struct archive *self, struct entry *e,
				const struct population *after);
	/* Reads every entry of the run, oldest first, into p. */
	struct error *(*read)(struct archive *self, struct population *p,
			      const char *run);
	/* An earlier measurement of the same identity, by any run; NULL in *out
	 * if there is none. measurement_free disposes. */
	struct error *(*find)(struct archive *self, struct measurement **out,
			      const struct identity *identity);
	/* Adds the difference of two candidates' sources as `git diff` would
	 * print it, up to the limit of *text. (optional) */
	struct error *(*diff)(struct archive *self, struct buf *text,
			      const char *from, const char *to);
	/* The same for files that are not a candidate's yet. (optional) */
	struct error *(*diff_files)(struct archive *self, struct buf *text,
				    const struct fileset *from,
				    const struct fileset *to);
	/* Opens a log of the run under this name (one file name) to append to;
	 * it survives the death of this process. The caller closes *fd.
	 * keep_log puts it among the run's logs; after a process was killed,
	 * the run's next open_log does that. (optional, both) */
	struct error *(*open_log)(struct archive *self, int *fd,
				  const char *run, const char *name);
	struct error *(*keep_log)(struct archive *self, const char *run,
				  const char *name);
	/* Saves the text of the step that the run has in the middle
	 * (saved_step.h), in the place of an earlier one; NULL: there is none.
	 * It survives the death of this process, and stays in this clone.
	 * (optional, both) */
	struct error *(*save_step)(struct archive *self, const char *run,
				   const char *text);
	/* Replaces *text by it, "" if there is none. */
	struct error *(*load_step)(struct archive *self, struct buf *text,
				   const char *run);
	/* The whole measurement of which the population keeps a brief one; NULL
	 * in *out if the population's is whole already, or if it is missing.
	 * measurement_free disposes. (optional) */
	struct error *(*recall)(struct archive *self, struct measurement **out,
				const struct attempt *a);
	/* Where processes of this clone share the run (optional, all of these):
	 * what is done to the run is done in one's turn. take_turn takes it if
	 * no other process has it (*taken), and then applies to p what others
	 * have written; it may be held already. */
	struct error *(*take_turn)(struct archive *self, bool *taken,
				   struct population *p, const char *run);
	/* Gives it to another, or does not wait for it any more. */
	void (*give_turn)(struct archive *self);
	/* Applies what others have written, in another's turn too. */
	struct error *(*catch_up)(struct archive *self, struct population *p,
				  const char *run);
	/* A candidate is measured in nobody's turn, until `begins` is false or
	 * this process ends; and is one by another process? */
	void (*hold)(struct archive *self, const char *id, bool begins);
	bool (*is_held)(struct archive *self, const char *id);
	/* Does another process extend the run now? */
	bool (*has_others)(struct archive *self);
	/* This process extends the run no more. Do others? */
	bool (*leave)(struct archive *self);
};

#endif
