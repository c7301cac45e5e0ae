/*
 * What a candidate finds in memory that it asks for and does not write. A new
 * process has zeros there, so that malloc where calloc was meant would pass.
 */
#ifndef RUNNER_HEAP_H
#define RUNNER_HEAP_H

/* Blocks of up to so many bytes, less a page, hold garbage when they are first
 * handed out. Larger ones come from the system, as zeros. */
#define HEAP_DIRTY_BYTES ((size_t)1 << 20)

/* Once a process, before its first launch, so that no launch tells another from it.
 * Of the thread that calls it: others have heaps of their own. */
void heap_dirty(void);

#endif
