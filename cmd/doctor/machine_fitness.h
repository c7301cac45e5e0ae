/* Whether this machine is fit to measure on: for `avogit doctor`. */
#ifndef CMD_DOCTOR_MACHINE_FITNESS_H
#define CMD_DOCTOR_MACHINE_FITNESS_H

#include "cmd/doctor/diagnosis.h"

/* Its CPU as `compiler` names it, how quiet it is, its memory: rows. Takes a
 * second. */
void machine_fitness(struct diagnosis *found, const char *compiler);

#endif
