#include "scorer/runner/roles.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scorer/runner/fill.h"
#include "scorer/runner/judge.h"
#include "scorer/runner/parts.h"
#include "scorer/runner/value_memory.h"
#include "scorer/runner/wrong_map.h"
#include "scorer/runner/element_runs.h"

static void poison_inputs(unsigned char *image, const struct entry_call *c,
			  const struct poison *p)
{
	for (size_t i = 0; i < c->layout.n; i++)
		if (c->layout.arg[i].is_tensor &&
		    c->layout.arg[i].tensor.region == REGION_INPUT)
			poison_round(p, image, &c->layout.arg[i].tensor);
}

static const char *serve_fill(struct reference *r, const struct fill_request *q,
			      int file)
{
	cleanup_mapping struct mapping m = {0};
	const char *why = mapping_plain(
		&m, file, q->call.batch * entry_call_inputs_bytes(&q->call),
		PROT_READ | PROT_WRITE);
	struct poison p;

	poison_init(&p, recipe_gaps(&q->recipe));
	for (uint32_t k = 0; !why && k < q->call.batch; k++) {
		poison_inputs(m.base + k * entry_call_inputs_bytes(&q->call),
			      &q->call, &p);
		why = inputs_fill(r, m.base, &q->call, &q->recipe, k);
	}
	return why;
}

static void copy_elements(const struct tensor_layout *t, void *to,
			  const void *from)
{
	size_t size = dtype_bytes(t->dtype);
	struct element_runs w;
	struct element_run run;

	element_runs_start(&w, t, 0, tensor_rows(t));
	while (element_runs_next(&w, &run)) {
		bool together = run.step == 1;
		int64_t n = together ? 1 : run.n;
		size_t bytes = together ? (size_t)run.n * size : size;

		for (int64_t i = 0; i < n; i++) {
			size_t at = (size_t)(run.at + i * run.step) * size;

			memcpy((unsigned char *)to + at,
			       (const unsigned char *)from + at, bytes);
		}
	}
}

/* Sets one image: poison, the initial contents of inout tensors, zeros in
 * workspaces that promise them. */
static void start_image(unsigned char *image, unsigned char *inputs,
			const struct entry_call *c, uint32_t k,
			const struct poison *p)
{
	size_t workspace = c->layout.region_bytes[REGION_OUTPUT];

	poison_spread(p, image, entry_call_outputs_bytes(c));
	for (size_t i = 0; i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;

		if (!c->layout.arg[i].is_tensor)
			continue;
		if (t->region == REGION_WORKSPACE && t->zeroed)
			memset(image + workspace + t->offset, 0, t->bytes);
		else if (t->region == REGION_OUTPUT &&
			 t->direction == DIRECTION_INOUT)
			copy_elements(t, image + t->offset,
				      inputs_tensor(inputs, c, i, k));
	}
}

static const char *serve_poison(const struct poison_request *q, int outputs,
				int inputs)
{
	cleanup_mapping struct mapping out = {0}, in = {0};
	const struct entry_call *c = &q->call;
	const char *why = mapping_plain(&out, outputs,
					c->batch * entry_call_outputs_bytes(c),
					PROT_READ | PROT_WRITE);
	struct poison p;

	if (!why && c->has_inout)
		why = mapping_plain(&in, inputs,
				    c->batch * entry_call_inputs_bytes(c),
				    PROT_READ);
	for (uint32_t k = 0; !why && k < c->batch; k++) {
		poison_init_image(&p, q->poison, k);
		start_image(out.base + k * entry_call_outputs_bytes(c), in.base,
			    c, k, &p);
	}
	return why;
}

/* In pieces: large copies pass by the caches. */
#define PIECE ((size_t)256 << 10)

static void copy_warm(unsigned char *to, const unsigned char *from,
		      size_t bytes)
{
	for (size_t at = 0; at < bytes; at += PIECE)
		memcpy(to + at, from + at, MIN(PIECE, bytes - at));
}

static void copy_series(const struct copy_request *q, const struct mapping *to,
			const struct mapping *from)
{
	copy_warm(to->base, from->base, q->bytes);
	for (uint32_t i = 0; i < q->series.n; i++) {
		size_t at = q->series.image[i] * q->image_bytes;

		memcpy(to->base + at, from->base + at, q->image_bytes);
	}
}

static const char *serve_copy(const struct copy_request *q,
			      const struct mapping *to, int from)
{
	cleanup_mapping struct mapping m = {0};
	const char *why = mapping_plain(&m, from, q->bytes, PROT_READ);

	if (!why && to->bytes != q->bytes)
		why = "there is no memory to copy the inputs to";
	if (!why && q->bytes && q->series.n)
		copy_series(q, to, &m);
	else if (!why)
		copy_warm(to->base, m.base, q->bytes);
	return why;
}

static bool is_uniform(const struct expected *e)
{
	size_t size = dtype_bytes(e->dtype);

	for (int64_t i = 1; i < e->n; i++)
		if (memcmp(e->exact, e->exact + (size_t)i * size, size) != 0)
			return false;
	return e->n > 0;
}

/* A kernel that always writes one value is right for such an output. */
static void tell_uniform(struct judge_answer *a, const struct reference *r)
{
	for (size_t o = 0; o < r->n_expected; o++) {
		const struct expected *e = &r->expected[o];

		if (!e->exact || !is_uniform(e))
			continue;
		a->uniform[e->argument] = true;
		memcpy(&a->value[e->argument], e->exact, dtype_bytes(e->dtype));
	}
}

/* What the judge keeps between requests. */
struct judging {
	struct reference reference;
	struct mapping handed; /* the inputs of the arm that launches next */
	struct mapping asked;  /* the image that the reference was asked for */
	/* Where reference and plain are in other processes: */
	struct value_memory values;
};

/* Maps one image of the inputs. Where image 0 would be. */
static const char *map_image(struct judging *j,
			     const struct reference_request *q, int file)
{
	size_t bytes = entry_call_inputs_bytes(&q->call);
	const char *why = mapping_part(&j->asked, file, q->index * bytes, bytes,
				       PROT_READ);

	if (!why)
		j->reference.inputs =
			(unsigned char *)((uintptr_t)j->asked.base -
					  q->index * bytes);
	return why;
}

static const char *serve_reference(struct judge_answer *a, struct judging *j,
				   const struct reference_request *q, int file)
{
	struct reference *r = &j->reference;
	const char *why;

	r->inputs = NULL;
	why = map_image(j, q, file);
	if (!why)
		why = reference_compute(a, r, q, r->inputs);
	/* A plain version is off, too, where both use what nobody wrote: then the
	 * reference is what is told. What it allows is then no measure. */
	if (!why && a->finding == FINDING_PLAIN_OFF)
		why = reference_again(r, r->inputs, r->index, false);
	else if (!why && !a->finding && q->again)
		why = reference_again(r, r->inputs, r->index, true);
	if (!why)
		tell_uniform(a, r);
	return why;
}

/* For another judge, which has called the reference for more than this. */
static const char *serve_write_down(struct judge_answer *a, struct judging *j,
				    const struct reference_request *q,
				    const int *fd)
{
	cleanup_mapping struct mapping file = {0};
	struct reference *r = &j->reference;
	const char *why = map_image(j, q, fd[0]);

	if (!why)
		why = reference_answer(a, r, q, r->inputs);
	if (!why && !a->finding)
		why = mapping_plain(&file, fd[1], reference_answer_bytes(r),
				    PROT_READ | PROT_WRITE);
	if (!why && file.base)
		reference_write_down(file.base, r);
	return why;
}

static const char *serve_hold(struct reference *r, int fd)
{
	cleanup_mapping struct mapping file = {0};
	const char *why =
		mapping_plain(&file, fd, reference_answer_bytes(r), PROT_READ);

	return why || !file.base ? why : reference_hold(r, file.base);
}

static void map_unwritten(struct judge_answer *a, const struct poison *p,
			  const unsigned char *region,
			  const struct tensor_layout *t)
{
	cleanup_free unsigned char *mark = xcalloc((size_t)t->elements, 1);
	int64_t first;

	poison_left(p, region, t, &first, mark);
	wrong_map_make(&a->map, t, mark, NULL, 0);
}

/* Checks guards and poison of one image; `outputs` for its workspaces. */
static void check_image(struct judge_answer *a, const struct entry_call *c,
			const unsigned char *captured,
			const unsigned char *workspace, const struct poison *p)
{
	for (size_t i = 0; i < c->layout.n && !a->finding; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;
		const unsigned char *region = captured;

		if (!c->layout.arg[i].is_tensor || t->region == REGION_INPUT ||
		    t->region == REGION_PREPARED)
			continue;
		if (t->region == REGION_WORKSPACE)
			region = workspace;
		a->argument = (uint32_t)i;
		if (!poison_guards_intact(p, region, t)) {
			a->finding = FINDING_GUARD;
			a->worst = HUGE_VAL;
		} else if (t->region == REGION_OUTPUT &&
			   t->direction == DIRECTION_OUT) {
			a->wrong = poison_left(p, region, t, &a->element, NULL);
			if (!a->wrong)
				continue;
			map_unwritten(a, p, region, t);
			a->finding = FINDING_UNWRITTEN;
			a->worst = HUGE_VAL;
		}
	}
}

/* An image that was not launched: a kernel that wrote to it worked ahead. */
static void check_untouched(struct judge_answer *a, const struct entry_call *c,
			    const unsigned char *captured,
			    const struct poison *p)
{
	for (size_t i = 0; i < c->layout.n && !a->finding; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;

		if (!c->layout.arg[i].is_tensor || t->region != REGION_OUTPUT ||
		    t->direction != DIRECTION_OUT)
			continue;
		a->argument = (uint32_t)i;
		if (poison_untouched(p, captured, t))
			continue;
		a->finding = FINDING_GUARD;
		a->worst = HUGE_VAL;
	}
}

static const char *serve_compare(struct judge_answer *a, struct reference *r,
				 const struct compare_request *q, int capture,
				 int outputs)
{
	cleanup_mapping struct mapping got = {0}, out = {0};
	const struct entry_call *c = &q->call;
	size_t bytes = c->layout.region_bytes[REGION_OUTPUT];
	const char *why =
		mapping_plain(&got, capture, c->batch * bytes, PROT_READ);
	struct poison p;

	if (!why && q->guards)
		why = mapping_plain(&out, outputs,
				    c->batch * entry_call_outputs_bytes(c),
				    PROT_READ);
	if (why)
		return why;
	for (uint32_t k = 0; q->guards && k < c->batch && !a->finding; k++) {
		const unsigned char *outputs_of =
			out.base + k * entry_call_outputs_bytes(c);

		poison_init_image(&p, q->poison, k);
		if (series_has(&q->series, k))
			check_image(a, c, got.base + k * bytes,
				    outputs_of + bytes, &p);
		else
			check_untouched(a, c, outputs_of, &p);
	}
	if (q->values && !a->finding)
		why = reference_compare(a, r, got.base + q->index * bytes);
	return why || !q->blames ? why : reference_blame(a, r);
}

static const char *serve_unlike(const struct unlike_request *q, const int *fd)
{
	cleanup_mapping struct mapping one = {0}, other = {0};
	struct likeness_reply reply = {
		.head = {MESSAGE_LIKENESS, q->head.sequence}};
	size_t bytes = q->call.layout.region_bytes[REGION_OUTPUT];
	const char *why =
		mapping_plain(&one, fd[0], q->call.batch * bytes, PROT_READ);

	if (!why)
		why = mapping_plain(&other, fd[1], q->call.batch * bytes,
				    PROT_READ);
	if (why)
		return why;
	likeness_look(&reply, &q->call.layout, one.base + q->index * bytes,
		      other.base + q->index * bytes, q->tile_rows);
	channel_send(&reply, sizeof reply);
	return NULL;
}

static const char *serve(struct judge_answer *a, struct judging *j,
			 const union runner_request *q,
			 const int fd[CHANNEL_MAX_FDS])
{
	struct reference *r = &j->reference;

	switch (q->head.kind) {
	case MESSAGE_VALUES:
		return value_memory_map(&j->values, &q->values, fd);
	case MESSAGE_FILL:
		return serve_fill(r, &q->fill, fd[0]);
	case MESSAGE_POISON:
		return serve_poison(&q->poison, fd[0], fd[1]);
	case MESSAGE_TAKE:
		return mapping_plain(&j->handed, fd[0], q->copy.bytes,
				     PROT_READ | PROT_WRITE);
	case MESSAGE_COPY:
		return serve_copy(&q->copy, &j->handed, fd[0]);
	case MESSAGE_REFERENCE:
		return serve_reference(a, j, &q->reference, fd[0]);
	case MESSAGE_WRITE_DOWN:
		return serve_write_down(a, j, &q->reference, fd);
	case MESSAGE_HOLD:
		return serve_hold(r, fd[0]);
	case MESSAGE_COMPARE:
		return serve_compare(a, r, &q->compare, fd[0], fd[1]);
	case MESSAGE_LINT:
		return lint(a, r, &q->lint);
	default:
		return "not a request for a judge";
	}
}

static struct judging *judging_new(union runner_request *start,
				   const struct functions *f)
{
	struct judging *j = xcalloc(1, sizeof *j);

	parts_threads(start->start.threads);
	j->reference.f = *f;
	j->reference.has_plain = start->start.plain[0] != '\0';
	value_memory_init(&j->values, start);
	if (start->start.by_runners)
		j->reference.elsewhere = &j->values.elsewhere;
	return j;
}

void judge_serve(union runner_request *q, const struct functions *f)
{
	struct judging *j = judging_new(q, f);
	int fd[CHANNEL_MAX_FDS];

	while (channel_receive(q, fd)) {
		struct judge_answer a = {.head = {.kind = MESSAGE_ANSWER}};
		bool own = q->head.kind == MESSAGE_UNLIKE;
		const char *why = own ? serve_unlike(&q->unlike, fd)
				      : serve(&a, j, q, fd);

		for (size_t i = 0; i < CHANNEL_MAX_FDS; i++)
			cleanup_fd_fn(&fd[i]);
		if (why == reference_at_fault) {
			a = j->reference.fault;
			a.head.kind = MESSAGE_ANSWER;
			why = NULL;
		}
		a.head.sequence = q->head.sequence;
		if (why)
			channel_refuse(q, why);
		else if (!own)
			channel_send(&a, sizeof a);
	}
	mapping_release(&j->handed);
	mapping_release(&j->asked);
	reference_drop_arrays(&j->reference);
	value_memory_release(&j->values);
	free(j);
}
