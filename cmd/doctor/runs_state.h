/* What doctor says of the runs of a repository: those that cannot be read. */
#ifndef CMD_DOCTOR_RUNS_STATE_H
#define CMD_DOCTOR_RUNS_STATE_H

#include "cmd/doctor/diagnosis.h"
#include "gitstore/gitstore.h"

/* Adds a finding a damaged run, and nothing where all are whole. */
void runs_examine(struct diagnosis *d, struct gitstore *g);

#endif
