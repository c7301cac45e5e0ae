/*
 * The files of FlashInfer-Bench, which say a task in its words: a Definition
 * (shapes as named axes, a reference in Python), a Solution, and Traces, which
 * are its times on Workloads. docs/export.md says what a task must be for that.
 */
#ifndef CMD_EXPORT_FLASHINFER_H
#define CMD_EXPORT_FLASHINFER_H

#include "cmd/export/axes.h"
#include "cmd/export/package.h"

#define FLASHINFER_OP_TYPE "custom"
#define FLASHINFER_AUTHOR  "avogit"

/* Refuses, in one sentence, a task that has no Definition. */
struct error *flashinfer_check(const struct export_source *s) MUST_CHECK;
/* Are the files of s->out text? JSON and Python hold characters, not bytes. */
struct error *flashinfer_check_text(const struct export_source *s) MUST_CHECK;
/* The Definition; json_free disposes. s->out holds what its reference is built
 * from, and nothing else. */
struct error *flashinfer_definition(struct json **out, struct export_source *s,
				    const struct axes *axes) MUST_CHECK;
/* Score, machine, commit, licence: for people. free() disposes. */
char *flashinfer_facts(const struct export_source *s) MUST_CHECK;
/* A Trace a line, for each case: with the times of this Solution, or with the
 * Workload alone (NULL). */
struct error *flashinfer_traces(struct buf *out, const struct export_source *s,
				const struct axes *axes,
				const char *solution) MUST_CHECK;
/* "x, w": the names of what `run` takes. */
void flashinfer_inputs(struct buf *out, const struct export_source *s);
/* `x, w, 3`: what the operator is called with. */
void flashinfer_operands(struct buf *out, const struct export_source *s);

#endif
