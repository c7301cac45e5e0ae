/*
 * One comparison at a time on a card, whoever runs it: a lock by the card's
 * UUID, held while arms are timed and not while anything is compiled. The
 * kernel gives it back when its holder dies.
 */
#ifndef SCORER_DEVICE_LOCK_H
#define SCORER_DEVICE_LOCK_H

#include "core/base/error.h"

/* As gpu_lock_take, but where somebody has it *fd stays as it is. */
struct error *gpu_lock_try(int *fd, const char *folder,
			   const char *uuid) MUST_CHECK;
/* Waits for it. *fd holds it until it is closed. `folder` is one that all
 * users of the machine can write: /tmp. ERROR_INTERRUPTED where a signal comes
 * while it waits and *stop_now is 2; may be NULL. */
struct error *gpu_lock_take(int *fd, const char *folder, const char *uuid,
			    const volatile int *stop_now) MUST_CHECK;

#endif
