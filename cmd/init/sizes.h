/*
 * Which sizes of a first task go with each other. A convolution has m - k + 1
 * outputs: k is small, or there are none.
 */
#ifndef CMD_INIT_SIZES_H
#define CMD_INIT_SIZES_H

#include "core/task/template.h"

/* Sets `above_least` or `small` so that every size of the task's cases and hidden
 * ranges has its tensors and its work; where neither does that, `no_hidden`.
 * `path` is the task file's. */
void sizes_choose(struct template *t, const char *path);

#endif
