/*
 * The cache of a run: one file with the arrays of a history as they are in
 * memory, but with offsets into the text at its end instead of pointers. Only
 * the build that wrote it reads it, in the clone for which it was written; all
 * others make their own. A repository from an archive may bring such a file. So
 * it is sealed with the id of the clone, which is drawn again if the folder is
 * another one, and no index or offset in it is followed out of bounds.
 *
 * It is not a database: the same rows of 100,000 attempts in SQLite (3.40,
 * without journal and sync, in one transaction) take 3.4 times as long to read
 * into a population and 4.1 times as long to write, and that file would also
 * have to be sealed.
 */
#ifndef GITSTORE_JOURNAL_CACHE_H
#define GITSTORE_JOURNAL_CACHE_H

#include "gitstore/journal/history.h"

#define CACHE_MAGIC	"avogit-cache-6"
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
	X(standing, struct standing)       \
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
	struct commit_id champion; /* "" if there is none */
	int64_t time_us;
	/* Its strings are offsets; its other pointers are meaningless. */
	struct population p;
	uint64_t header_sum; /* of all bytes before it; last */
};

/* A file that is mapped into memory, and where its parts are. */
struct cache_mapping {
	char *data;
	size_t len;
	struct cache_header h;
	const char *part[SECTION_COUNT];
};

/* The block of a population: measurements with their contents, then text. */
struct cache_block {
	const struct cache_mapping *m;
	struct measurement *measurement;
	struct comparison *comparison;
	struct setting *setting;
	char *text;
	bool bad;
};

/* Parts begin at multiples of this. */
#define CACHE_ALIGN 16
static inline size_t cache_aligned(size_t n)
{
	return (n + CACHE_ALIGN - 1) / CACHE_ALIGN * CACHE_ALIGN;
}

/* The linker's id of this build: a hash of the program, so that a build whose
 * structs or enums may differ has another id. False if the linker gave none;
 * then there is no cache. */
bool cache_build(unsigned char build[CACHE_BUILD_LEN]);
/* A checksum of data, sealed with the id of the clone. */
uint64_t cache_sum(const char *writer, const void *data, size_t len);
uint64_t cache_seed(const char *writer);
char *cache_path(const struct gitstore *g, const char *run) MUST_CHECK;

/* Opens the file and checks its first part, which says how long the file is. */
bool cache_open(struct cache_mapping *m, char writer[WRITER_LEN + 1],
		const struct gitstore *g, const char *run);
bool cache_is_whole(const struct cache_mapping *m, const char *writer,
		    enum section s);
/* A copy of a section, which may grow; NULL if it is empty. */
void *cache_own_part(size_t *n, size_t *cap, const struct cache_mapping *m,
		     enum section s) MUST_CHECK;
/* The text at an offset; NULL for 0. Sets b->bad if it is out of bounds. */
char *cache_text(struct cache_block *b, const char *offset);
/* Are the indexes of kinds of machines and of standings in bounds? */
bool cache_kinds_fit(const struct population *p);
/* Turns indexes into pointers. Sets b->bad if one is out of bounds. */
void cache_place_measurement(struct cache_block *b, struct measurement *m);
void cache_mapping_release(struct cache_mapping *m);

DEFINE_RELEASE(cache_mapping, struct cache_mapping, cache_mapping_release)

#endif
