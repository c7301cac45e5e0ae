#include "scorer/runners/runner.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/json.h"

#define CONTROL_FD   11
#define FILTER_FD    15
#define PROTOCOL     1
#define PACKET_BYTES 65536
#define LOG_BYTES    32768 /* of a reply: escaped, it may double */
#define MAX_IMAGES   65536

/* A request as it came; descriptors that did not come are -1. */
struct request {
	char text[PACKET_BYTES + 1];
	struct json *json;
	int fd[3];
};

struct server {
	const struct runner *runner;
	struct candidate candidate;
	struct launch launch;
	bool empty, started, ready;
	uint32_t image[MAX_IMAGES];
	struct request request;
};

static void take_descriptors(struct msghdr *m, int fd[3])
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_type == SCM_RIGHTS)
			memcpy(fd, CMSG_DATA(c),
			       MIN(c->cmsg_len - CMSG_LEN(0), 3 * sizeof *fd));
}

static void request_clear(struct request *q)
{
	json_free(q->json);
	q->json = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(q->fd); i++) {
		cleanup_fd_fn(&q->fd[i]);
		q->fd[i] = -1;
	}
}

/* False when the scorer is gone, or what came is no JSON. */
static bool receive(struct request *q)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(3 * sizeof(int))];
	} control;
	struct iovec part = {q->text, PACKET_BYTES};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof control};
	cleanup_error struct error *err = NULL;
	ssize_t n;

	request_clear(q);
	do
		n = recvmsg(CONTROL_FD, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	take_descriptors(&m, q->fd);
	err = json_parse(&q->json, q->text, (size_t)n);
	return !err;
}

static void answer(const struct request *q, struct json *reply)
{
	cleanup_free char *text = NULL;
	int64_t sequence = 0;

	json_get_int(q->json, "sequence", &sequence);
	json_set_int(reply, "sequence", sequence);
	text = json_print(reply);
	while (send(CONTROL_FD, text, strlen(text), MSG_NOSIGNAL) < 0 &&
	       errno == EINTR)
		;
}

static void answer_failed(const struct request *q, const struct error *err,
			  const struct buf *log)
{
	cleanup_json struct json *reply = json_object();

	json_set_string(reply, "reply", "failed");
	json_set_string(reply, "why", error_message(err));
	if (log->len)
		json_set_string(reply, "log", log->data);
	answer(q, reply);
}

static void answer_done(const struct request *q, const char *what,
			const struct strvec *version)
{
	cleanup_json struct json *reply = json_object();

	json_set_string(reply, "reply", what);
	if (str_eq(what, "started"))
		json_set_bool(reply, "again", true);
	if (version && version->n) {
		struct json *versions = json_object();

		for (size_t i = 0; i + 1 < version->n; i += 2)
			json_set_string(versions, version->v[i],
					version->v[i + 1]);
		json_set(reply, "versions", versions);
	}
	answer(q, reply);
}

/* The filter of system calls, from the descriptor on which it is handed in;
 * there is none on a machine that has no seccomp. */
static struct error *load_filter(void)
{
	static struct sock_filter rule[BPF_MAXINSNS];
	struct sock_fprog program = {.filter = rule};
	ssize_t n = pread(FILTER_FD, rule, sizeof rule, 0);

	if (n < 0 && errno == EBADF)
		return NULL;
	program.len = (unsigned short)((size_t)MAX(n, 0) / sizeof rule[0]);
	close(FILTER_FD);
	if (!program.len || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return error_errno(
			"the filter of system calls cannot be loaded");
	return NULL;
}

static struct error *malformed(const char *what)
{
	return error_new(ERROR_MALFORMED, "the request has no proper '%s'",
			 what);
}

static struct error *read_argument(struct candidate_argument *a,
				   const struct json *j)
{
	const char *kind = "", *dtype = "";

	if (!json_get_string(j, "kind", &kind))
		return malformed("kind");
	a->name = json_dup_string(j, "name");
	if (!a->name)
		return malformed("name");
	a->memory = !str_eq(kind, "value");
	if (str_eq(kind, "workspace") || str_eq(kind, "prepared"))
		return NULL;
	if (!json_get_string(j, "dtype", &dtype) ||
	    !dtype_parse(&a->dtype, dtype))
		return error_new(ERROR_TASK,
				 "the argument '%s' has a type that this "
				 "runner cannot pass",
				 a->name);
	return NULL;
}

static struct error *read_start(struct server *s, const struct json *j)
{
	const struct json *sources = json_get(j, "sources");
	const struct json *arguments = json_get(j, "arguments");
	struct candidate *c = &s->candidate;
	int64_t protocol = 0;

	if (!json_get_int(j, "protocol", &protocol) || protocol != PROTOCOL)
		return error_new(ERROR_REFUSED,
				 "this runner speaks version %d of the "
				 "protocol, the scorer %lld",
				 PROTOCOL, (long long)protocol);
	c->threads = 1;
	json_get_int(j, "threads", &c->threads);
	json_get_bool(j, "empty", &s->empty);
	c->prepare = json_dup_string(j, "prepare");
	c->entry = json_dup_string(j, "entry");
	if (!c->entry)
		return malformed("entry");
	for (size_t i = 0; i < json_len(sources); i++)
		if (json_string(json_at(sources, i)))
			strvec_push(&c->sources,
				    json_string(json_at(sources, i)));
	c->n = json_len(arguments);
	if (c->n > RUNNER_MAX_ARGS)
		return malformed("arguments");
	for (size_t i = 0; i < c->n; i++)
		TRY(read_argument(&c->arg[i], json_at(arguments, i)));
	return NULL;
}

static struct error *start(struct server *s)
{
	struct candidate *c = &s->candidate;

	TRY(read_start(s, s->request.json));
	if (!s->empty)
		TRY(s->runner->compile(c));
	TRY(load_filter());
	if (!s->empty)
		TRY(s->runner->load(c));
	s->started = true;
	return NULL;
}

static void unmap(struct memory *m)
{
	if (m->base)
		munmap(m->base, m->bytes);
	*m = (struct memory){0};
}

/* With its pages present: a launch shall not pay for that. */
static struct error *map(struct memory *m, const struct json *j, int fd,
			 int access)
{
	int64_t bytes = 0, image = 0;
	void *p;

	unmap(m);
	if (!json_get_int(j, "bytes", &bytes) || bytes < 0 ||
	    !json_get_int(j, "image", &image) || image < 0)
		return malformed("bytes");
	if (!bytes)
		return NULL;
	p = mmap(NULL, (size_t)bytes, access, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED)
		return error_errno("a memory file cannot be mapped");
	*m = (struct memory){p, (size_t)bytes, (size_t)image};
	return NULL;
}

static struct error *read_value(struct launch *l, struct launch_argument *a,
				const struct candidate_argument *of,
				const struct json *j)
{
	const char *text = "";
	int64_t whole;

	if (!json_get_string(j, "value", &text))
		return malformed("value");
	a->bytes = dtype_bytes(of->dtype);
	if (dtype_is_float(of->dtype)) {
		dtype_store(of->dtype, a->value, 0, strtod(text, NULL));
		return NULL;
	}
	/* An i64 and a u64 have the same bits: both are read as they are. */
	whole = of->dtype == DTYPE_U64 ? (int64_t)strtoull(text, NULL, 10)
				       : (int64_t)strtoll(text, NULL, 10);
	memcpy(a->value, &whole, a->bytes);
	l->values.name[l->values.n] = of->name;
	l->values.value[l->values.n++] = whole;
	return NULL;
}

/* A slot must lie within its memory, for every image. */
static struct error *read_slot(struct launch *l, struct launch_argument *a,
			       const struct json *j)
{
	const char *buffer = "";
	int64_t offset = 0, bytes = 0;
	bool absent = false;
	size_t last;

	json_get_bool(j, "absent", &absent);
	if (absent)
		return NULL;
	json_get_string(j, "buffer", &buffer);
	/* A process that calls nothing is handed none. */
	if (str_eq(buffer, "prepared") && !l->prepared.base)
		return NULL;
	a->in = str_eq(buffer, "inputs")     ? &l->inputs
		: str_eq(buffer, "prepared") ? &l->prepared
					     : &l->outputs;
	last = a->in->image * (l->batch - 1);
	if (!json_get_int(j, "offset", &offset) || offset < 0 ||
	    !json_get_int(j, "bytes", &bytes) || bytes < 0 ||
	    (size_t)offset + (size_t)bytes + last > a->in->bytes)
		return malformed("offset");
	a->offset = (size_t)offset;
	a->bytes = (size_t)bytes;
	return NULL;
}

static struct error *read_arguments(struct server *s, const struct json *j)
{
	const struct json *arguments = json_get(j, "arguments");
	const struct candidate *c = &s->candidate;
	struct launch *l = &s->launch;

	if (json_len(arguments) != c->n)
		return malformed("arguments");
	l->values.n = 0;
	for (size_t i = 0; i < c->n; i++) {
		l->arg[i] = (struct launch_argument){0};
		if (c->arg[i].memory)
			TRY(read_slot(l, &l->arg[i], json_at(arguments, i)));
		else
			TRY(read_value(l, &l->arg[i], &c->arg[i],
				       json_at(arguments, i)));
	}
	return NULL;
}

/* The same for all images of a batch. */
static struct error *map_prepared(struct server *s, int fd)
{
	struct memory *m = &s->launch.prepared;

	TRY(map(m, json_get(s->request.json, "prepared"), fd,
		PROT_READ | PROT_WRITE));
	m->image = 0;
	return NULL;
}

static struct error *read_launch(struct server *s, const struct json *j)
{
	struct launch *l = &s->launch;
	int64_t batch = 0;

	if (!json_get_int(j, "batch", &batch) || batch < 1 ||
	    batch > MAX_IMAGES)
		return malformed("batch");
	l->batch = (uint32_t)batch;
	TRY(map(&l->inputs, json_get(j, "inputs"), s->request.fd[0],
		PROT_READ));
	TRY(map(&l->outputs, json_get(j, "outputs"), s->request.fd[1],
		PROT_READ | PROT_WRITE));
	unmap(&l->prepared);
	if (json_get(j, "prepared"))
		TRY(map_prepared(s, s->request.fd[2]));
	return read_arguments(s, j);
}

static struct error *prepare(struct server *s)
{
	const struct json *j = s->request.json;

	if (!s->started || !s->candidate.prepare)
		return error_new(ERROR_MALFORMED,
				 "'prepare' without one in 'start'");
	s->launch.batch = 1;
	TRY(map(&s->launch.inputs, json_get(j, "inputs"), s->request.fd[0],
		PROT_READ));
	TRY(map_prepared(s, s->request.fd[1]));
	TRY(read_arguments(s, j));
	return s->runner->prepare(&s->candidate, &s->launch);
}

/* What was kept of it ends with the answer. */
static struct error *prepare_once(struct server *s)
{
	struct error *err = prepare(s);

	unmap(&s->launch.inputs);
	unmap(&s->launch.prepared);
	return err;
}

static struct error *make_ready(struct server *s)
{
	if (!s->started)
		return error_new(ERROR_MALFORMED, "'ready' before 'start'");
	TRY(read_launch(s, s->request.json));
	return s->empty ? NULL : s->runner->ready(&s->candidate, &s->launch);
}

static struct error *get_ready(struct server *s)
{
	struct error *err = make_ready(s);

	s->ready = !err;
	return err;
}

static struct error *go(struct server *s)
{
	const struct json *images = json_get(s->request.json, "images");
	size_t n = json_len(images);
	double image;

	if (!s->ready)
		return error_new(ERROR_MALFORMED, "'go' before 'ready'");
	if (n > MAX_IMAGES)
		return malformed("images");
	for (size_t i = 0; i < n; i++) {
		if (!json_number(json_at(images, i), &image) || image < 0 ||
		    image >= s->launch.batch)
			return malformed("images");
		s->image[i] = (uint32_t)image;
	}
	if (s->empty)
		return NULL;
	return s->runner->go(&s->candidate, &s->launch, s->image, n);
}

/* NULL: not a request that this protocol has. */
static const char *serve_request(struct server *s, struct error **err)
{
	const char *what = "";

	json_get_string(s->request.json, "request", &what);
	if (str_eq(what, "start")) {
		*err = start(s);
		return "started";
	}
	if (str_eq(what, "prepare")) {
		*err = prepare_once(s);
		return "prepared";
	}
	if (str_eq(what, "ready")) {
		*err = get_ready(s);
		return "ready";
	}
	if (str_eq(what, "go")) {
		*err = go(s);
		return "done";
	}
	*err = error_new(ERROR_MALFORMED, "'%s' is not a request", what);
	return NULL;
}

int runner_serve(const struct runner *r)
{
	static char *name[RUNNER_MAX_ARGS];
	static int64_t value[RUNNER_MAX_ARGS];
	static struct server server = {.request.fd = {-1, -1, -1},
				       .launch.values = {.name = name,
							 .value = value},
				       .candidate.log = BUF_INIT(LOG_BYTES)};
	struct server *s = &server;

	s->runner = r;
	/* If no namespace hides us, a candidate of the same user could read the
	 * answer in our memory. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return 2;
	while (receive(&s->request)) {
		cleanup_error struct error *err = NULL;
		const char *done = serve_request(s, &err);

		if (err)
			answer_failed(&s->request, err, &s->candidate.log);
		else
			answer_done(&s->request, done,
				    s->started ? &s->candidate.version : NULL);
		/* The compilers' words go with the start alone. */
		buf_clear(&s->candidate.log);
		strvec_release(&s->candidate.version);
		s->candidate.version = (struct strvec)STRVEC_INIT;
	}
	/* What the process has goes with it: a driver may take its time to
	 * release things in order. */
	return 0;
}
