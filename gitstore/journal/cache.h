/*
 * The cache of a run: one file, the arrays of a history as they are in memory,
 * with offsets into the text at its end in the place of pointers. Only the
 * build that wrote it and the clone that it was written for read it; all others
 * make their own. A repository that came as an archive may bring such a file:
 * it is sealed with the id of the clone, which is drawn again where the folder
 * is another, and nothing in it is followed out of bounds.
 *
 * Not a database: the same rows of 100,000 attempts in SQLite (3.40, without
 * journal and sync, in one transaction) take 3.4 times as long to read into a
 * population and 4.1 times as long to write, and its file would have to be
 * sealed all the same.
 */
#ifndef GITSTORE_JOURNAL_CACHE_H
#define GITSTORE_JOURNAL_CACHE_H

#include "gitstore/journal/history.h"

#define CACHE_MAGIC	"avogit-cache-4"
#define CACHE_MAX_BYTES ((size_t)2 << 30)
#define CACHE_BUILD_LEN 20

/* In the order of the file. */
#define SECTIONS(X)                        \
	X(reach, struct chain_tip)         \
	X(about, struct about)             \
	X(known, struct known)             \
	X(attempt, struct attempt)         \
	X(measurement, struct measurement) \
	X(comparison, struct comparison)   \
	X(setting, struct setting)         \
	X(lineage, struct lineage)         \
	X(sayings, struct saying)          \
	X(machine, struct machine_kind)    \
	X(text, char)

enum section {
#define X(name, type) SECTION_##name,
	SECTIONS(X)
#undef X
		SECTION_COUNT
};

extern const size_t cache_item_size[SECTION_COUNT];

struct cache_header {
	char magic[16];
	unsigned char build[CACHE_BUILD_LEN];
	size_t size[SECTION_COUNT]; /* of an item */
	size_t count[SECTION_COUNT];
	uint64_t sum[SECTION_COUNT];
	char run[RUN_NAME_MAX + 1];
	struct commit_id newest;
	struct commit_id champion; /* "" for none */
	int64_t time_us;
	/* Its strings as offsets; what else it points to means nothing. */
	struct population p;
	uint64_t header_sum; /* of all before it; last */
};

/* A file that lies in memory, and where its parts are. */
struct cache_mapping {
	char *data;
	size_t len;
	struct cache_header h;
	const char *part[SECTION_COUNT];
};

/* The block of a population: measurements and what they hold, then text. */
struct cache_block {
	const struct cache_mapping *m;
	struct measurement *measurement;
	struct comparison *comparison;
	struct setting *setting;
	char *text;
	bool bad;
};

/* Where a part may begin. */
#define CACHE_ALIGN 16
static inline size_t cache_aligned(size_t n)
{
	return (n + CACHE_ALIGN - 1) / CACHE_ALIGN * CACHE_ALIGN;
}

/* What the linker calls this build: a hash of the program, so that one whose
 * structs or enums may be others has another. False where the linker gave
 * none: there is no cache then. */
bool cache_build(unsigned char build[CACHE_BUILD_LEN]);
/* Of data, sealed with the id of the clone. */
uint64_t cache_sum(const char *writer, const void *data, size_t len);
uint64_t cache_seed(const char *writer);
char *cache_path(const struct gitstore *g, const char *run) MUST_CHECK;

/* The file, and of its parts the first one, which says how far it goes. */
bool cache_open(struct cache_mapping *m, char writer[WRITER_LEN + 1],
		const struct gitstore *g, const char *run);
bool cache_is_whole(const struct cache_mapping *m, const char *writer,
		    enum section s);
/* A copy of a section that may grow; NULL for none. */
void *cache_own_part(size_t *n, size_t *cap, const struct cache_mapping *m,
		     enum section s) MUST_CHECK;
/* The text at an offset; NULL for 0. b->bad where it is out of bounds. */
char *cache_text(struct cache_block *b, const char *offset);
/* Indexes become pointers. b->bad where one is out of bounds. */
void cache_place_measurement(struct cache_block *b, struct measurement *m);
void cache_mapping_release(struct cache_mapping *m);

DEFINE_RELEASE(cache_mapping, struct cache_mapping, cache_mapping_release)

#endif
