#include "scorer/host/runner_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "scorer/build/exports.h"
#include "scorer/device/gpu.h"
#include "scorer/host/runner_json.h"
#include "scorer/host/runner_trace.h"

#define LINGER_SECONDS 2.0
/* Address space besides the scorer's buffers: the program, libc, stacks. */
#define OWN_MEMORY    ((uint64_t)192 << 20)
#define THREAD_MEMORY ((uint64_t)80 << 20)
/* The part of it that is ever touched: a half is the garbage in a candidate's heap
 * (HEAP_DIRTY_BYTES). */
#define OWN_RESIDENT ((uint64_t)32 << 20)
/* Addresses that a program may reserve and never use. */
#define RESERVED_MEMORY ((uint64_t)64 << 30)
/* How often a running program's memory is checked. It can fill a few bytes a
 * nanosecond, so it may exceed its limit by some tens of MB. */
#define LOOK_SECONDS 0.01
/* How often a wait looks whether it is to end: a signal may come just before it
 * sleeps, or to another thread. */
#define STOP_SECONDS 0.2
/* It may keep open what it was handed; more files could hold memory that is not
 * counted as its own. */
#define OPEN_FILES 128

extern const unsigned char runner_program[], runner_program_end[];

struct error *runner_program_open(int *fd)
{
	uintptr_t begin = (uintptr_t)runner_program;
	uintptr_t end = (uintptr_t)runner_program_end;

	return memfd_with(fd, "avogit-runner", runner_program, end - begin,
			  true);
}

static struct error *make_channels(struct runner *r, int *theirs, int *writer)
{
	int pair[2], ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return error_errno("cannot make a socket for the runner");
	r->control = pair[0];
	*theirs = pair[1];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno("cannot make a pipe for the runner");
	r->output = ends[0];
	*writer = ends[1];
	if (fcntl(r->output, F_SETFL, O_NONBLOCK) < 0)
		return error_errno("cannot set up the runner's pipe");
	return NULL;
}

/* With namespaces a program cannot hold memory that is not seen as its own, so
 * its address space may be larger than its memory. */
static uint64_t address_bytes(const struct runner_spec *s, unsigned threads)
{
	uint64_t bytes = s->memory_bytes + OWN_MEMORY + threads * THREAD_MEMORY;

	if (!s->memory_bytes)
		return 0;
	if (sandbox_level(s->sandbox) >= SANDBOX_BWRAP)
		bytes += RESERVED_MEMORY;
	return bytes;
}

/* While it builds, a runner of another language starts compilers and threads;
 * from then on the strict filter forbids processes. */
#define COMMAND_PROCESSES 256

static void inherit(struct sandbox_spec *spec, int fd, int child_fd)
{
	spec->inherit[spec->n_inherit].fd = fd;
	spec->inherit[spec->n_inherit].child_fd = child_fd;
	spec->n_inherit++;
}

/* Gives a spec what is for another program than our own. */
static void spec_command(struct sandbox_spec *spec, const struct runner_spec *s,
			 int control, int driver)
{
	const struct build *b = s->build;

	spec->argv = (const char *const *)b->runner->argv.v;
	spec->folders = (const char *const *)b->runner->folders.v;
	spec->files = &b->files;
	spec->shows_cpus = true;
	spec->alone = false;
	spec->limits.processes = COMMAND_PROCESSES;
	spec->n_inherit = 0;
	inherit(spec, control, RUNNER_CONTROL_FD);
	if (driver >= 0)
		inherit(spec, driver, RUNNER_DRIVER_FD);
}

static struct sandbox_spec sandbox_spec_of(const struct runner_spec *s,
					   int program_fd, int object,
					   int control, int driver,
					   const struct strvec *nodes)
{
	static const char *const no_nodes[] = {NULL};
	struct sandbox_spec spec = {.profile = s->gpu ? SANDBOX_BUILD
						      : SANDBOX_RUN,
				    .folders = s->folders,
				    .threads = MAX(s->threads, 1U),
				    .cpus = s->cpus};

	if (s->gpu)
		spec.gpu = nodes->n ? (const char *const *)nodes->v : no_nodes;
	if (!s->gpu) {
		spec.limits.open_files = OPEN_FILES;
		spec.alone = true;
	}
	spec.limits.memory_bytes = address_bytes(s, spec.threads);
	inherit(&spec, program_fd, RUNNER_PROGRAM_FD);
	inherit(&spec, control, RUNNER_CONTROL_FD);
	inherit(&spec, object, RUNNER_OBJECT_FD);
	if (driver >= 0)
		inherit(&spec, driver, RUNNER_DRIVER_FD);
	return spec;
}

/* A separate sealed copy for this process, which it cannot write either. */
static struct error *own_copy(int *out, const char *name, int from)
{
	const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW |
			  F_SEAL_SEAL;
	cleanup_fd int fd = -1;
	struct stat st;

	if (fstat(from, &st) < 0)
		return error_errno("%s", name);
	TRY(memfd_copy(&fd, name, from, (size_t)st.st_size));
	if (fcntl(fd, F_ADD_SEALS, seals) < 0)
		return error_errno("%s", name);
	*out = steal_fd(&fd);
	return NULL;
}

static struct runner *runner_new(const struct runner_spec *s)
{
	struct runner *r = xcalloc(1, sizeof *r);

	r->control = r->output = -1;
	r->role = s->role;
	r->gives = s->gives;
	for (size_t i = 0; i < ARRAY_SIZE(r->given); i++)
		r->given[i] = -1;
	r->stop_now = s->stop_now;
	buf_init(&r->said, RUNNER_OUTPUT_LIMIT);
	if (s->build && s->build->runner)
		r->packet = xcalloc(RUNNER_PACKET, 1);
	return r;
}

struct error *runner_start(struct runner **out, const struct runner_spec *s)
{
	cleanup_runner struct runner *r = runner_new(s);
	cleanup_fd int theirs = -1;
	cleanup_fd int writer = -1;
	cleanup_fd int driver = -1;
	cleanup_fd int program_fd = -1;
	cleanup_fd int object = -1;
	cleanup_free char *program =
		xasprintf("/proc/self/fd/%d", RUNNER_PROGRAM_FD);
	const char *argv[] = {program, s->role, NULL};
	cleanup_strvec struct strvec env = STRVEC_INIT;
	cleanup_strvec struct strvec nodes = STRVEC_INIT;
	struct sandbox_spec spec;

	TRY(make_channels(r, &theirs, &writer));
	if (s->gpu) {
		TRY(gpu_driver_open(&driver));
		gpu_alone(&env, &nodes, s->gpu);
		if (s->one_queue)
			strvec_push(&env, "CUDA_DEVICE_MAX_CONNECTIONS=1");
	}
	if (!r->packet) {
		TRY(own_copy(&program_fd, "avogit-runner", s->program_fd));
		TRY(own_copy(&object, "object", s->object_fd));
	}
	spec = sandbox_spec_of(s, program_fd, object, theirs, driver, &nodes);
	spec.argv = argv;
	if (r->packet)
		spec_command(&spec, s, theirs, driver);
	if (s->gpu)
		spec.env = (const char *const *)env.v;
	TRY(sandbox_start(&r->process, s->sandbox, &spec, writer));
	r->started = true;
	if (s->memory_bytes)
		r->resident_bytes = s->memory_bytes + OWN_RESIDENT;
	*out = steal(&r);
	return NULL;
}

struct error *runner_put_name(char out[PROTOCOL_NAME], const char *name)
{
	if (!name)
		return NULL;
	if (strlen(name) >= PROTOCOL_NAME)
		return error_new(ERROR_TASK,
				 "the function name %.20s... is over %d bytes",
				 name, PROTOCOL_NAME - 1);
	memcpy(out, name, strlen(name) + 1);
	return NULL;
}

struct error *runner_put_function(char out[PROTOCOL_NAME],
				  const struct task *task, int object_fd,
				  const char *name)
{
	cleanup_free char *symbol = NULL;

	if (!name || task->language != LANGUAGE_CXX)
		return runner_put_name(out, name);
	symbol = exports_symbol(object_fd, name);
	return runner_put_name(out, symbol);
}

static void send_packet(const struct runner *r, const void *packet,
			size_t bytes, const int fd[3])
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(3 * sizeof(int))];
	} control = {{0}};
	struct iovec part = {(void *)(uintptr_t)packet, bytes};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	size_t n = 0;

	while (n < 3 && fd[n] >= 0)
		n++;
	if (n) {
		struct cmsghdr *c;

		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fd, n * sizeof(int));
	}
	while (sendmsg(r->control, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
	       errno == EINTR)
		;
}

void runner_send3(struct runner *r, void *message, size_t bytes,
		  const int fd[3])
{
	struct message_head *head = message;

	head->sequence = ++r->sequence;
	runner_trace_sent(r, head->kind);
	send_packet(r, message, bytes, fd);
}

void runner_send_text(struct runner *r, const char *text, const int fd[3])
{
	runner_trace_sent(r, 0);
	send_packet(r, text, strlen(text), fd);
}

void runner_send(struct runner *r, void *message, size_t bytes, int fd0,
		 int fd1)
{
	const int fd[3] = {fd0, fd1, -1};

	runner_send3(r, message, bytes, fd);
}

static size_t reply_bytes(uint32_t kind)
{
	switch (kind) {
	case GPU_CAPTURED:
	case GPU_ARMED:
		return sizeof(struct gpu_ready_reply);
	case GPU_ALLOCATED:
		return sizeof(struct gpu_allocated_reply);
	case GPU_RAN:
		return sizeof(struct gpu_ran_reply);
	case GPU_CARD_IS:
		return sizeof(struct gpu_card_reply);
	case GPU_CEILING_IS:
		return sizeof(struct gpu_ceiling_reply);
	case GPU_BEAT:
		return sizeof(struct gpu_beat);
	case MESSAGE_STARTED:
	case MESSAGE_PREPARED:
	case MESSAGE_GIVEN_PREPARED:
	case MESSAGE_IS_READY:
	case MESSAGE_DONE:
		return sizeof(struct plain_reply);
	case MESSAGE_FAULT:
		return sizeof(struct fault_reply);
	case MESSAGE_REFUSED:
		return sizeof(struct refused_reply);
	case MESSAGE_ANSWER:
		return sizeof(struct judge_answer);
	case MESSAGE_CALL:
		return sizeof(struct call_reply);
	case MESSAGE_LIKENESS:
		return sizeof(struct likeness_reply);
	default:
		return SIZE_MAX;
	}
}

/* Reads what the program printed; more than the limit is dropped. */
static void drain(struct runner *r)
{
	char chunk[4096];
	ssize_t n;

	for (unsigned i = 0; i < 64; i++) {
		n = read(r->output, chunk, sizeof chunk);
		if (n <= 0)
			break;
		buf_add(&r->said, chunk, (size_t)n);
	}
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		close(r->output);
		r->output = -1;
	}
}

static void close_given(struct runner *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->given); i++)
		cleanup_fd_fn(&r->given[i]);
}

/* Receives one message with its descriptors. */
static ssize_t take_given(struct runner *r, union runner_reply *out)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof r->given)];
	} control;
	struct iovec part = {out, sizeof *out};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof control};
	ssize_t n = recvmsg(r->control, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return n;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		size_t bytes = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_type != SCM_RIGHTS || bytes > sizeof r->given)
			continue;
		close_given(r);
		memcpy(r->given, CMSG_DATA(c), bytes);
	}
	return n;
}

/* Receives one message: its length, 0 at the end of the channel. Descriptors that
 * come with it are dropped by the kernel. */
static ssize_t receive(struct runner *r, union runner_reply *out)
{
	if (r->packet)
		return recv(r->control, r->packet, RUNNER_PACKET,
			    MSG_DONTWAIT | MSG_TRUNC);
	return r->gives ? take_given(r, out)
			: recv(r->control, out, sizeof *out, MSG_DONTWAIT);
}

/* Has the message the form of an answer to the last request? */
static bool is_answer(struct runner *r, union runner_reply *out, size_t n)
{
	if (r->packet)
		return n <= RUNNER_PACKET &&
		       runner_json_read(out, r, r->packet, n);
	return n >= sizeof out->head && n == reply_bytes(out->head.kind) &&
	       out->head.sequence == r->sequence;
}

/* Receives one message; true if the wait is over with *state. */
static bool take_message(struct runner *r, union runner_reply *out,
			 uint32_t kind, enum runner_state *state)
{
	ssize_t n = receive(r, out);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	*state = RUNNER_ENDED;
	if (n <= 0)
		return true;
	*state = RUNNER_STRANGE;
	if (!is_answer(r, out, (size_t)n))
		return true;
	if (out->head.kind == MESSAGE_FAULT) {
		/* Only the first: abort() raises other signals after it. */
		if (!r->has_fault)
			r->fault = out->fault;
		r->has_fault = true;
		return false;
	}
	if (out->head.kind == MESSAGE_REFUSED) {
		out->refused.text[sizeof out->refused.text - 1] = '\0';
		*state = RUNNER_REFUSED;
	} else if (out->head.kind == kind ||
		   (kind == GPU_RAN && out->head.kind == GPU_BEAT) ||
		   (r->calls && out->head.kind == MESSAGE_CALL)) {
		*state = RUNNER_ANSWERED;
	}
	return true;
}

static bool stop_wanted(const struct runner *r)
{
	return r->stop_now && *r->stop_now == 2;
}

/* Until the deadline, or until the next look at a limited program's memory or at what
 * ends the wait. */
static struct timespec until(const struct runner *r, double deadline)
{
	double most = r->resident_bytes ? LOOK_SECONDS
		      : r->stop_now	? STOP_SECONDS
					: 3600;
	double left = deadline > 0 ? deadline - clock_seconds() : 3600;
	struct timespec t;

	left = MAX(0, MIN(left, most));
	t.tv_sec = (time_t)left;
	t.tv_nsec = (long)((left - (double)t.tv_sec) * 1e9);
	return t;
}

static enum runner_state wait_for(struct runner *r, union runner_reply *out,
				  uint32_t kind, double deadline)
{
	enum runner_state state;

	for (;;) {
		struct pollfd p[2] = {{r->control, POLLIN, 0},
				      {r->output, POLLIN, 0}};
		struct timespec left = until(r, deadline);
		int n = ppoll(p, 2, &left, NULL);

		if (stop_wanted(r))
			return RUNNER_INTERRUPTED;
		if (p[0].revents && n > 0 && take_message(r, out, kind, &state))
			return state;
		if (n > 0 && p[1].revents)
			drain(r);
		if (n == 0 && r->resident_bytes &&
		    sandboxed_memory(&r->process) > r->resident_bytes) {
			r->too_large = true;
			runner_send_kill(r);
			return RUNNER_ENDED;
		}
		if (deadline > 0 && clock_seconds() >= deadline)
			return RUNNER_LATE;
	}
}

enum runner_state runner_wait(struct runner *r, union runner_reply *out,
			      uint32_t kind, double deadline)
{
	double start = clock_seconds();
	enum runner_state state = wait_for(r, out, kind, deadline);

	runner_trace_answered(r, start);
	return state;
}

void runner_end(struct runner *r, int *exit_code, int *signal_number)
{
	double deadline = clock_seconds() + LINGER_SECONDS;
	const struct timespec pause = {0, 1000000};

	*exit_code = -1;
	*signal_number = 0;
	while (!sandboxed_ended(&r->process, exit_code, signal_number) &&
	       clock_seconds() < deadline)
		nanosleep(&pause, NULL);
	if (r->output >= 0)
		drain(r);
	sandboxed_kill(&r->process);
	r->started = false;
}

bool runner_aborted(const struct runner *r)
{
	return r->has_fault && r->fault.signal == SIGABRT;
}

void runner_send_kill(struct runner *r)
{
	if (r && r->started)
		sandboxed_send_kill(&r->process);
}

char *runner_stack_words(const struct runner *r)
{
	if (!r->has_fault || !r->fault.stack_bytes)
		return xstrdup("");
	return xasprintf(": the stack (%.3g MiB) overflowed",
			 (double)r->fault.stack_bytes / (1 << 20));
}

void runner_free(struct runner *r)
{
	if (!r)
		return;
	if (r->started)
		sandboxed_kill(&r->process);
	close_given(r);
	if (r->control >= 0)
		close(r->control);
	if (r->output >= 0)
		close(r->output);
	buf_release(&r->said);
	free(r->packet);
	free(r->versions);
	free(r);
}
