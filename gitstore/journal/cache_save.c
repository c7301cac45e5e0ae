/* Writes the cache of a run. */
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/base/file.h"
#include "gitstore/journal/cache.h"

/* Large, because a hundred megabytes in small pieces would be slow. */
#define PART_BUFFER ((size_t)256 << 10)

/* Each part is first a file of its own, because in memory the parts would take
 * as much as the population again. */
struct image {
	FILE *part[SECTION_COUNT];
	size_t len[SECTION_COUNT];
	bool failed;
};

static void put(struct image *im, enum section s, const void *data, size_t len)
{
	if (len && !im->failed)
		im->failed = fwrite(data, 1, len, im->part[s]) != len;
	im->len[s] += len;
	im->failed = im->failed || im->len[s] > CACHE_MAX_BYTES;
}

static void image_init(struct image *im)
{
	*im = (struct image){.failed = false};
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		im->part[i] = tmpfile();
		im->failed = im->failed || !im->part[i];
		if (im->part[i])
			setvbuf(im->part[i], NULL, _IOFBF, PART_BUFFER);
	}
	/* Offset 0 is NULL. */
	put(im, SECTION_text, "", 1);
}

static void image_release(struct image *im)
{
	for (size_t i = 0; i < SECTION_COUNT; i++)
		if (im->part[i])
			fclose(im->part[i]);
}
DEFINE_RELEASE(image, struct image, image_release)

static char *text_offset(struct image *im, const char *s)
{
	size_t at = im->len[SECTION_text];

	if (!s)
		return NULL;
	put(im, SECTION_text, s, strlen(s) + 1);
	return (char *)at;
}

static size_t count_of(const struct image *im, enum section s)
{
	return im->len[s] / cache_item_size[s];
}

static void put_settings(struct image *im, struct measurement *m)
{
	size_t first = count_of(im, SECTION_setting);

	for (size_t i = 0; i < m->n_environment; i++) {
		struct setting s = {
			text_offset(im, m->environment[i].key),
			text_offset(im, m->environment[i].value),
		};

		put(im, SECTION_setting, &s, sizeof s);
	}
	m->environment = (struct setting *)first;
	m->cap_environment = m->n_environment;
}

static void put_comparisons(struct image *im, struct measurement *m)
{
	size_t first = count_of(im, SECTION_comparison);

	for (size_t i = 0; i < m->n_comparisons; i++) {
		struct comparison c = m->comparisons[i];

		c.name = text_offset(im, c.name);
		c.case_ratio = NULL;
		c.n_cases = 0;
		put(im, SECTION_comparison, &c, sizeof c);
	}
	m->comparisons = (struct comparison *)first;
	m->cap_comparisons = m->n_comparisons;
}

/* The index + 1; 0 for none. */
static struct measurement *put_measurement(struct image *im,
					   const struct measurement *from)
{
	cleanup_measurement struct measurement *brief = NULL;
	struct measurement m;

	if (!from)
		return NULL;
	if (!from->brief)
		from = brief = measurement_brief(from);
	m = *from;
	put_settings(im, &m);
	put_comparisons(im, &m);
	m.why = text_offset(im, m.why);
	m.cases = NULL;
	m.log = NULL;
	m.n_cases = m.cap_cases = 0;
	m.resources = (struct resources){0};
	put(im, SECTION_measurement, &m, sizeof m);
	return (struct measurement *)count_of(im, SECTION_measurement);
}

static void put_attempts(struct image *im, const struct population *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct attempt a = p->attempt[i];

		a.subject = text_offset(im, a.subject);
		a.hypothesis = text_offset(im, a.hypothesis);
		a.operator_state = text_offset(im, a.operator_state);
		a.measurement = put_measurement(im, a.measurement);
		put(im, SECTION_attempt, &a, sizeof a);
	}
}

static void put_rest(struct image *im, const struct population *p)
{
	for (size_t i = 0; i < p->n_lineages; i++) {
		struct lineage l = p->lineage[i];

		l.reason = text_offset(im, l.reason);
		l.direction = text_offset(im, l.direction);
		put(im, SECTION_lineage, &l, sizeof l);
	}
	for (size_t i = 0; i < p->n_sayings; i++) {
		struct saying w = p->sayings[i];

		w.trigger = text_offset(im, w.trigger);
		w.reason = text_offset(im, w.reason);
		w.direction = text_offset(im, w.direction);
		put(im, SECTION_sayings, &w, sizeof w);
	}
	for (size_t i = 0; i < p->n_machines; i++) {
		struct machine_kind m = p->machine[i];

		m.name = text_offset(im, m.name);
		put(im, SECTION_machine, &m, sizeof m);
	}
	put(im, SECTION_standing, p->standing,
	    p->n_standings * sizeof *p->standing);
}

static void put_population(struct cache_header *h, struct image *im,
			   const struct population *p)
{
	h->p = *p;
	h->p.stop_reason = text_offset(im, p->stop_reason);
	h->p.operator_name = text_offset(im, p->operator_name);
	h->p.operator_state = text_offset(im, p->operator_state);
	h->p.record.task_path = text_offset(im, p->record.task_path);
	h->p.record.machine_name = text_offset(im, p->record.machine_name);
	h->p.record.operator_name = text_offset(im, p->record.operator_name);
	put_attempts(im, p);
	put_rest(im, p);
}

/* Writes after what is already there; *sum is that of the part. */
static struct error *write_part(FILE *out, uint64_t *sum, const char *writer,
				FILE *part)
{
	XXH3_state_t *state = XXH3_createState();
	char chunk[1 << 16];
	struct error *err = NULL;
	size_t n;

	XXH3_64bits_reset_withSeed(state, cache_seed(writer));
	rewind(part);
	while (!err && (n = fread(chunk, 1, sizeof chunk, part)) > 0) {
		XXH3_64bits_update(state, chunk, n);
		if (fwrite(chunk, 1, n, out) != n)
			err = error_errno("cannot write the cache");
	}
	if (!err && ferror(part))
		err = error_errno("cannot write the cache");
	*sum = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return err;
}

/* Fills up to where the next part may begin. */
static struct error *pad(FILE *out, size_t written)
{
	static const char zero[CACHE_ALIGN];
	size_t n = cache_aligned(written) - written;

	return n && fwrite(zero, 1, n, out) != n
		       ? error_errno("cannot write the cache")
		       : NULL;
}

static struct error *write_file(FILE *out, const struct gitstore *g,
				struct cache_header *h, const struct image *im)
{
	if (fwrite(h, sizeof *h, 1, out) != 1)
		return error_errno("cannot write the cache");
	TRY(pad(out, sizeof *h));
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		h->size[i] = cache_item_size[i];
		h->count[i] = count_of(im, (enum section)i);
		TRY(write_part(out, &h->sum[i], g->writer, im->part[i]));
		if (i + 1 < SECTION_COUNT)
			TRY(pad(out, im->len[i]));
	}
	h->header_sum = cache_sum(g->writer, h,
				  offsetof(struct cache_header, header_sum));
	rewind(out);
	if (fwrite(h, sizeof *h, 1, out) != 1 || fflush(out) != 0)
		return error_errno("cannot write the cache");
	return NULL;
}

/* No fsync: the checksums show what a power cut has left incomplete. */
static struct error *write_image(const struct gitstore *g, const char *run,
				 struct cache_header *h, const struct image *im)
{
	cleanup_free char *dir = xasprintf("%scache", g->private_dir);
	cleanup_free char *path = cache_path(g, run);
	cleanup_free char *temp = xasprintf("%s.%ld", path, (long)getpid());
	cleanup_file FILE *out = NULL;
	struct error *err;
	int fd;

	TRY(dir_make(dir));
	unlink(temp);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		  0600);
	out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!out)
		return error_errno("cannot write %s", temp);
	err = write_file(out, g, h, im);
	if (!err && rename(temp, path) < 0)
		err = error_errno("cannot write %s", path);
	if (err)
		unlink(temp);
	return err;
}

void cache_save(const struct history *from, struct gitstore *g)
{
	CLEANUP(image) struct image im;
	cleanup_free struct cache_header *h = xcalloc(1, sizeof *h);
	cleanup_error struct error *err = NULL;

	image_init(&im);
	snprintf(h->magic, sizeof h->magic, CACHE_MAGIC);
	if (!cache_build(h->build))
		return;
	memcpy(h->run, from->run, sizeof h->run);
	h->newest = from->newest;
	h->time_us = from->time_us;
	put_population(h, &im, &from->p);
	if (from->p.champion)
		h->champion = from->p.attempt[from->p.champion].id;
	put(&im, SECTION_reach, from->reach,
	    from->n_reach * sizeof *from->reach);
	put(&im, SECTION_about, from->about,
	    from->n_about * sizeof *from->about);
	put(&im, SECTION_known, from->known,
	    from->n_known * sizeof *from->known);
	err = store_prepare(g);
	if (!err && !im.failed)
		err = write_image(g, from->run, h, &im);
}
