#include "scorer/host/runner_json.h"

#include <ctype.h>
#include <inttypes.h>

#include "core/base/json.h"

#define PROTOCOL      1
#define VERSIONS_MOST 200 /* characters that go into a note */

/* ---- requests ------------------------------------------------------------ */

static struct json *request(struct runner *r, const char *what)
{
	struct json *q = json_object();

	json_set_string(q, "request", what);
	json_set_int(q, "sequence", ++r->sequence);
	return q;
}

static void send_and_free(struct runner *r, struct json *q, int fd0, int fd1,
			  int fd2)
{
	cleanup_json struct json *owned = q;
	cleanup_free char *text = json_print(owned);
	const int fd[3] = {fd0, fd1, fd2};

	runner_send_text(r, text, fd);
}

static const char *direction_name(enum direction d)
{
	static const char *const names[] = {"in", "out", "inout"};

	return names[d];
}

static struct json *declared(const struct argument *a, bool wide)
{
	struct json *j = json_object();
	bool is_tensor = a->kind == ARGUMENT_TENSOR;
	enum dtype dtype = is_tensor	? a->dtype
			   : a->members ? a->members[0].dtype
					: DTYPE_U8;

	if (wide && is_tensor && a->direction != DIRECTION_IN &&
	    dtype_is_float(dtype))
		dtype = DTYPE_F64;
	json_set_string(j, "name", a->name);
	json_set_string(j, "kind",
			is_tensor			? "tensor"
			: a->kind == ARGUMENT_WORKSPACE ? "workspace"
			: a->kind == ARGUMENT_PREPARED	? "prepared"
							: "value");
	if (a->kind != ARGUMENT_WORKSPACE && a->kind != ARGUMENT_PREPARED)
		json_set_string(j, "dtype", dtype_name(dtype));
	if (!is_tensor)
		return j;
	json_set_string(j, "direction", direction_name(a->direction));
	json_set_int(j, "rank", (int64_t)a->n_dims);
	return j;
}

/* Names are looked at for all, so that one that is wrong is told at once. */
static struct json *forbidden(const struct task *t, const struct build *b)
{
	struct json *j = json_object();
	struct json *calls = json_array(), *modules = json_array();

	for (size_t i = 0; i < t->forbidden_calls.n; i++)
		json_push_string(calls, t->forbidden_calls.v[i]);
	for (size_t i = 0; i < t->forbidden_modules.n; i++)
		json_push_string(modules, t->forbidden_modules.v[i]);
	json_set(j, "calls", calls);
	json_set(j, "modules", modules);
	json_set_bool(j, "exempt", b->may_call_all);
	return j;
}

void runner_json_start(struct runner *r, const struct task *t,
		       const struct build *b, const char *entry,
		       const char *prepare, bool wide)
{
	struct json *q = request(r, "start");
	struct json *sources = json_array(), *arguments = json_array();

	json_set_int(q, "protocol", PROTOCOL);
	json_set_string(q, "entry", entry ? entry : "");
	json_set_string(q, "prepare", prepare);
	json_set_bool(q, "empty", !entry);
	json_set_int(q, "threads", MAX(t->threads, 1U));
	if (wide)
		json_set_bool(q, "wide", true);
	if (t->language == LANGUAGE_CUDA)
		json_set_string(q, "device", "cuda");
	if (b->compile)
		json_set_string(q, "compile", b->compile);
	if (t->forbidden_calls.n || t->forbidden_modules.n)
		json_set(q, "forbidden", forbidden(t, b));
	for (size_t i = 0; entry && i < b->sources.n; i++)
		json_push_string(sources, b->sources.v[i]);
	json_set(q, "sources", sources);
	for (size_t i = 0; i < t->n_arguments; i++)
		json_push(arguments, declared(&t->argument[i], wide));
	json_set(q, "arguments", arguments);
	send_and_free(r, q, -1, -1, -1);
}

/* Integers exact, whatever their size. */
static void set_value(struct json *j, const struct value_layout *v)
{
	enum dtype dtype = v->member[0];
	char text[64];
	uint64_t bits = 0;

	memcpy(&bits, v->data, MIN(v->bytes, sizeof bits));
	if (dtype == DTYPE_U64)
		snprintf(text, sizeof text, "%" PRIu64, bits);
	else if (dtype == DTYPE_I64)
		snprintf(text, sizeof text, "%" PRId64, (int64_t)bits);
	else
		snprintf(text, sizeof text, "%.17g",
			 dtype_load(dtype, v->data, 0));
	json_set_string(j, "value", text);
}

static void set_shape(struct json *j, const struct tensor_layout *t)
{
	struct json *shape = json_array(), *strides = json_array();

	for (size_t d = 0; d < t->n_dims; d++) {
		json_push_double(shape, (double)t->shape[d]);
		json_push_double(strides, (double)t->stride[d]);
	}
	json_set(j, "shape", shape);
	json_set(j, "strides", strides);
}

/* An image of outputs is the outputs region, then the workspace. */
static struct json *placed(const struct argument *a,
			   const struct entry_call *call, size_t i)
{
	const struct tensor_layout *t = &call->layout.arg[i].tensor;
	const size_t *bytes = call->layout.region_bytes;
	struct json *j = json_object();
	size_t before = t->region == REGION_WORKSPACE ? bytes[REGION_OUTPUT]
						      : 0;

	json_set_string(j, "name", a->name);
	if (!call->layout.arg[i].is_tensor) {
		set_value(j, &call->layout.arg[i].value);
		return j;
	}
	json_set_string(j, "buffer",
			t->region == REGION_INPUT      ? "inputs"
			: t->region == REGION_PREPARED ? "prepared"
						       : "outputs");
	json_set_int(j, "offset", (int64_t)(before + t->offset));
	json_set_int(j, "bytes", (int64_t)t->bytes);
	if (t->region == REGION_INPUT || t->region == REGION_OUTPUT)
		set_shape(j, t);
	return j;
}

static struct json *file_of(size_t image, uint32_t batch)
{
	struct json *j = json_object();

	json_set_int(j, "bytes", (int64_t)(image * batch));
	json_set_int(j, "image", (int64_t)image);
	return j;
}

/* A request for the memory of all images. */
static struct json *ready(struct runner *r, const struct task *t,
			  const struct entry_call *call)
{
	struct json *q = request(r, "ready");
	struct json *arguments = json_array();

	json_set_int(q, "batch", call->batch);
	json_set(q, "inputs",
		 file_of(entry_call_inputs_bytes(call), call->batch));
	json_set(q, "outputs",
		 file_of(entry_call_outputs_bytes(call), call->batch));
	for (size_t i = 0; i < t->n_arguments; i++)
		json_push(arguments, placed(&t->argument[i], call, i));
	json_set(q, "arguments", arguments);
	return q;
}

static struct json *prepared_file(const struct entry_call *call)
{
	return file_of(call->layout.region_bytes[REGION_PREPARED], 1);
}

void runner_json_ready(struct runner *r, const struct task *t,
		       const struct entry_call *call, int inputs, int outputs,
		       int prepared)
{
	struct json *q = ready(r, t, call);

	if (prepared >= 0)
		json_set(q, "prepared", prepared_file(call));
	send_and_free(r, q, inputs, outputs, prepared);
}

static struct json *absent(const struct argument *a)
{
	struct json *j = json_object();

	json_set_string(j, "name", a->name);
	json_set_bool(j, "absent", true);
	return j;
}

void runner_json_prepare(struct runner *r, const struct task *t,
			 const struct entry_call *call, const bool *is_static,
			 int inputs, int prepared)
{
	struct json *q = request(r, "prepare");
	struct json *arguments = json_array();

	json_set(q, "inputs", file_of(entry_call_inputs_bytes(call), 1));
	json_set(q, "prepared", prepared_file(call));
	for (size_t i = 0; i < t->n_arguments; i++) {
		const struct argument *a = &t->argument[i];
		bool there = is_static[i] || a->kind == ARGUMENT_PREPARED ||
			     a->kind == ARGUMENT_SCALAR;

		json_push(arguments, there ? placed(a, call, i) : absent(a));
	}
	json_set(q, "arguments", arguments);
	send_and_free(r, q, inputs, prepared, -1);
}

static struct json *places(const struct gpu_addresses *p)
{
	struct json *at = json_object();

	json_set_int(at, "inputs", (int64_t)p->inputs_at);
	json_set_int(at, "outputs", (int64_t)p->outputs_at);
	return at;
}

void runner_json_arm(struct runner *r, const struct task *t,
		     const struct entry_call *call,
		     const struct gpu_addresses *p, int inputs, int outputs)
{
	struct json *q = ready(r, t, call);

	json_set(q, "at", places(p));
	send_and_free(r, q, inputs, outputs, -1);
}

/* What a plan looks like: the runner refuses to write one of another form. */
static struct json *plan_form(const struct gpu_addresses *p)
{
	struct json *j = json_object();

	json_set_int(j, "bytes",
		     (int64_t)(p->images * sizeof(struct plan_launch) +
			       PLAN_CODE_BYTES));
	json_set_int(j, "launch", sizeof(struct plan_launch));
	json_set_int(j, "node", sizeof(struct plan_node));
	json_set_int(j, "nodes", PLAN_NODES);
	return j;
}

void runner_json_capture(struct runner *r, const struct task *t,
			 const struct entry_call *call,
			 const struct gpu_addresses *p, int plan)
{
	struct json *q = ready(r, t, call);

	json_set_string(q, "request", plan < 0 ? "try" : "capture");
	json_set(q, "at", places(p));
	json_set(q, "plan", plan_form(p));
	send_and_free(r, q, plan, -1, -1);
}

void runner_json_let_go(struct runner *r)
{
	send_and_free(r, request(r, "let_go"), -1, -1, -1);
}

static struct json *go(struct runner *r, const struct gpu_run_request *run)
{
	struct json *q = request(r, "go");
	struct json *images = json_array();

	for (uint32_t i = 0; i < run->n; i++)
		json_push_double(images, run->order[i]);
	json_set(q, "images", images);
	json_set_bool(q, "empty", run->empty);
	return q;
}

void runner_json_run(struct runner *r, const struct gpu_run_request *run,
		     int inputs, int outputs)
{
	send_and_free(r, go(r, run), inputs, outputs, -1);
}

void runner_json_time(struct runner *r, const struct task *t,
		      const struct gpu_run_request *run)
{
	struct json *q = go(r, run);

	json_set_bool(q, "timed", true);
	json_set_bool(q, "warm", t->cache == CACHE_WARM);
	json_set_int(q, "steps", GPU_GATE_STEPS);
	send_and_free(r, q, -1, -1, -1);
}

void runner_json_go(struct runner *r, const struct series *series,
		    uint32_t batch)
{
	struct json *q = request(r, "go");
	struct json *images = json_array();

	for (uint32_t i = 0; i < series_launches(series, batch); i++)
		json_push_double(images, series->n ? series->image[i] : i);
	json_set(q, "images", images);
	send_and_free(r, q, -1, -1, -1);
}

/* ---- answers ------------------------------------------------------------- */

/* One line of it, as a sentence in a verdict is. */
static void take_why(char *out, size_t size, const struct json *j)
{
	const char *why = "it gave no reason";
	size_t n = 0;

	json_get_string(j, "why", &why);
	while (n + 1 < size && why[n] && !iscntrl((unsigned char)why[n]))
		n++;
	/* Not in the middle of a character. */
	while (n && ((unsigned char)why[n] & 0xc0) == 0x80)
		n--;
	memcpy(out, why, n);
	out[n] = '\0';
}

/* Of a run that the task's own code timed. */
static void take_times(struct gpu_ran_reply *out, const struct json *j)
{
	const struct json *times = json_get(j, "milliseconds");
	int64_t stuck = 0;

	for (size_t i = 0; i < MIN(json_len(times), GPU_IMAGES); i++) {
		double one = 0;

		json_number(json_at(times, i), &one);
		out->milliseconds[i] = (float)one;
	}
	json_get_double(j, "span", &out->span);
	json_get_int(j, "stuck", &stuck);
	out->stuck = stuck != 0;
}

static void take_state(struct gpu_ready_reply *out, const char *reply,
		       const struct json *j)
{
	const char *state = reply;

	json_get_string(j, "state", &state);
	out->state = str_eq(state, "moved")	     ? GPU_MOVED
		     : str_eq(state, "unreplayable") ? GPU_UNREPLAYABLE
						     : GPU_READY;
	if (out->state == GPU_UNREPLAYABLE)
		take_why(out->why, sizeof out->why, j);
}

static void take_log(struct runner *r, const struct json *j)
{
	const char *log;

	if (!json_get_string(j, "log", &log))
		return;
	if (r->said.len && r->said.data[r->said.len - 1] != '\n')
		buf_addc(&r->said, '\n');
	buf_adds(&r->said, log);
}

/* "torch 1.13.1, python 3.11.2" */
static void take_versions(struct runner *r, const struct json *j)
{
	const struct json *versions = json_get(j, "versions");
	cleanup_buf struct buf text = BUF_INIT(VERSIONS_MOST);

	for (size_t i = 0; !json_is_array(versions) && i < json_len(versions);
	     i++) {
		const struct json *one = json_at(versions, i);
		const char *version = json_string(one);

		if (version)
			buf_addf(&text, "%s%s %s", text.len ? ", " : "",
				 json_key(one), version);
	}
	for (size_t i = 0; i < text.len; i++)
		if (iscntrl((unsigned char)text.data[i]))
			text.data[i] = ' ';
	free(r->versions);
	r->versions = text.len ? buf_take(&text) : NULL;
}

static uint32_t kind_of(const char *reply)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} kinds[] = {
		{"started", MESSAGE_STARTED},	{"ready", MESSAGE_IS_READY},
		{"done", MESSAGE_DONE},		{"armed", GPU_ARMED},
		{"moved", GPU_ARMED},		{"ran", GPU_RAN},
		{"prepared", MESSAGE_PREPARED}, {"captured", GPU_CAPTURED},
		{"failed", MESSAGE_REFUSED}};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_eq(reply, kinds[i].name))
			return kinds[i].kind;
	return 0;
}

bool runner_json_read(union runner_reply *out, struct runner *r,
		      const char *packet, size_t len)
{
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = json_parse(&j, packet, len);
	const char *reply = "";
	int64_t sequence = -1;

	if (err || !json_get_string(j, "reply", &reply) ||
	    !json_get_int(j, "sequence", &sequence) ||
	    sequence != (int64_t)r->sequence)
		return false;
	memset(out, 0, sizeof *out);
	out->head = (struct message_head){kind_of(reply), r->sequence};
	if (out->head.kind == MESSAGE_REFUSED) {
		take_why(out->refused.text, sizeof out->refused.text, j);
		json_get_bool(j, "forbidden", &r->told_forbidden);
		take_log(r, j);
	} else if (out->head.kind == MESSAGE_STARTED) {
		take_versions(r, j);
		json_get_bool(j, "again", &r->again);
	} else if (out->head.kind == GPU_ARMED ||
		   out->head.kind == GPU_CAPTURED) {
		take_state(&out->ready, reply, j);
	} else if (out->head.kind == GPU_RAN) {
		take_times(&out->ran, j);
	}
	return out->head.kind != 0;
}
