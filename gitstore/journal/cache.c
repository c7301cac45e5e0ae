#include "gitstore/journal/cache.h"

#include <fcntl.h>
#include <link.h>
#include <stdalign.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

const size_t cache_item_size[] = {
#define X(name, type) [SECTION_##name] = sizeof(type),
	SECTIONS(X)
#undef X
};

/* The id is in the notes of the program, which comes before its libraries. */
static int find_build(struct dl_phdr_info *info, size_t size UNUSED, void *arg)
{
	const ElfW(Nhdr) **found = arg;

	for (size_t i = 0; i < info->dlpi_phnum && !*found; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		const char *at =
			(const char *)(info->dlpi_addr + part->p_vaddr);
		const char *end = at + part->p_memsz;

		while (part->p_type == PT_NOTE && at < end && !*found) {
			const ElfW(Nhdr) *note = (const void *)at;

			if (note->n_type == NT_GNU_BUILD_ID &&
			    note->n_namesz == sizeof "GNU" &&
			    memcmp(note + 1, "GNU", sizeof "GNU") == 0)
				*found = note;
			at += sizeof *note + ((note->n_namesz + 3) & ~3u) +
			      ((note->n_descsz + 3) & ~3u);
		}
	}
	return 1;
}

bool cache_build(unsigned char build[CACHE_BUILD_LEN])
{
	const ElfW(Nhdr) *note = NULL;

	memset(build, 0, CACHE_BUILD_LEN);
	dl_iterate_phdr(find_build, &note);
	if (note)
		memcpy(build, (const char *)(note + 1) + sizeof "GNU",
		       MIN(note->n_descsz, CACHE_BUILD_LEN));
	return note != NULL;
}

/* A seed that the file of another clone does not have. */
uint64_t cache_seed(const char *writer)
{
	return XXH3_64bits(writer, strlen(writer));
}

uint64_t cache_sum(const char *writer, const void *data, size_t len)
{
	return XXH3_64bits_withSeed(data, len, cache_seed(writer));
}

char *cache_path(const struct gitstore *g, const char *run)
{
	return xasprintf("%scache/%s", g->private_dir, run);
}

void cache_mapping_release(struct cache_mapping *m)
{
	if (m->data)
		munmap(m->data, m->len);
}
static bool map_file(struct cache_mapping *m, const char *path)
{
	cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	void *data;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size < (off_t)sizeof m->h ||
	    (uintmax_t)st.st_size > CACHE_MAX_BYTES)
		return false;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return false;
	m->data = data;
	m->len = (size_t)st.st_size;
	memcpy(&m->h, data, sizeof m->h);
	return true;
}

static bool is_of(const struct cache_header *h, const char *writer,
		  const char *run)
{
	unsigned char build[CACHE_BUILD_LEN];

	return memcmp(h->magic, CACHE_MAGIC, sizeof CACHE_MAGIC) == 0 &&
	       cache_build(build) &&
	       memcmp(h->build, build, sizeof build) == 0 &&
	       memcmp(h->size, cache_item_size, sizeof h->size) == 0 &&
	       h->header_sum ==
		       cache_sum(writer, h,
				 offsetof(struct cache_header, header_sum)) &&
	       strncmp(h->run, run, sizeof h->run) == 0;
}

/* Do the parts fill the file exactly? */
static bool find_parts(struct cache_mapping *m)
{
	size_t at = cache_aligned(sizeof m->h);

	if (at > m->len)
		return false;
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		size_t n = m->h.count[i];

		if (n > (m->len - at) / cache_item_size[i])
			return false;
		m->part[i] = m->data + at;
		at += n * cache_item_size[i];
		if (i + 1 < SECTION_COUNT)
			at = cache_aligned(at);
		if (at > m->len)
			return false;
	}
	return at == m->len && m->h.count[SECTION_text] > 0 &&
	       m->data[m->len - 1] == '\0';
}

bool cache_is_whole(const struct cache_mapping *m, const char *writer,
		    enum section s)
{
	return m->h.sum[s] == cache_sum(writer, m->part[s],
					m->h.count[s] * cache_item_size[s]);
}

bool cache_open(struct cache_mapping *m, char writer[WRITER_LEN + 1],
		const struct gitstore *g, const char *run)
{
	cleanup_free char *path = cache_path(g, run);

	return store_writer(writer, g) && map_file(m, path) &&
	       is_of(&m->h, writer, run) && find_parts(m) &&
	       cache_is_whole(m, writer, SECTION_reach);
}

char *cache_text(struct cache_block *b, const char *offset)
{
	size_t at = (size_t)offset;

	if (!at)
		return NULL;
	if (at < b->m->h.count[SECTION_text])
		return b->text + at;
	b->bad = true;
	return NULL;
}

/* Are items first..first + n inside a section? */
static bool within(const struct cache_block *b, enum section s,
		   const void *first, size_t n)
{
	size_t count = b->m->h.count[s], at = (size_t)first;

	return at <= count && n <= count - at;
}

void cache_place_measurement(struct cache_block *b, struct measurement *m)
{
	if (!within(b, SECTION_comparison, m->comparisons, m->n_comparisons) ||
	    !within(b, SECTION_setting, m->environment, m->n_environment) ||
	    m->n_cases || m->resources.n ||
	    (unsigned)m->verdict >= VERDICT_COUNT ||
	    (unsigned)m->trust > TRUST_REPORTED) {
		b->bad = true;
		return;
	}
	m->why = cache_text(b, m->why);
	m->comparisons = b->comparison + (size_t)m->comparisons;
	m->environment = b->setting + (size_t)m->environment;
}

/* A section was copied, so the pages of the file can be dropped. */
static void let_go(const struct cache_mapping *m, enum section s)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t at = (size_t)(m->part[s] - m->data);
	size_t end = at + m->h.count[s] * cache_item_size[s];

	at = (at + page - 1) / page * page;
	if (at < end / page * page)
		madvise(m->data + at, end / page * page - at, MADV_DONTNEED);
}

static void *copy_part(char **to, const struct cache_mapping *m, enum section s)
{
	size_t len = m->h.count[s] * cache_item_size[s];
	void *at = *to;

	memcpy(at, m->part[s], len);
	let_go(m, s);
	*to += (len + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	return at;
}

static void place_block(struct cache_block *b, struct population *p,
			const struct cache_mapping *m)
{
	static const enum section in[] = {SECTION_measurement,
					  SECTION_comparison, SECTION_setting,
					  SECTION_text};
	size_t len = 0;
	char *at;

	for (size_t i = 0; i < ARRAY_SIZE(in); i++)
		len += m->h.count[in[i]] * cache_item_size[in[i]] +
		       alignof(max_align_t);
	p->block = at = malloc(len);
	p->block_len = len;
	b->bad = !at;
	if (!at)
		return;
	b->m = m;
	b->measurement = copy_part(&at, m, SECTION_measurement);
	b->comparison = copy_part(&at, m, SECTION_comparison);
	b->setting = copy_part(&at, m, SECTION_setting);
	b->text = copy_part(&at, m, SECTION_text);
	for (size_t i = 0; i < m->h.count[SECTION_comparison]; i++) {
		struct comparison *c = &b->comparison[i];

		c->name = cache_text(b, c->name);
		b->bad = b->bad || !c->name || c->n_cases ||
			 (unsigned)c->rival > RIVAL_START;
	}
	for (size_t i = 0; i < m->h.count[SECTION_setting]; i++) {
		struct setting *s = &b->setting[i];

		s->key = cache_text(b, s->key);
		s->value = cache_text(b, s->value);
		b->bad = b->bad || !s->key || !s->value;
	}
	for (size_t i = 0; i < m->h.count[SECTION_measurement]; i++)
		cache_place_measurement(b, &b->measurement[i]);
}

void *cache_own_part(size_t *n, size_t *cap, const struct cache_mapping *m,
		     enum section s)
{
	void *own;

	*n = *cap = m->h.count[s];
	own = *n ? xmemdup(m->part[s], *n * cache_item_size[s]) : NULL;
	let_go(m, s);
	return own;
}

static void place_attempts(struct cache_block *b, struct population *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct attempt *a = &p->attempt[i];
		size_t at = (size_t)a->measurement;

		a->subject = cache_text(b, a->subject);
		a->hypothesis = cache_text(b, a->hypothesis);
		a->operator_state = cache_text(b, a->operator_state);
		a->id.hex[COMMIT_ID_LEN] = a->parent.hex[COMMIT_ID_LEN] = '\0';
		a->after.hex[COMMIT_ID_LEN] = a->entry.hex[COMMIT_ID_LEN] =
			'\0';
		a->measurement = at && at <= b->m->h.count[SECTION_measurement]
					 ? &b->measurement[at - 1]
					 : NULL;
	}
}

/* Each list of standings ends, since each leads to earlier ones only. */
bool cache_kinds_fit(const struct population *p)
{
	for (size_t i = 0; i < p->n_standings; i++)
		if (p->standing[i].next > i || !p->standing[i].kind ||
		    p->standing[i].kind > p->n_machines)
			return false;
	for (size_t i = 0; i < p->n; i++)
		if (p->attempt[i].kind > p->n_machines ||
		    p->attempt[i].standing > p->n_standings)
			return false;
	return true;
}

static void place_rest(struct cache_block *b, struct population *p)
{
	for (size_t i = 0; i < p->n_lineages; i++) {
		struct lineage *l = &p->lineage[i];

		l->reason = cache_text(b, l->reason);
		l->direction = cache_text(b, l->direction);
		b->bad = b->bad || l->root >= p->n || l->tip >= p->n;
	}
	for (size_t i = 0; i < p->n_sayings; i++) {
		struct saying *w = &p->sayings[i];

		w->trigger = cache_text(b, w->trigger);
		w->reason = cache_text(b, w->reason);
		w->direction = cache_text(b, w->direction);
		w->candidate.hex[COMMIT_ID_LEN] = '\0';
	}
	for (size_t i = 0; i < p->n_machines; i++) {
		p->machine[i].name = cache_text(b, p->machine[i].name);
		b->bad = b->bad || !p->machine[i].name ||
			 p->machine[i].champion >= p->n;
	}
	b->bad = b->bad || !cache_kinds_fit(p);
}

/* Each string is copied, because the record's strings are freed one by one. */
static void place_record(struct cache_block *b, struct entry *record)
{
	record->task_path = xstrdup_null(cache_text(b, record->task_path));
	record->machine_name =
		xstrdup_null(cache_text(b, record->machine_name));
	record->operator_name =
		xstrdup_null(cache_text(b, record->operator_name));
	record->subject = record->hypothesis = record->operator_state = NULL;
	record->trigger = record->direction = record->reason = NULL;
	record->artefacts = NULL;
	record->measurement = NULL;
}

/* Does every index refer to an attempt? */
static bool within_attempts(const struct population *p)
{
	for (size_t i = 0; i < MIN(p->n_whole, (size_t)POPULATION_WHOLE); i++)
		if (p->whole[i] >= p->n)
			return false;
	return p->settled <= p->n &&
	       (!p->n || (p->champion < p->n && p->contested < p->n));
}

static bool place_population(struct population *p,
			     const struct cache_mapping *m)
{
	struct cache_block b = {.m = m};
	const struct population *from = &m->h.p;

	*p = *from;
	p->block = NULL;
	p->slot = NULL;
	p->n_slots = 0;
	p->attempt = cache_own_part(&p->n, &p->cap, m, SECTION_attempt);
	p->lineage = cache_own_part(&p->n_lineages, &p->cap_lineages, m,
				    SECTION_lineage);
	p->sayings = cache_own_part(&p->n_sayings, &p->cap_sayings, m,
				    SECTION_sayings);
	p->machine = cache_own_part(&p->n_machines, &p->cap_machines, m,
				    SECTION_machine);
	p->standing = cache_own_part(&p->n_standings, &p->cap_standings, m,
				     SECTION_standing);
	place_block(&b, p, m);
	if (b.bad || !within_attempts(p)) {
		/* Nothing in it points to memory yet. */
		free(p->attempt);
		free(p->lineage);
		free(p->sayings);
		free(p->machine);
		free(p->standing);
		free(p->block);
		population_init(p);
		return false;
	}
	p->stop_reason = cache_text(&b, p->stop_reason);
	p->operator_name = cache_text(&b, p->operator_name);
	p->operator_state = cache_text(&b, p->operator_state);
	place_record(&b, &p->record);
	place_attempts(&b, p);
	place_rest(&b, p);
	population_index(p);
	return !b.bad;
}

bool cache_load(struct history *out, const struct gitstore *g, const char *run)
{
	CLEANUP(cache_mapping) struct cache_mapping m = {.data = NULL};
	char writer[WRITER_LEN + 1];

	if (!cache_open(&m, writer, g, run))
		return false;
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		if (!cache_is_whole(&m, writer, (enum section)i))
			return false;
		let_go(&m, (enum section)i);
	}
	if (!place_population(&out->p, &m)) {
		population_release(&out->p);
		return false;
	}
	snprintf(out->run, sizeof out->run, "%s", run);
	out->newest = m.h.newest;
	out->newest.hex[COMMIT_ID_LEN] = '\0';
	out->time_us = m.h.time_us;
	out->about = cache_own_part(&out->n_about, &out->cap_about, &m,
				    SECTION_about);
	out->known = cache_own_part(&out->n_known, &out->cap_known, &m,
				    SECTION_known);
	out->reach = cache_own_part(&out->n_reach, &out->cap_reach, &m,
				    SECTION_reach);
	return true;
}
