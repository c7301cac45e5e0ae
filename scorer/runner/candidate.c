#include "scorer/runner/roles.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "scorer/runner/call.h"
#include "scorer/runner/mapping.h"

struct launch {
	struct entry_call call;
	struct mapping inputs, outputs;
	struct mapping
		prepared; /* its own, from one GIVE_PREPARED to the next */
	struct invocation *invocation;
	bool ready;
	/* Until the launch is over: a candidate that opens descriptors until
	 * there are none left shall not have those for the next launch. */
	int held[2];
};

static void do_nothing(void)
{
}

/* Points the arguments of one region group at image `index`. */
static void aim(struct invocation *v, const struct entry_call *c,
		const struct mapping *m, unsigned mask, uint32_t index)
{
	for (size_t i = 0; i < c->layout.n; i++)
		if (c->layout.arg[i].is_tensor &&
		    (mask & (1U << c->layout.arg[i].tensor.region)))
			invocation_set_tensor(v, i,
					      mapping_tensor(m, c, i, index));
}

/* Maps only the static inputs and the prepared buffers. Only the file of the
 * prepared buffers leaves this process. */
static const char *run_prepare(const struct prepare_request *q, int inputs_fd,
			       int prepared_fd, function prepare)
{
	cleanup_mapping struct mapping inputs = {0}, prepared = {0};
	cleanup_invocation struct invocation *v = NULL;
	struct entry_call one = q->call;
	const char *why;

	one.batch = 1;
	v = invocation_new(&why, &one, 0, false);
	if (!why)
		why = mapping_guarded(&prepared, prepared_fd, &one,
				      PREPARED_MASK, 0, MAPPING_WRITE,
				      q->prepared_at);
	if (!why)
		why = mapping_guarded(&inputs, inputs_fd, &one, INPUTS_MASK,
				      entry_call_inputs_bytes(&one),
				      MAPPING_READ, q->inputs_at);
	if (why)
		return why;
	if (!prepare)
		return "no function to prepare with";
	for (size_t i = 0; i < one.layout.n; i++)
		if (q->is_static[i])
			invocation_set_tensor(
				v, i, mapping_tensor(&inputs, &one, i, 0));
	aim(v, &one, &prepared, PREPARED_MASK, 0);
	invocation_run(v, prepare);
	return NULL;
}

static const char *take_prepared(struct launch *l,
				 const struct give_prepared_request *q,
				 int prepared)
{
	struct entry_call one = q->call;

	one.batch = 1;
	return mapping_guarded(&l->prepared, prepared, &one, PREPARED_MASK, 0,
			       MAPPING_WRITE, q->prepared_at);
}

static const char *map_buffers(struct launch *l, const struct ready_request *q,
			       int inputs, int outputs)
{
	const char *why = mapping_guarded(&l->inputs, inputs, &l->call,
					  INPUTS_MASK,
					  entry_call_inputs_bytes(&l->call),
					  MAPPING_READ, q->inputs_at);

	if (!why)
		why = mapping_guarded(&l->outputs, outputs, &l->call,
				      OUTPUTS_MASK,
				      entry_call_outputs_bytes(&l->call),
				      MAPPING_WRITE, q->outputs_at);
	return why;
}

/* Untimed. The contents of the buffers come while this process is stopped. */
static const char *get_ready(struct launch *l, const struct ready_request *q,
			     int inputs, int outputs)
{
	const char *why;

	mapping_release(&l->inputs);
	mapping_release(&l->outputs);
	l->ready = false;
	l->call = q->call;
	invocation_free(l->invocation);
	l->invocation = invocation_new(&why, &l->call, 0, false);
	if (!why)
		why = map_buffers(l, q, inputs, outputs);
	if (!why && l->prepared.base)
		aim(l->invocation, &l->call, &l->prepared, PREPARED_MASK, 0);
	l->ready = !why;
	return why;
}

#define LINE 64
/* Larger images would not stay in the nearest cache: only their page tables are
 * read. */
#define NEAR_BYTES ((size_t)48 << 10)

static void read_every(const unsigned char *p, size_t bytes, size_t step)
{
	for (size_t i = 0; i < bytes; i += step)
		(void)*(const volatile unsigned char *)(p + i);
}

/* With what is in it: the judge wrote there last, so that else the first write of
 * a kernel would have to fetch the line from another CPU. */
static void write_every(unsigned char *p, size_t bytes, size_t step)
{
	for (size_t i = 0; i < bytes; i += step) {
		volatile unsigned char *at = p + i;
		unsigned char was = *at;

		*at = was;
	}
}

static size_t warming_step(const struct entry_call *c)
{
	size_t bytes = 0;

	for (size_t i = 0; i < c->layout.n; i++)
		if (c->layout.arg[i].is_tensor)
			bytes += c->layout.arg[i].tensor.bytes;
	return bytes <= NEAR_BYTES ? LINE : LAYOUT_PAGE;
}

/* So that a short kernel finds its buffers as one finds them that was just
 * called on the same: page tables too. What does nothing pays for it as well. */
static void warm(const struct launch *l, uint32_t index, size_t step)
{
	const struct entry_call *c = &l->call;

	for (size_t i = 0; i < c->layout.n; i++) {
		const struct tensor_layout *t = &c->layout.arg[i].tensor;

		if (!c->layout.arg[i].is_tensor || t->region == REGION_PREPARED)
			continue;
		if (t->region == REGION_INPUT)
			read_every(mapping_tensor(&l->inputs, c, i, index),
				   t->bytes, step);
		else
			write_every(mapping_tensor(&l->outputs, c, i, index),
				    t->bytes, step);
	}
}

/* Waits until what was read is here and what was written is out: else a launch
 * that calls nothing would hide the time that reading takes behind the next
 * image's, and a kernel could not, so less would be taken off than it paid. */
static void settle(void)
{
#if defined(__x86_64__)
	_mm_mfence();
	_mm_lfence();
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

static void launch_image(struct launch *l, uint32_t index, function entry)
{
	aim(l->invocation, &l->call, &l->inputs, INPUTS_MASK, index);
	aim(l->invocation, &l->call, &l->outputs, OUTPUTS_MASK, index);
	invocation_run(l->invocation, entry);
}

static const char *go(struct launch *l, const struct go_request *q,
		      function entry)
{
	const struct series *s = &q->series;
	size_t step = warming_step(&l->call);

	if (!l->ready)
		return "GO without READY";
	for (uint32_t k = 0; k < series_launches(s, l->call.batch); k++) {
		uint32_t index = s->n ? s->image[k] : k;

		if (s->n) {
			warm(l, index, step);
			settle();
		}
		launch_image(l, index, entry);
		if (s->n)
			settle();
	}
	return NULL;
}

static void let_go(struct launch *l)
{
	cleanup_fd_fn(&l->held[0]);
	cleanup_fd_fn(&l->held[1]);
	l->held[0] = l->held[1] = -1;
}

void candidate_serve(union runner_request *r, function entry, function prepare)
{
	struct launch launch = {.held = {-1, -1}};
	function called = entry ? entry : do_nothing;
	int fd[CHANNEL_MAX_FDS];

	while (channel_receive(r, fd)) {
		cleanup_fd int first = fd[0], second = fd[1];
		const char *why = "not a request for a candidate";
		enum message_kind done = MESSAGE_DONE;

		if (r->head.kind == MESSAGE_READY)
			let_go(&launch);
		if (r->head.kind == MESSAGE_GO) {
			why = go(&launch, &r->go, called);
		} else if (r->head.kind == MESSAGE_READY) {
			why = get_ready(&launch, &r->ready, first, second);
			done = MESSAGE_IS_READY;
			launch.held[0] = steal_fd(&first);
			launch.held[1] = steal_fd(&second);
		} else if (r->head.kind == MESSAGE_GIVE_PREPARED) {
			why = take_prepared(&launch, &r->give_prepared, first);
			done = MESSAGE_GIVEN_PREPARED;
		} else if (r->head.kind == MESSAGE_PREPARE) {
			why = run_prepare(&r->prepare, first, second, prepare);
			done = MESSAGE_PREPARED;
		}
		if (why)
			channel_refuse(r, why);
		else
			channel_reply(r, done);
		if (done == MESSAGE_DONE)
			let_go(&launch);
	}
	invocation_free(launch.invocation);
	mapping_release(&launch.inputs);
	mapping_release(&launch.outputs);
	mapping_release(&launch.prepared);
}
