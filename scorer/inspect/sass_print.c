/* Prints a loop: its mix of instructions, its lines. */
#include "scorer/inspect/sass.h"
#include "core/base/demangle.h"

#define MIX_KINDS 256
#define MIX_SHOWN 16
#define KIND_LEN  24

/* ---- the mix ------------------------------------------------------------- */

struct kind {
	char name[KIND_LEN];
	size_t n, wide[4]; /* .64, .128, .256, and without a size */
};

static const char *const wide_names[] = {".64", ".128", ".256"};

static bool is_access(const char *name)
{
	static const char *const accesses[] = {"LDG",  "STG", "LDS",	"STS",
					       "LDL",  "STL", "LDGSTS", "LDSM",
					       "STSM", "LDC"};

	for (size_t i = 0; i < ARRAY_SIZE(accesses); i++)
		if (str_eq(name, accesses[i]))
			return true;
	return false;
}

static struct kind *kind_of(struct kind kinds[MIX_KINDS], size_t *n,
			    const char *op)
{
	size_t len = MIN(strcspn(op, ". \t"), (size_t)KIND_LEN - 1);

	for (size_t i = 0; i < *n; i++)
		if (strlen(kinds[i].name) == len &&
		    strncmp(kinds[i].name, op, len) == 0)
			return &kinds[i];
	if (*n == MIX_KINDS)
		return NULL;
	memcpy(kinds[*n].name, op, len);
	return &kinds[(*n)++];
}

/* Finds ".128" among the dotted parts of "LDG.E.128.CONSTANT R4, ...". */
static size_t width_of(const char *op)
{
	size_t len = strcspn(op, " \t");

	for (size_t i = 0; i < ARRAY_SIZE(wide_names); i++) {
		const char *found = strstr(op, wide_names[i]);
		size_t end = strlen(wide_names[i]);

		if (found && (size_t)(found - op) < len &&
		    (!found[end] || strchr(". \t", found[end])))
			return i;
	}
	return ARRAY_SIZE(wide_names);
}

static int by_count(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void print_kind(struct buf *out, const struct kind *k)
{
	const char *before = " (";

	buf_addf(out, "%s %zu", k->name, k->n);
	if (!is_access(k->name))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(wide_names); i++) {
		if (!k->wide[i])
			continue;
		buf_addf(out, "%s%zu of %s", before, k->wide[i], wide_names[i]);
		before = ", ";
	}
	if (*before == ',')
		buf_addc(out, ')');
}

void sass_mix(struct buf *out, const struct sass *s,
	      const struct sass_loop *loop)
{
	cleanup_free struct kind *kinds = xcalloc(MIX_KINDS, sizeof *kinds);
	size_t n = 0;

	for (size_t i = 0; i < loop->n; i++) {
		const char *op = sass_opcode(&s->line[loop->line[i]]);
		struct kind *k = kind_of(kinds, &n, op);

		if (!k)
			continue;
		k->n++;
		k->wide[width_of(op)]++;
	}
	qsort(kinds, n, sizeof *kinds, by_count);
	for (size_t i = 0; i < MIN(n, (size_t)MIX_SHOWN); i++) {
		buf_adds(out, i ? ", " : "");
		print_kind(out, &kinds[i]);
	}
	if (n > MIX_SHOWN)
		buf_addf(out, ", %zu other kinds", n - MIX_SHOWN);
}

/* ---- its lines ----------------------------------------------------------- */

static void print_line(struct buf *out, const struct sass *s,
		       const struct sass_kernel *k, size_t i)
{
	const struct sass_line *l = &s->line[i];

	buf_addf(out, "  %05llx  %s%s", (unsigned long long)l->at,
		 *l->text == '@' ? "" : "     ", l->text);
	if (l->target != SIZE_MAX && l->target >= k->begin)
		buf_addf(out, "  -> %05llx",
			 (unsigned long long)s->line[l->target].at);
	buf_addc(out, '\n');
}

/* Prints a range of the loop's lines and marks the gaps between them. */
static void print_lines(struct buf *out, const struct sass *s,
			const struct sass_loop *loop, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (i > from && loop->line[i] != loop->line[i - 1] + 1)
			buf_addf(
				out,
				"  ... %zu instructions outside the loop ...\n",
				loop->line[i] - loop->line[i - 1] - 1);
		print_line(out, s, &s->kernel[loop->kernel], loop->line[i]);
	}
}

static void print_head(struct buf *out, const struct sass *s,
		       const struct sass_loop *loop)
{
	const struct sass_kernel *k = &s->kernel[loop->kernel];
	cleanup_free char *name = demangle(k->name);

	buf_addf(out, "kernel  %s, %zu instructions\n", name,
		 k->end - k->begin);
	buf_addf(out, "%s  %zu instructions, %05llx to %05llx",
		 loop->depth ? "loop  " : "no loop, all of it:", loop->n,
		 (unsigned long long)s->line[loop->line[0]].at,
		 (unsigned long long)s->line[loop->line[loop->n - 1]].at);
	if (loop->depth > 1)
		buf_addf(out, ", inside %zu other%s", loop->depth - 1,
			 loop->depth > 2 ? "s" : "");
	buf_adds(out, "\nmix     ");
	sass_mix(out, s, loop);
	buf_adds(out, "\n\n");
}

void sass_print(struct buf *out, const struct sass *s,
		const struct sass_loop *loop)
{
	size_t half = SASS_SHOWN_LINES / 2;

	print_head(out, s, loop);
	if (loop->n <= SASS_SHOWN_LINES) {
		print_lines(out, s, loop, 0, loop->n);
		return;
	}
	print_lines(out, s, loop, 0, half);
	buf_addf(out, "  ... %zu instructions left out ...\n",
		 loop->n - 2 * half);
	print_lines(out, s, loop, loop->n - half, loop->n);
}
