/* The hot loop: found, summed up, printed. */
#include "scorer/sass.h"

#define MIX_KINDS 256
#define MIX_SHOWN 16
#define KIND_LEN  24
#define MAX_LOOPS 1024

/* What an instruction is worth where work is counted. */
static double work_of(const char *op)
{
	static const struct {
		const char *prefix;
		double work;
	} works[] = {
		{"HGMMA", 64},	 {"IGMMA", 64},	  {"QGMMA", 64},
		{"UTCHMMA", 64}, {"UTCQMMA", 64}, {"UTCIMMA", 64},
		{"HMMA", 16},	 {"IMMA", 16},	  {"DMMA", 16},
		{"QMMA", 16},	 {"UTMALDG", 16}, {"UTMASTG", 16},
		{"UBLKCP", 16},	 {"LDGSTS", 4},	  {"LDG", 4},
		{"STG", 4},	 {"LDSM", 4},	  {"LDS", 2},
		{"STS", 2},	 {"STSM", 4},	  {"RED", 4},
		{"ATOM", 4},	 {"LDTM", 4},	  {"STTM", 4},
		{"MUFU", 2},	 {"FFMA", 1},	  {"HFMA", 1},
		{"DFMA", 2},	 {"FADD", 1},	  {"FMUL", 1},
		{"HADD", 1},	 {"HMUL", 1},	  {"DADD", 2},
		{"DMUL", 2},	 {"IMAD", 0.5},	  {"SHFL", 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(works); i++)
		if (starts_with(op, works[i].prefix))
			return works[i].work;
	return 0;
}

static const char *opcode(const struct sass_line *l)
{
	const char *text = l->text;

	if (*text == '@') {
		text += strcspn(text, " \t");
		text += strspn(text, " \t");
	}
	return text;
}

/* sum[i]: the work of the kernel's lines before its line i. */
static double *sum_work(const struct sass *s, const struct sass_kernel *k)
{
	double *sum = xcalloc(k->end - k->begin + 1, sizeof *sum);

	for (size_t i = k->begin; i < k->end; i++)
		sum[i - k->begin + 1] =
			sum[i - k->begin] + work_of(opcode(&s->line[i]));
	return sum;
}

/* Every kernel ends in a branch to itself, which is no loop. */
static size_t find_loops(struct sass_loop out[MAX_LOOPS], const struct sass *s,
			 size_t kernel, const double *sum)
{
	const struct sass_kernel *k = &s->kernel[kernel];
	size_t n = 0;

	for (size_t i = k->begin; i < k->end && n < MAX_LOOPS; i++) {
		size_t to = s->line[i].target;

		if (to == SIZE_MAX || to >= i)
			continue;
		out[n++] = (struct sass_loop){
			.kernel = kernel,
			.begin = to,
			.end = i + 1,
			.is_loop = true,
			.work = sum[i + 1 - k->begin] - sum[to - k->begin],
		};
	}
	return n;
}

/* Most of its work is in a loop inside it. */
static bool is_outer(const struct sass_loop *loop, size_t n, size_t which)
{
	const struct sass_loop *o = &loop[which];

	for (size_t i = 0; i < n; i++)
		if (i != which && loop[i].begin >= o->begin &&
		    loop[i].end <= o->end &&
		    loop[i].end - loop[i].begin < o->end - o->begin &&
		    loop[i].work > 0 && 2 * loop[i].work >= o->work)
			return true;
	return false;
}

static struct sass_loop hot_of(const struct sass *s, size_t kernel)
{
	cleanup_free struct sass_loop *loop = xcalloc(MAX_LOOPS, sizeof *loop);
	const struct sass_kernel *k = &s->kernel[kernel];
	cleanup_free double *sum = sum_work(s, k);
	size_t n = find_loops(loop, s, kernel, sum);
	struct sass_loop best = {.kernel = kernel,
				 .begin = k->begin,
				 .end = k->end,
				 .work = sum[k->end - k->begin]};

	for (size_t i = 0; i < n; i++)
		if (!is_outer(loop, n, i) && loop[i].work > 0 &&
		    (!best.is_loop || loop[i].work > best.work))
			best = loop[i];
	return best;
}

struct sass_loop sass_hot_loop(const struct sass *s, size_t kernel)
{
	struct sass_loop best = hot_of(s, kernel == SIZE_MAX ? 0 : kernel);

	if (kernel != SIZE_MAX)
		return best;
	for (size_t k = 1; k < s->n_kernels; k++) {
		struct sass_loop one = hot_of(s, k);

		if (one.is_loop > best.is_loop ||
		    (one.is_loop == best.is_loop && one.work > best.work))
			best = one;
	}
	return best;
}

/* ---- the mix ---------------------------------------------------------------------- */

struct kind {
	char name[KIND_LEN];
	size_t n, wide[4]; /* .64, .128, .256, and what says no size */
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

/* ".128" among the dotted parts of "LDG.E.128.CONSTANT R4, ...". */
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

	for (size_t i = loop->begin; i < loop->end; i++) {
		const char *op = opcode(&s->line[i]);
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

/* ---- its lines ------------------------------------------------------------------------ */

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

void sass_print(struct buf *out, const struct sass *s,
		const struct sass_loop *loop)
{
	const struct sass_kernel *k = &s->kernel[loop->kernel];
	size_t n = loop->end - loop->begin;
	size_t head = n <= SASS_SHOWN_LINES ? n : SASS_SHOWN_LINES / 2;
	size_t tail = loop->end - (n - head < head ? n - head : head);

	buf_addf(out, "kernel  %s, %zu instructions\n", k->name,
		 k->end - k->begin);
	buf_addf(out, "%s  %zu instructions, %05llx to %05llx\nmix     ",
		 loop->is_loop ? "loop  " : "no loop, all of it:", n,
		 (unsigned long long)s->line[loop->begin].at,
		 (unsigned long long)s->line[loop->end - 1].at);
	sass_mix(out, s, loop);
	buf_adds(out, "\n\n");
	for (size_t i = loop->begin; i < loop->begin + head; i++)
		print_line(out, s, k, i);
	if (n > SASS_SHOWN_LINES)
		buf_addf(out, "  ... %zu instructions left out ...\n",
			 n - 2 * head);
	for (size_t i = tail; n > SASS_SHOWN_LINES && i < loop->end; i++)
		print_line(out, s, k, i);
}
