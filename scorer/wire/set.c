#include "scorer/wire/set.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

void mixed_fills_draw(enum fill out[MIXED_FILLS], struct secret_random *secret)
{
	static const enum fill fills[MIXED_FILLS] = {
		FILL_BY_ROW,   FILL_SMALL_INTS, FILL_LARGE,
		FILL_SPARSE,   FILL_UNIFORM,	FILL_TINY,
		FILL_OUTLIERS, FILL_SHIFTED,	FILL_BY_ROW};
	size_t order[MIXED_FILLS];

	for (size_t i = 0; i < MIXED_FILLS; i++)
		order[i] = i;
	secret_shuffle(secret, order, MIXED_FILLS);
	for (size_t i = 0; i < MIXED_FILLS; i++)
		out[i] = fills[order[i]];
}

enum fill timed_fill(struct secret_random *secret)
{
	return secret_below(secret, 2) ? FILL_STRAY_ROWS : FILL_NORMAL;
}

#define U64_HIGH (0x1p64 - 2048) /* the greatest that a double has */
#define I64_HIGH (0x1p63 - 2048) /* less than 2^64 above the least one */

/* From 0 to the largest number that an expression can say: all that the type has. */
static bool is_whole(const struct argument *a, double low, double high)
{
	return a->dtype == DTYPE_U64 && low >= 0 && high >= 0x1p63;
}

struct error *set_range(double *low, double *high, const struct task *t,
			size_t i, const struct task_case *c)
{
	const struct argument *a = &t->argument[i];
	int64_t least, most;

	TRY(task_eval(&least, a->low, t, c));
	TRY(task_eval(&most, a->high, t, c));
	*low = (double)least;
	*high = is_whole(a, *low, (double)most) ? U64_HIGH : (double)most;
	/* As doubles the ends of all signed ones are 2^64 apart, which no integer
	 * says: all would be the low end. */
	if (*high - *low >= 0x1p64)
		*high = I64_HIGH;
	return NULL;
}

static struct error *recipe_init(struct recipe *r, const struct task *t,
				 const struct task_case *c, enum fill mixed)
{
	struct symbols symbols = task_symbols(t, c);

	if (symbols.n > PROTOCOL_SYMBOLS)
		return error_new(ERROR_TASK, "%s: over %d symbols", t->path,
				 PROTOCOL_SYMBOLS);
	r->n_symbols = (uint32_t)symbols.n;
	for (size_t i = 0; i < symbols.n; i++)
		r->symbol[i] = symbols.value[i];
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		r->fill[i] = a->fill == FILL_MIXED ? mixed : a->fill;
		if (a->kind != ARGUMENT_TENSOR || a->fill != FILL_RANGE)
			continue;
		TRY(set_range(&r->low[i], &r->high[i], t, i, c));
	}
	return NULL;
}

/* FNV-1a over all that determines the plain version's error. */
static uint64_t history_key(const struct task_case *c, const struct recipe *r,
			    size_t n_arguments)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (const char *p = c->name; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	for (size_t i = 0; i < n_arguments; i++)
		h = (h ^ r->fill[i]) * 0x100000001b3u;
	return h;
}

#define LEAST_SPAN \
	4 /* of a range with ends: of 0 and 1 half are there anyway */

/* As far apart as half of the type? An index or a count has nearer bounds. */
static bool is_wide(const struct argument *a, double low, double high)
{
	return high - low >= ldexp(1, 8 * (int)dtype_bytes(a->dtype) - 1) - 1;
}

bool set_is_integer_in_range(const struct argument *a)
{
	return a->kind == ARGUMENT_TENSOR && a->fill == FILL_RANGE &&
	       !a->only_uniform && a->direction != DIRECTION_OUT &&
	       !dtype_is_float(a->dtype);
}

bool set_has_ends(const struct task *t, size_t i)
{
	const struct argument *a = &t->argument[i];
	double low = 0, high = 0;
	cleanup_error struct error *err = NULL;

	if (!set_is_integer_in_range(a))
		return false;
	if (dtype_bytes(a->dtype) <= 2 || !t->n_cases)
		return dtype_bytes(a->dtype) <= 2;
	err = set_range(&low, &high, t, i, &t->cases[0]);
	return !err && is_wide(a, low, high);
}

bool set_has_near_ends(const struct task *t, size_t i)
{
	return set_is_integer_in_range(&t->argument[i]) && !set_has_ends(t, i);
}

void set_use_near_end(struct input_set *s, const struct task *t,
		      const struct task_case *c, size_t i, bool high)
{
	struct recipe *r = &s->recipe;

	r->fill[i] = high ? FILL_ALL_HIGH : FILL_ALL_LOW;
	s->history = history_key(c, r, t->n_arguments);
}

/* No range of doubles ends at all ones, so that numbers could be drawn from it: each
 * of these is at one end or at the other. */
static void use_ends_of_64_bits(struct recipe *r, size_t i, enum fill kind)
{
	if (kind != FILL_ALL_HIGH && kind != FILL_ALL_LOW)
		r->fill[i] = FILL_ENDS;
	if (r->high[i] >= U64_HIGH)
		r->high[i] = 0x1p64;
}

void set_use_ends(struct input_set *s, const struct task *t,
		  const struct task_case *c, enum fill kind)
{
	struct recipe *r = &s->recipe;

	for (size_t i = 0; i < t->n_arguments; i++)
		if (set_has_ends(t, i) &&
		    r->high[i] - r->low[i] >= LEAST_SPAN) {
			r->fill[i] = kind;
			if (dtype_bytes(t->argument[i].dtype) == 8)
				use_ends_of_64_bits(r, i, kind);
		}
	s->history = history_key(c, r, t->n_arguments);
}

static bool is_mixed_input(const struct argument *a)
{
	return a->kind == ARGUMENT_TENSOR && a->fill == FILL_MIXED &&
	       a->direction != DIRECTION_OUT;
}

size_t set_mixed_inputs(const struct task *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_arguments; i++)
		n += is_mixed_input(&t->argument[i]);
	return n;
}

void set_use_normal_beside(struct input_set *s, const struct task *t,
			   const struct task_case *c, size_t which)
{
	struct recipe *r = &s->recipe;
	size_t n = 0;

	for (size_t i = 0; i < t->n_arguments; i++)
		if (is_mixed_input(&t->argument[i]) && n++ != which)
			r->fill[i] = FILL_NORMAL;
	s->history = history_key(c, r, t->n_arguments);
}

struct error *set_init(struct input_set *s, const struct task *t,
		       const struct task_case *c, enum fill mixed,
		       int64_t batch, struct secret_random *secret,
		       struct layout_random *layout)
{
	struct entry_call *call = &s->call;

	memset(s, 0, sizeof *s);
	s->fd = -1;
	s->case_name = c->name;
	if (batch < 1 || batch > PROTOCOL_BATCH)
		return error_new(ERROR_TASK,
				 "%s: a batch of %lld: 1 to %d are possible",
				 t->path, (long long)batch, PROTOCOL_BATCH);
	TRY(layout_make(&call->layout, t, c, layout_below(layout, 2) == 1));
	call->batch = (uint32_t)batch;
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];

		call->is_struct[i] = a->kind == ARGUMENT_STRUCT;
		if (a->kind == ARGUMENT_TENSOR &&
		    a->direction == DIRECTION_INOUT)
			call->has_inout = true;
	}
	TRY(recipe_init(&s->recipe, t, c, mixed));
	secret_key(&s->recipe.key, secret);
	secret_key(&s->recipe.static_key, secret);
	for (size_t i = 0; i < t->n_arguments; i++)
		s->recipe.is_static[i] = t->argument[i].is_static;
	s->history = history_key(c, &s->recipe, t->n_arguments);
	return NULL;
}

void set_draw_series(struct input_set *s, struct secret_random *secret)
{
	size_t order[2 * PROTOCOL_SERIES];
	uint32_t batch = s->call.batch;

	for (size_t i = 0; i < batch; i++)
		order[i] = i;
	secret_shuffle(secret, order, batch);
	s->series.n = batch / 2;
	for (size_t i = 0; i < s->series.n; i++)
		s->series.image[i] = (uint16_t)order[i];
}

void set_init_static(struct input_set *s, const struct input_set *like,
		     struct secret_random *secret)
{
	*s = *like;
	s->fd = -1;
	s->call.batch = 1;
	s->series.n = 0;
	secret_key(&s->recipe.key, secret);
	memset(s->recipe.is_kept, 0, sizeof s->recipe.is_kept);
}

void set_keep(struct input_set *s, const struct input_set *like,
	      const bool kept[TASK_MAX_ARGS])
{
	struct recipe *r = &s->recipe;

	r->kept_key = like->recipe.key;
	memcpy(r->is_kept, kept, sizeof r->is_kept);
}

struct error *sized_memfd(int *out, const char *name, size_t bytes)
{
	cleanup_fd int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return error_errno("cannot make a memory file for %s", name);
	if (ftruncate(fd, (off_t)bytes) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		return error_errno("cannot size the memory file for %s", name);
	*out = steal_fd(&fd);
	return NULL;
}

struct error *set_open(struct input_set *s)
{
	return sized_memfd(&s->fd, "inputs",
			   s->call.batch * entry_call_inputs_bytes(&s->call));
}

struct error *set_seal(struct input_set *s)
{
	if (fcntl(s->fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) < 0)
		return error_errno("cannot seal the inputs");
	return NULL;
}

struct error *set_copy_open(int *out, const struct input_set *s)
{
	cleanup_fd int fd =
		memfd_create("inputs", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 ||
	    ftruncate(fd, (off_t)(s->call.batch *
				  entry_call_inputs_bytes(&s->call))) < 0)
		return error_errno("cannot make a memory file for the inputs");
	*out = steal_fd(&fd);
	return NULL;
}

/* No F_SEAL_SHRINK: set_copy_drop makes it shorter. The arm can do so too, but
 * harms only itself. */
struct error *set_copy_seal(int fd)
{
	if (fcntl(fd, F_ADD_SEALS,
		  F_SEAL_FUTURE_WRITE | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return error_errno("cannot seal the inputs");
	return NULL;
}

void set_copy_drop(int *fd)
{
	if (*fd >= 0 && ftruncate(*fd, 0) < 0)
		errno = 0; /* then it lives as long as the arm's process */
	cleanup_fd_fn(fd);
	*fd = -1;
}

void set_release(struct input_set *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
