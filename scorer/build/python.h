/*
 * The user's Python: $AVOGIT_PYTHON (of a virtual environment, say), else
 * /usr/bin/python3; and the PyTorch that it has. No task chooses it, since a
 * sandbox shows the folders that it needs.
 */
#ifndef SCORER_BUILD_PYTHON_H
#define SCORER_BUILD_PYTHON_H

#include "core/sandbox/sandbox.h"
#include "scorer/build/runner_command.h"

/* Asks it in the sandbox, without loading PyTorch. The words of the command are
 * PROGRAM -I, to which a caller adds what is run; the version is "Python 3.11.2,
 * PyTorch 1.13.0". ERROR_NOT_FOUND with the remedy if there is no such Python,
 * or it has no PyTorch. */
struct error *python_find(struct runner_command *out,
			  const struct sandbox *sandbox) MUST_CHECK;

#endif
