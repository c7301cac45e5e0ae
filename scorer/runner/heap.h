/*
 * What a candidate, or a reference, finds in memory that it asks for and does not
 * write. A new process has zeros there, so that malloc where calloc was meant would pass.
 */
#ifndef RUNNER_HEAP_H
#define RUNNER_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Blocks of up to so many bytes, less a page, hold garbage when they are first
 * handed out. Larger ones come from the system, as zeros. The scorer allows for this in
 * what a runner may touch (OWN_RESIDENT); DIRTY_BYTES of runner.py is the same. */
#define HEAP_DIRTY_BYTES ((size_t)16 << 20)

/* Once a process, before its first launch, so that no launch tells another from it.
 * Of the thread that calls it: others have heaps of their own. */
void heap_dirty(void);

/* The same of all that the process asks for from now on: 0x45 in all bytes where
 * `negative` is false, else 0xc3. For a moment: heap_clean ends it. */
void heap_garbage(bool negative);
void heap_clean(void);
/* And of what a function called next finds on the stack. */
void stack_garbage(bool negative);

#endif
