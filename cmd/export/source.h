/*
 * What `avogit export` writes, and what it knows of the candidate that it
 * writes it for. export_read reads the candidate, its task and its scores; each
 * form (header.c, torch.c ...) then adds files to `out`; export_write makes the
 * folder.
 *
 * All of a repository is hostile here: paths are checked by export_read, so
 * that a shell, a make and a Python can name them; names of arguments are
 * identifiers; other text goes through export_comment or JSON.
 */
#ifndef CMD_EXPORT_SOURCE_H
#define CMD_EXPORT_SOURCE_H

#include "cmd/session/session.h"
#include "gitstore/run/pick.h"

/* A function of a built object. */
struct export_function {
	const char *name; /* as the task has it. Borrowed */
	char *symbol;	  /* of the linker; NULL: there is no such function */
};

struct export_source {
	struct session session;
	struct pick pick; /* the candidate, its run and its measurement */
	struct candidate candidate;
	const struct task *task; /* borrowed from the session */
	char *function;		 /* an identifier made of the task's name */
	char *package;		 /* "avogit_" and that */
	char *space;		 /* of PyTorch's operators: as the package */
	struct strvec sources;	 /* compiled by themselves */
	struct strvec flags;	 /* all but libraries */
	struct strvec libs;	 /* "-lm" */
	char *arch;		 /* CUDA; NULL: not */
	struct export_function entry, prepare, setup;
	/* The file of the repository that says its licence, and what it is as
	 * an identifier of SPDX; NULL: not known. */
	char *licence_file, *licence;
	struct fileset out;
};

/* `rev` NULL: the champion of `run`, or of the task's run. The
 * names of C++ functions for the linker come from a build in the sandbox. */
struct error *export_read(struct export_source *s, const char *rev,
			  const char *run) MUST_CHECK;
void export_source_release(struct export_source *s);
DEFINE_RELEASE(export_source, struct export_source, export_source_release)
#define cleanup_export_source CLEANUP(export_source)

/* Refuses a path that is not plain. */
struct error *export_check_path(const char *path) MUST_CHECK;
/* Adds a file to `out`. */
struct error *export_put(struct export_source *s, const char *path,
			 const struct buf *text) MUST_CHECK;
/* Adds the candidate's files (sources, includes, build.files) below `folder`,
 * which ends in a slash. */
struct error *export_put_files(struct export_source *s,
			       const char *folder) MUST_CHECK;
/* The licence of the repository and export.json, which says what was exported:
 * task, commit, score, machine, flags. */
struct error *export_put_facts(struct export_source *s,
			       const char *form) MUST_CHECK;

/* Adds one line of text after `begin`, with nothing that could end a comment of
 * C or of Python. */
void export_comment(struct buf *out, const char *begin, const char *text);
/* What a reader must know, as lines that begin so: score, machine, commit, task,
 * shapes, licence. */
void export_facts(struct buf *out, const struct export_source *s,
		  const char *begin);
/* The table of arguments, in Markdown. */
void export_arguments(struct buf *out, const struct export_source *s);

/* Makes the folder with all of `out`, or nothing. `force`: replaces an export
 * that is there. */
struct error *export_write(const struct export_source *s, const char *dir,
			   bool force) MUST_CHECK;

/* ---- the forms ----------------------------------------------------------- */

struct error *export_header(struct export_source *s) MUST_CHECK;
struct error *export_torch(struct export_source *s) MUST_CHECK;
struct error *export_flashinfer(struct export_source *s) MUST_CHECK;
struct error *export_hub(struct export_source *s) MUST_CHECK;

#endif
