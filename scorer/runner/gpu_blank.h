/* The runner with the GPU open and nothing of anybody's in it, which can be made
 * ahead: the first that it is given decides whether it is a launcher, with device
 * code, or a capturer, with a candidate's whole object; it stays that. */
#ifndef RUNNER_GPU_BLANK_H
#define RUNNER_GPU_BLANK_H

#include "scorer/runner/channel.h"

/* Answers STARTED when the GPU is open. */
void blank_serve(union request *r);

#endif
