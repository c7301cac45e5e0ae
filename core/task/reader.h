/*
 * Reads values out of a task file. Each error says what a person needs:
 * "FILE:LINE: key: found X, allowed are ...". For the files of this module that
 * read a task file.
 */
#ifndef CORE_TASK_READER_H
#define CORE_TASK_READER_H

#include "core/base/yaml.h"
#include "core/task/keys.h"
#include "core/task/task.h"

struct task_reader {
	const char *path; /* for messages */
	struct task *task;
};

/* "PATH:LINE: where: found <y>, <allowed>". */
struct error *reader_refuse(const struct task_reader *r, const struct yaml *y,
			    const char *where, const char *allowed) MUST_CHECK;
/* An error unless y is a mapping whose keys are all in the table, for a place of
 * `in`, and each value of its type and within its bounds. An unknown key's error
 * names the nearest known one. What is needed may be missing. */
struct error *reader_keys(const struct task_reader *r, const struct yaml *y,
			  const char *where, const struct key *table,
			  unsigned in) MUST_CHECK;
/* An error unless each key is in one of these tables (NULL-terminated). */
struct error *reader_keys_among(const struct task_reader *r,
				const struct yaml *y, const char *where,
				const struct key *const *tables) MUST_CHECK;
/* An error for the first key of the table, for a place of `in`, that is needed
 * and missing. */
struct error *reader_needed(const struct task_reader *r, const struct yaml *y,
			    const char *where, const struct key *table,
			    unsigned in) MUST_CHECK;
/* The error for a required key that is missing. */
struct error *reader_missing(const struct task_reader *r, const struct yaml *y,
			     const char *where, const char *key) MUST_CHECK;

/* The getters leave *out unchanged if y is NULL (the key is missing). */
struct error *reader_word(char **out, const struct task_reader *r,
			  const struct yaml *y, const char *where) MUST_CHECK;
struct error *reader_int(int64_t *out, const struct task_reader *r,
			 const struct yaml *y, const char *where,
			 const struct key *k) MUST_CHECK;
struct error *reader_double(double *out, const struct task_reader *r,
			    const struct yaml *y, const char *where) MUST_CHECK;
struct error *reader_bool(bool *out, const struct task_reader *r,
			  const struct yaml *y, const char *where) MUST_CHECK;
/* Every symbol in it must be one of the task's, so cases are read first. */
struct error *reader_expr(struct expr **out, const struct task_reader *r,
			  const struct yaml *y, const char *where) MUST_CHECK;
/* A list of words, or a single word. */
struct error *reader_words(struct strvec *out, const struct task_reader *r,
			   const struct yaml *y, const char *where) MUST_CHECK;
/* Index of the word among `choices` (space-separated). */
struct error *reader_choice(int *out, const struct task_reader *r,
			    const struct yaml *y, const char *where,
			    const char *choices) MUST_CHECK;
/* A C identifier. */
struct error *reader_identifier(char **out, const struct task_reader *r,
				const struct yaml *y,
				const char *where) MUST_CHECK;
/* The name of a function; in C++ with qualifiers, template arguments and
 * parameters where they are needed ("void geo::scale(const float *, int)"). */
struct error *reader_function(char **out, const struct task_reader *r,
			      const struct yaml *y,
			      const char *where) MUST_CHECK;
/* `setup`: a function, but not in CUDA. */
struct error *reader_setup(char **out, const struct task_reader *r,
			   const struct yaml *y, const char *where) MUST_CHECK;
/* "1GiB", "64 MiB", "4096". */
struct error *reader_bytes(uint64_t *out, const struct task_reader *r,
			   const struct yaml *y, const char *where) MUST_CHECK;
struct error *reader_seconds(double *out, const struct task_reader *r,
			     const struct yaml *y,
			     const char *where) MUST_CHECK;

/* arguments.c: the list under `arguments:`. */
/* The keys rtol and atol of `y`, neither of them negative. */
struct error *task_read_rtol_atol(double *rtol, double *atol,
				  const struct task_reader *r,
				  const struct yaml *y,
				  const char *where) MUST_CHECK;
struct error *task_read_arguments(struct task_reader *r,
				  const struct yaml *list) MUST_CHECK;
/* code.c: reference, baselines, launcher. */
struct error *task_read_code(struct task_reader *r,
			     const struct yaml *root) MUST_CHECK;
/* runner.c: the mapping under `language:`, and what does not go with it; the
 * rest of that once all else is read. */
struct error *task_read_runner(const struct task_reader *r,
			       const struct yaml *root) MUST_CHECK;
struct error *task_check_runner(const struct task_reader *r,
				const struct yaml *root) MUST_CHECK;
/* code.c: 1 to 64 words without control characters. */
struct error *reader_plain_words(struct strvec *out,
				 const struct task_reader *r,
				 const struct yaml *y,
				 const char *where) MUST_CHECK;
/* code.c: a name that is found in PATH, or an absolute path. */
bool reader_names_program(const char *word);
/* Letters, digits and _+.-, a letter or digit first. */
bool reader_is_plain_name(const char *name);
/* 1 to 64 words; the key may be missing. */
struct error *task_read_command(struct strvec *out, const struct task_reader *r,
				const struct yaml *y,
				const char *where) MUST_CHECK;
/* build.c: the mapping under `build:`, which may be NULL. */
struct error *task_read_build(const struct task_reader *r,
			      const struct yaml *y) MUST_CHECK;
/* An error unless the path stays in the repository and means something there. */
struct error *reader_path(const struct task_reader *r, const struct yaml *y,
			  const char *where, const char *path) MUST_CHECK;
/* score.c: `score:` and `build:` of a task whose scores a command reports. Call
 * the second after limits were read. */
struct error *task_read_score_build(const struct task_reader *r,
				    const struct yaml *root) MUST_CHECK;
struct error *task_read_score(const struct task_reader *r,
			      const struct yaml *root) MUST_CHECK;
/* parse.c: patterns of paths from the task's folder. */
struct error *task_read_patterns(struct strvec *out,
				 const struct task_reader *r,
				 const struct yaml *y,
				 const char *where) MUST_CHECK;
/* flags.c: flags that are safe for the task's compiler; "-lNAME". */
struct error *task_read_flags(struct strvec *out, const struct task_reader *r,
			      const struct yaml *y,
			      const char *where) MUST_CHECK;
struct error *task_read_libs(struct strvec *out, const struct task_reader *r,
			     const struct yaml *y,
			     const char *where) MUST_CHECK;
/* cases.c: cases and hidden. Call it before any reader of expressions. */
struct error *task_read_cases(struct task_reader *r,
			      const struct yaml *root) MUST_CHECK;
/* After the arguments: refuses ranges of `hidden` that have an array of no elements, or a
 * size that cannot be computed, where all sizes are at ends. */
struct error *task_check_hidden(struct task_reader *r,
				const struct yaml *root) MUST_CHECK;

#endif
