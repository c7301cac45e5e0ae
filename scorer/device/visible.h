/*
 * What a program that we start sees of the cards: words of its environment,
 * and nodes in its sandbox.
 */
#ifndef SCORER_DEVICE_VISIBLE_H
#define SCORER_DEVICE_VISIBLE_H

#include "core/base/strvec.h"
#include "scorer/device/gpu.h"

/* The word by which a user, or a scheduler, chooses cards. */
#define GPU_VISIBLE "CUDA_VISIBLE_DEVICES"

/* By what words of the environment a user chooses cards: for programs that get
 * an environment of their own, to see the same ones in the same order. */
void gpu_environment(struct strvec *env);
/* For a program that may use this card and no other: the words by which the
 * driver takes it, whatever the user's own say, and its device node. Where the
 * card's name or node is not known they are the user's words, and all nodes. */
void gpu_alone(struct strvec *env, struct strvec *nodes, const struct gpu *g);

#endif
