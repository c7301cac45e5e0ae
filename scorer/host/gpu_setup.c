#include "scorer/host/gpu_setup.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"

/* Where all processes map a case's memory: apart from each other and from
 * addresses that drivers use. */
#define INPUTS_BASE	((uint64_t)0x6000 << 32)
#define OUTPUTS_BASE	((uint64_t)0x6100 << 32)
#define PREPARED_BASE	((uint64_t)0x6200 << 32)
#define ADDRESS_WINDOWS 16
/* Steps into a window; the rest of the window is larger than any batch. */
#define ADDRESS_STEP  ((uint64_t)64 << 20)
#define ADDRESS_STEPS 512

/* A batch uses more memory than any cache has, but not all of the card's. */
#define TURN_BYTES  ((size_t)256 << 20)
#define BATCH_BYTES ((size_t)4 << 30)

struct error *gpu_cubins(int *out, const struct build *b)
{
	cleanup_fd int fd = memfd_create("cubins", MFD_CLOEXEC);

	if (fd < 0)
		return error_errno("memfd");
	for (size_t i = 0; i < b->n_cubins; i++) {
		cleanup_free char *data = NULL;
		struct stat st;
		uint64_t bytes;

		if (fstat(b->cubin_fd[i], &st) < 0)
			return error_errno("cannot read the device code");
		bytes = (uint64_t)st.st_size;
		data = xcalloc(bytes + 1, 1);
		if (pread(b->cubin_fd[i], data, bytes, 0) != st.st_size)
			return error_errno("cannot read the device code");
		TRY(write_all(fd, &bytes, sizeof bytes));
		TRY(write_all(fd, data, bytes));
	}
	*out = steal_fd(&fd);
	return NULL;
}

struct runner_spec gpu_spec(const struct scoring *sc, const char *role,
			    int object_fd)
{
	return (struct runner_spec){.sandbox = sc->sandbox,
				    .program_fd = sc->program_fd,
				    .role = role,
				    .object_fd = object_fd,
				    .gpu = sc->gpu,
				    .folders = sc->folders,
				    .stop_now = sc->stop_now};
}

struct runner_spec gpu_resident_spec(const struct scoring *sc,
				     const struct build *b)
{
	struct runner_spec spec = gpu_spec(sc, "resident", b->object_fd);

	spec.build = b;
	spec.threads = sc->task->threads;
	return spec;
}

void gpu_addresses_draw(struct gpu_addresses *p, struct layout_random *layout)
{
	p->inputs_at = INPUTS_BASE +
		       layout_below(layout, ADDRESS_WINDOWS) * GPU_WINDOW;
	p->outputs_at = OUTPUTS_BASE +
			layout_below(layout, ADDRESS_WINDOWS) * GPU_WINDOW;
	p->prepared_at = PREPARED_BASE +
			 layout_below(layout, ADDRESS_WINDOWS) * GPU_WINDOW;
	gpu_addresses_shift(p, layout);
}

static uint64_t shift(uint64_t at, struct layout_random *layout)
{
	return at / GPU_WINDOW * GPU_WINDOW +
	       layout_below(layout, ADDRESS_STEPS) * ADDRESS_STEP;
}

void gpu_addresses_shift(struct gpu_addresses *p, struct layout_random *layout)
{
	p->inputs_at = shift(p->inputs_at, layout);
	p->outputs_at = shift(p->outputs_at, layout);
	p->prepared_at = shift(p->prepared_at, layout);
}

void gpu_addresses_size(struct gpu_addresses *p, const struct entry_call *c)
{
	p->images = c->batch;
	p->inputs_bytes = entry_call_inputs_bytes(c);
	p->outputs_bytes = entry_call_outputs_bytes(c);
	p->prepared_bytes = c->layout.region_bytes[REGION_PREPARED];
}

uint64_t gpu_addresses_bytes(const struct gpu_addresses *p)
{
	return p->images *
	       (p->inputs_bytes + p->outputs_bytes + p->prepared_bytes);
}

/* An address inside one of the mappings as the mapping's number and the offset
 * in it; any other word unchanged. */
static uint64_t relative(uint64_t word, const struct gpu_addresses *p)
{
	const uint64_t at[] = {p->inputs_at, p->outputs_at, p->prepared_at};
	const uint64_t bytes[] = {p->inputs_bytes, p->outputs_bytes,
				  p->prepared_bytes};

	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		if (word >= at[i] && word - at[i] < p->images * bytes[i])
			return word - at[i] + i * UINT32_MAX;
	return word;
}

/* The candidate's process wrote the plan, so none of its counts is believed;
 * the launcher refuses what cannot be. */
static void hash_node(struct hash *h, struct plan_node *n,
		      const struct gpu_addresses *p)
{
	size_t bytes = MIN(n->parameter_bytes, (size_t)PLAN_PARAMETER);

	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		uint64_t word;

		memcpy(&word, n->parameter + i, sizeof word);
		word = relative(word, p);
		memcpy(n->parameter + i, &word, sizeof word);
	}
	n->at = relative(n->at, p);
	n->from = relative(n->from, p);
	hash_add(h, n, sizeof *n);
}

static struct error *hash_launch(struct hash *h, int plan, size_t which,
				 const struct gpu_addresses *p)
{
	cleanup_free struct plan_launch *l = xcalloc(1, sizeof *l);

	if (pread(plan, l, sizeof *l, (off_t)(which * sizeof *l)) != sizeof *l)
		return error_new(ERROR_SYSTEM, "a plan cannot be read");
	hash_add(h, &l->n_nodes, sizeof l->n_nodes);
	for (uint32_t i = 0; i < MIN(l->n_nodes, (uint32_t)PLAN_NODES); i++)
		hash_node(h, &l->node[i], p);
	return NULL;
}

/* The device code that lies after the launches, if any does. A piece that is
 * longer than the file ends it. */
static void hash_code(struct hash *h, int plan, uint64_t at)
{
	uint64_t bytes;

	while (pread(plan, &bytes, sizeof bytes, (off_t)at) == sizeof bytes &&
	       bytes && bytes <= PLAN_CODE_BYTES) {
		cleanup_free char *code = xcalloc(bytes, 1);

		at += sizeof bytes;
		if (pread(plan, code, bytes, (off_t)at) != (ssize_t)bytes)
			return;
		hash_add(h, code, bytes);
		at += bytes;
	}
}

struct error *gpu_plan_id(char out[HASH_HEX_LEN + 1], int plan, bool prepares,
			  const struct gpu_addresses *p)
{
	struct hash *h = hash_new();
	struct error *err = hash_launch(h, plan, 0, p);

	if (!err && prepares)
		err = hash_launch(h, plan, p->images, p);
	if (!err)
		hash_code(h, plan,
			  (prepares ? 2 : 1) * p->images *
				  sizeof(struct plan_launch));
	hash_finish(out, h);
	return err;
}

/* Copies what lies between two holes; *at becomes its end. */
static struct error *copy_data(int to, int from, off_t *at)
{
	off_t end = lseek(from, *at, SEEK_HOLE);
	ssize_t n = 1;

	while (n > 0 && *at < end) {
		char part[65536];

		n = pread(from, part, MIN(sizeof part, (size_t)(end - *at)),
			  *at);
		if (n > 0)
			n = pwrite(to, part, (size_t)n, *at);
		*at += MAX(n, 0);
	}
	return n > 0 ? NULL : error_errno("cannot copy a plan");
}

struct error *gpu_plan_copy(int *out, int plan)
{
	cleanup_fd int fd = -1;
	struct stat st;
	off_t at = 0;

	if (fstat(plan, &st) < 0)
		return error_errno("cannot read a plan");
	TRY(sized_memfd(&fd, "plan", (size_t)st.st_size));
	while ((at = lseek(plan, at, SEEK_DATA)) >= 0 && at < st.st_size)
		TRY(copy_data(fd, plan, &at));
	*out = steal_fd(&fd);
	return NULL;
}

bool gpu_plan_is_chain(int plan)
{
	cleanup_free struct plan_launch *l = xcalloc(1, sizeof *l);

	return pread(plan, l, sizeof *l, 0) == sizeof *l && plan_is_chain(l);
}

bool gpu_plan_takes_memory(int plan)
{
	cleanup_free struct plan_launch *l = xcalloc(1, sizeof *l);
	bool takes = pread(plan, l, sizeof *l, 0) != sizeof *l;

	for (uint32_t i = 0; i < MIN(l->n_nodes, (uint32_t)PLAN_NODES); i++)
		takes = takes || l->node[i].kind == PLAN_ALLOCATION;
	return takes;
}

bool gpu_has_preview(const struct scoring *sc)
{
	return sc->task->prepare || sc->isolated[0];
}

struct error *gpu_fill_preview(struct scoring *sc, struct gpu_buffers *buffers,
			       const struct input_set *s)
{
	struct recipe first = s->recipe;

	if (gpu_has_preview(sc))
		secret_key(&first.key, &sc->secret);
	TRY(gpu_judge_fill(sc->judge, &first));
	for (uint32_t i = 0; buffers->apart && i < buffers->slots; i++)
		TRY(gpu_judge_release(buffers, sc->judge, i,
				      secret_u64(&sc->secret)));
	return NULL;
}

struct error *gpu_set(struct input_set *s, struct scoring *sc,
		      const struct task_case *c, enum fill mixed,
		      int64_t images)
{
	TRY(set_init(s, sc->task, c, mixed, images, &sc->secret, &sc->layout));
	return layout_make(&s->call.layout, sc->task, c, false);
}

void gpu_isolate(struct score_outcome *o, struct scoring *sc, const char *why)
{
	snprintf(sc->isolated, sizeof sc->isolated, "%s", why);
	if (sc->task->launch_class == LAUNCH_REPLAYED)
		score_outcome_set(
			o, VERDICT_FORBIDDEN,
			"it cannot be replayed, which the task demands "
			"(class: replayed): %s",
			why);
}

bool gpu_is_of_replay(enum verdict v)
{
	return v == VERDICT_WRONG || v == VERDICT_OUT_OF_BOUNDS;
}

static enum gpu_reach reach(const struct scoring *sc)
{
	return sc->gpu ? sc->gpu->reach : REACH_OWN;
}

bool gpu_replays(const struct scoring *sc)
{
	return sc->gpu && reach(sc) == REACH_OWN &&
	       sc->task->launch_class != LAUNCH_ISOLATED;
}

struct error *gpu_choose_class(struct scoring *sc)
{
	sc->isolated[0] = '\0';
	if (sc->task->launch_class == LAUNCH_ISOLATED)
		snprintf(sc->isolated, sizeof sc->isolated,
			 "the task asks for it");
	else if (reach(sc) != REACH_OWN)
		gpu_reach_tell(sc->isolated, sizeof sc->isolated, reach(sc),
			       GPU_REACHES_LAUNCHER);
	if (sc->task->launch_class == LAUNCH_REPLAYED && sc->isolated[0])
		return error_new(ERROR_SYSTEM,
				 "nothing can be replayed here, which the task "
				 "demands (class: replayed): %s",
				 sc->isolated);
	return NULL;
}

struct error *gpu_count_images(int64_t *out, struct scoring *sc,
			       const struct task_case *c)
{
	cleanup_input_set struct input_set s = INPUT_SET_INIT;
	size_t bytes;

	if (sc->isolated[0]) {
		*out = sc->task->metric == METRIC_THROUGHPUT
			       ? MIN(MAX(sc->task->batch, 1), GPU_IMAGES)
			       : 1;
		return NULL;
	}

	TRY(gpu_set(&s, sc, c, FILL_NORMAL, 1));
	bytes = MAX(entry_call_inputs_bytes(&s.call) +
			    entry_call_outputs_bytes(&s.call) +
			    s.call.layout.region_bytes[REGION_PREPARED],
		    1);
	/* One image is not launched. */
	*out = (int64_t)MAX(TURN_BYTES / bytes + 2, GPU_MIN_IMAGES);
	*out = MIN(*out, GPU_IMAGES);
	*out = MIN(*out, (int64_t)MAX(BATCH_BYTES / bytes, 1));
	return NULL;
}
