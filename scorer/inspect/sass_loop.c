/*
 * Which loop is the hot one: that with the most work of its own, which is not
 * that of loops inside it, where each level that it is inside counts eightfold.
 */
#include "scorer/inspect/sass.h"
#include "scorer/inspect/sass_flow.h"

#define TURNS	  8.0 /* that a loop is thought to take */
#define MAX_DEPTH 6   /* from here on a level counts no more */

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

/* own[i]: the work of the loop that begins at the kernel's line i, without
 * that of loops inside it. */
static double *sum_work(const struct sass *s, const struct sass_kernel *k,
			const struct sass_flow *f)
{
	double *own = xcalloc(f->n, sizeof *own);

	for (size_t i = 0; i < f->n; i++)
		if (f->loop[i] != SIZE_MAX)
			own[f->loop[i]] +=
				work_of(sass_opcode(&s->line[k->begin + i]));
	return own;
}

static double weight(size_t depth)
{
	double w = 1;

	for (size_t i = 0; i < MIN(depth, (size_t)MAX_DEPTH); i++)
		w *= TURNS;
	return w;
}

/* SIZE_MAX: the kernel has no loop with any work. */
static size_t hottest(double *work, const struct sass_flow *f,
		      const double *own)
{
	size_t best = SIZE_MAX;

	*work = 0;
	for (size_t i = 0; i < f->n; i++) {
		double w = f->loop[i] == i ? own[i] * weight(f->depth[i]) : 0;

		if (w > *work) {
			*work = w;
			best = i;
		}
	}
	return best;
}

enum loop_membership { UNKNOWN, INSIDE, OUTSIDE };

/* Of the loop that begins at `l`; what is found is kept for all on the way. */
static enum loop_membership place_of(enum loop_membership *known,
				     const struct sass_flow *f, size_t l)
{
	enum loop_membership found;
	size_t at = l;

	while (at != SIZE_MAX && known[at] == UNKNOWN)
		at = f->outer[at];
	found = at == SIZE_MAX ? OUTSIDE : known[at];
	for (; l != at; l = f->outer[l])
		known[l] = found;
	return found;
}

/* All lines of the kernel where `head` is SIZE_MAX. */
static void take_lines(struct sass_loop *out, const struct sass_kernel *k,
		       const struct sass_flow *f, size_t head)
{
	cleanup_free enum loop_membership *known = xcalloc(f->n, sizeof *known);

	out->line = xcalloc(f->n, sizeof *out->line);
	if (head != SIZE_MAX)
		known[head] = INSIDE;
	for (size_t i = 0; i < f->n; i++)
		if (head == SIZE_MAX ||
		    place_of(known, f, f->loop[i]) == INSIDE)
			out->line[out->n++] = k->begin + i;
}

static struct sass_loop hot_of(const struct sass *s, size_t kernel)
{
	const struct sass_kernel *k = &s->kernel[kernel];
	cleanup_sass_flow struct sass_flow f = sass_flow_of(s, kernel);
	cleanup_free double *own = sum_work(s, k, &f);
	struct sass_loop out = {.kernel = kernel};
	size_t head = hottest(&out.work, &f, own);

	if (head != SIZE_MAX)
		out.depth = f.depth[head];
	for (size_t i = k->begin; i < k->end && head == SIZE_MAX; i++)
		out.work += work_of(sass_opcode(&s->line[i]));
	take_lines(&out, k, &f, head);
	return out;
}

struct sass_loop sass_hot_loop(const struct sass *s, size_t kernel)
{
	struct sass_loop best = hot_of(s, kernel == SIZE_MAX ? 0 : kernel);

	for (size_t k = 1; kernel == SIZE_MAX && k < s->n_kernels; k++) {
		struct sass_loop one = hot_of(s, k);
		bool better = !one.depth == !best.depth ? one.work > best.work
							: one.depth > 0;

		sass_loop_release(better ? &best : &one);
		if (better)
			best = one;
	}
	return best;
}

void sass_loop_release(struct sass_loop *loop)
{
	free(loop->line);
	*loop = (struct sass_loop){0};
}
