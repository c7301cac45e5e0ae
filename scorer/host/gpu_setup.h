/*
 * What a contest on the GPU and the first phase have in common: how runners
 * are started, where memory is mapped, how many launches a batch has, and
 * which class a scoring is of.
 *
 * sc->isolated is the reason why a scoring is of class isolated, or "" for
 * class replayed.
 */
#ifndef SCORER_HOST_GPU_SETUP_H
#define SCORER_HOST_GPU_SETUP_H

#include "core/base/hash.h"
#include "scorer/build/build.h"
#include "scorer/host/context.h"
#include "scorer/host/gpu_process.h"

struct runner_spec gpu_spec(const struct scoring *sc, const char *role,
			    int object_fd);
/* Writes the device code of a build into a memfd: each piece after its length
 * in eight bytes. */
struct error *gpu_cubins(int *out, const struct build *b) MUST_CHECK;
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
#define GPU_MOVES 4 /* sets of addresses that are tried */
/* Draws the addresses that all processes map buffers at; again for each
 * scoring. */
void gpu_addresses_draw(struct gpu_addresses *p, struct layout_random *layout);
/* Draws other addresses in the same windows: every process that could map the
 * last ones can map these. */
void gpu_addresses_shift(struct gpu_addresses *p, struct layout_random *layout);
/* Sets the sizes, for a batch of this call. */
void gpu_addresses_size(struct gpu_addresses *p, const struct entry_call *c);
/* Bytes that one process maps in all. */
uint64_t gpu_addresses_bytes(const struct gpu_addresses *p);
/* The identity of the first launch of a plan (with `prepares` of its
 * preparation too), independent of where its memory lies. */
struct error *gpu_plan_id(char out[HASH_HEX_LEN + 1], int plan, bool prepares,
			  const struct gpu_addresses *p) MUST_CHECK;
/* Is the first launch of the plan a chain? The plan's own word is enough: a
 * false one makes the candidate wait for itself. */
bool gpu_plan_is_chain(int plan);
/* Does a process see inputs before the clock starts: a prepare function, a
 * resident? */
bool gpu_has_preview(const struct scoring *sc);
/* Fills the inputs that are there before the clock starts. With such a
 * process: the static inputs of the set `s`, and other contents that are in no
 * launch; every process that maps the buffers sees them (if they are apart:
 * gets memory with them). Without one: the set itself. */
struct error *gpu_fill_preview(struct scoring *sc, struct gpu_buffers *buffers,
			       const struct input_set *s) MUST_CHECK;
/* An input set whose tensors lie where plans expect them. */
struct error *gpu_set(struct input_set *s, struct scoring *sc,
		      const struct task_case *c, enum fill mixed,
		      int64_t images) MUST_CHECK;
/* The number of images of a batch: enough to turn over the caches; in class
 * isolated one, or as many as the task hands over at once. */
struct error *gpu_count_images(int64_t *out, struct scoring *sc,
			       const struct task_case *c) MUST_CHECK;

#endif
