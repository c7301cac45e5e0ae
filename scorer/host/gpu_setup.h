/*
 * What a contest on the GPU and the check of correctness before it have in
 * common: how runners are started, where memory is mapped, how many launches a
 * batch has, and which class a scoring is of.
 *
 * sc->isolated is the reason why a scoring is of class isolated, or "" for
 * class replayed. Sizes are bytes.
 */
#ifndef SCORER_HOST_GPU_SETUP_H
#define SCORER_HOST_GPU_SETUP_H

#include "core/base/hash.h"
#include "scorer/build/build.h"
#include "scorer/host/context.h"
#include "scorer/host/gpu_process.h"

/* ---- runners ------------------------------------------------------------- */

/* A runner of this role, on the card of the scoring. Borrows from *sc;
 * `object_fd` is borrowed too. */
struct runner_spec gpu_spec(const struct scoring *sc, const char *role,
			    int object_fd);
/* The same for a resident that holds this build, which is borrowed: our own
 * program, or the one that the build says. */
struct runner_spec gpu_resident_spec(const struct scoring *sc,
				     const struct build *b);
/* Writes the device code of a build into a memfd, which the caller closes: each
 * piece follows its length in eight bytes. */
struct error *gpu_cubins(int *out, const struct build *b) MUST_CHECK;

/* ---- the class of a scoring ---------------------------------------------- */

/* May plans be replayed? Not if the task asks for class isolated, nor if
 * kernels could write into a launcher. */
bool gpu_replays(const struct scoring *sc);
/* Sets the class that a scoring begins with, for any candidate. An error if the
 * task demands a class that is not possible on the machine. */
struct error *gpu_choose_class(struct scoring *sc) MUST_CHECK;
/* Makes this scoring one of class isolated, for this reason. *o fails if
 * the task demands class replayed. */
void gpu_isolate(struct score_outcome *o, struct scoring *sc, const char *why);
/* Can replaying have caused this failure? A launcher lacks what a first call
 * leaves in memory for later calls. */
bool gpu_is_of_replay(enum verdict v);

/* ---- addresses ----------------------------------------------------------- */

#define GPU_MOVES 4 /* sets of addresses that are tried */
/* Draws the addresses at which all processes map buffers, in windows of
 * GPU_WINDOW bytes; again for each scoring. Leaves the sizes as they are. */
void gpu_addresses_draw(struct gpu_addresses *p, struct layout_random *layout);
/* Draws other addresses in the same windows: every process that could map the
 * last ones can map these. */
void gpu_addresses_shift(struct gpu_addresses *p, struct layout_random *layout);
/* Sets the sizes and the number of images, for a batch of this call. */
void gpu_addresses_size(struct gpu_addresses *p, const struct entry_call *c);
/* Bytes that one process maps in all. */
uint64_t gpu_addresses_bytes(const struct gpu_addresses *p);

/* ---- plans: memfds, borrowed --------------------------------------------- */

/* The identity of the first launch of a plan, with `prepares` of its
 * preparation too. Pointers into the buffers count as offsets, so that it does
 * not depend on the addresses `p` of the capture. A plan whose counts cannot be
 * has one, too: the launcher refuses it. */
struct error *gpu_plan_id(char out[HASH_HEX_LEN + 1], int plan, bool prepares,
			  const struct gpu_addresses *p) MUST_CHECK;
/* A copy that who wrote the plan cannot reach; of large holes holes. */
struct error *gpu_plan_copy(int *out, int plan) MUST_CHECK;
/* Is the first launch of the plan a chain (plan_is_chain)? The plan's own word
 * is enough: if it is false, the candidate only waits for itself. */
bool gpu_plan_is_chain(int plan);
/* Does its first launch say that it takes memory on its stream? */
bool gpu_plan_takes_memory(int plan);

/* ---- inputs of a batch --------------------------------------------------- */

/* Does a process see inputs before the clock starts: a prepare function, a
 * resident? */
bool gpu_has_preview(const struct scoring *sc);
/* Fills the inputs that exist before the clock starts. With a preview: the
 * static inputs of the set `s`, and for the others contents that no launch
 * uses; every process that maps the buffers sees them (if the buffers are
 * apart, each slot gets new memory with them). Without one: the set itself. */
struct error *gpu_fill_preview(struct scoring *sc, struct gpu_buffers *buffers,
			       const struct input_set *s) MUST_CHECK;
/* Draws an input set of `images` images whose tensors lie where plans expect
 * them. `mixed`: the contents of arguments that say `fill: mixed`. */
struct error *gpu_set(struct input_set *s, struct scoring *sc,
		      const struct task_case *c, enum fill mixed,
		      int64_t images) MUST_CHECK;
#define GPU_MIN_IMAGES 5
/* The number of images of a batch. Class replayed: so many that a batch without
 * the idle image turns over 256 MiB, at least 5, at most GPU_IMAGES and what
 * 4 GiB hold. Class isolated: one, or with `metric: throughput` as many as the
 * task hands over at once. */
struct error *gpu_count_images(int64_t *out, struct scoring *sc,
			       const struct task_case *c) MUST_CHECK;

#endif
