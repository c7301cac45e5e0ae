/*
 * What a contest on the GPU and its first phase have alike: how runners are
 * started, where memory is mapped, how many launches a batch has.
 */
#ifndef SCORER_HOST_GPU_SETUP_H
#define SCORER_HOST_GPU_SETUP_H

#include "core/base/hash.h"
#include "scorer/build/build.h"
#include "scorer/host/context.h"
#include "scorer/host/gpu_process.h"

struct runner_spec gpu_spec(const struct scoring *sc, const char *role,
			    int object_fd);
/* The device code of a build in one file, each piece behind its length. */
struct error *gpu_cubins(int *out, const struct build *b) MUST_CHECK;
/* Whether anything may be replayed: the task may ask for the other class, and
 * on some machines a launcher is not safe from the kernels it launches. */
bool gpu_replays(const struct scoring *sc);
/* Begins a scoring, of the class that it is of whatever the candidate is like.
 * An error where the task demands what the machine cannot give. */
struct error *gpu_choose_class(struct scoring *sc) MUST_CHECK;
/* From here on this scoring is one of class isolated, for this reason; where
 * the task demands the other class *o says so. */
void gpu_isolate(struct score_outcome *o, struct scoring *sc, const char *why);
/* A failure that may come of being replayed alone: of what a first call left
 * behind there is nothing in a launcher. */
bool gpu_is_of_replay(enum verdict v);
#define GPU_MOVES 4 /* addresses that are tried */
/* Addresses to map at: others for every scoring. */
void gpu_addresses_draw(struct gpu_addresses *p, struct layout_random *layout);
/* Others that every process which had the last ones can be had at. */
void gpu_addresses_shift(struct gpu_addresses *p, struct layout_random *layout);
/* The sizes, of a batch of this call. */
void gpu_addresses_size(struct gpu_addresses *p, const struct entry_call *c);
/* Bytes that one process maps of it. */
uint64_t gpu_addresses_bytes(const struct gpu_addresses *p);
/* What identifies a captured plan's first launch, and with `prepares` what
 * prepares it, wherever its memory lies. */
struct error *gpu_plan_id(char out[HASH_HEX_LEN + 1], int plan, bool prepares,
			  const struct gpu_addresses *p) MUST_CHECK;
/* Does its first launch do one thing after the other? What it says of itself is
 * enough: who lies waits for himself. */
bool gpu_plan_is_chain(int plan);
/* Is there somebody before the clock who might look at the inputs: a prepare
 * function, a resident? */
bool gpu_has_preview(const struct scoring *sc);
/* Then this fills a set that goes before the one that is timed, and every process
 * that maps the buffers sees it (where they are apart: gets memory with it): the
 * static inputs of the set to come, other inputs of no set that is ever launched.
 * Where there is no such process, the set itself. */
struct error *gpu_fill_preview(struct scoring *sc, struct gpu_buffers *buffers,
			       const struct input_set *s) MUST_CHECK;
/* A set whose tensors lie where the plans think. */
struct error *gpu_set(struct input_set *s, struct scoring *sc,
		      const struct task_case *c, enum fill mixed,
		      int64_t images) MUST_CHECK;
/* Launches of a batch: enough to turn over the caches; in class isolated one,
 * or as many as the task hands over at once. */
struct error *gpu_count_images(int64_t *out, struct scoring *sc,
			       const struct task_case *c) MUST_CHECK;

#endif
