#include "scorer/runner/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/sandbox/sandbox.h"
#include "scorer/runner/channel.h"
#include "scorer/runner/guards.h"

#define FAULT_STACK_BYTES 65536

const char *load_filter(void)
{
	static struct sock_filter rule[4096];
	ssize_t n = pread(SANDBOX_FILTER_FD, rule, sizeof rule, 0);
	struct sock_fprog program = {.filter = rule};

	if (n < 0 && errno == EBADF)
		return NULL; /* none on this machine; the scorer says so */
	if (n <= 0 || (size_t)n >= sizeof rule)
		return "the filter of system calls cannot be read";
	program.len = (unsigned short)((size_t)n / sizeof rule[0]);
	close(SANDBOX_FILTER_FD);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return "the filter of system calls cannot be installed";
	return NULL;
}

/* For the signal handler, which gets no pointer. */
static const uint32_t *fault_sequence;
static uint64_t stack_top, stack_bytes;

/* Arguments and environment lie above the known top of the stack. Below the top
 * Linux maps nothing for 128 MiB, or for the stack's limit and a guard: a large
 * frame may fault beyond the stack's end by its own size. */
#define STACK_ABOVE ((uint64_t)1 << 20)
#define STACK_GUARD ((uint64_t)1 << 20)
#define STACK_SPACE ((uint64_t)120 << 20)

static uint64_t exhausted_stack(uint64_t address)
{
	uint64_t end = stack_top - stack_bytes;
	uint64_t lowest =
		stack_top - MAX(stack_bytes + STACK_GUARD, STACK_SPACE);

	if (!stack_bytes || address >= end + STACK_ABOVE || address < lowest)
		return 0;
	return stack_bytes;
}

static void learn_stack(void)
{
	struct rlimit limit;

	stack_top = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	if (getrlimit(RLIMIT_STACK, &limit) == 0 &&
	    limit.rlim_cur < stack_top / 2)
		stack_bytes = limit.rlim_cur;
}

#define PAGE_FAULT_WRITES \
	2 /* x86: of the error code that the kernel hands on */

static uint32_t doing(const void *context)
{
#if defined(__x86_64__)
	const ucontext_t *u = context;

	return u->uc_mcontext.gregs[REG_ERR] & PAGE_FAULT_WRITES ? ACCESS_WRITE
								 : ACCESS_READ;
#else
	(void)context;
	return ACCESS_UNKNOWN;
#endif
}

static void report_fault(int signal_number, siginfo_t *info, void *context)
{
	uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
	struct fault_reply reply = {{MESSAGE_FAULT, *fault_sequence},
				    signal_number,
				    address,
				    exhausted_stack(address),
				    {0}};

	if ((signal_number == SIGSEGV || signal_number == SIGBUS) &&
	    guards_find(&reply.access, address))
		reply.access.doing = doing(context);
	channel_send(&reply, sizeof reply);
}

void load_fault_reports(const uint32_t *sequence)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct sigaction action = {.sa_sigaction = report_fault,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK |
					       (int)SA_RESETHAND};
	stack_t stack = {.ss_size = FAULT_STACK_BYTES};

	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp == MAP_FAILED)
		return;
	fault_sequence = sequence;
	learn_stack();
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigaction(faults[i], &action, NULL);
}

static const char *load_object(void **handle)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", RUNNER_OBJECT_FD);
	*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!*handle)
		return dlerror();
	close(RUNNER_OBJECT_FD);
	return NULL;
}

static function load_function(void *handle, const char *name, const char **why)
{
	function f = NULL;
	void *symbol = dlsym(handle, name);

	*why = NULL;
	if (!symbol) {
		*why = dlerror();
		if (!*why)
			*why = "the function has no address";
		return NULL;
	}
	memcpy(&f, &symbol, sizeof f);
	return f;
}

const char *load_functions(struct functions *f, const struct start_request *q)
{
	function setup;
	const char *why;
	void *object;

	/* Its launches call nothing, or its functions are elsewhere. */
	if (!q->entry[0] || q->by_runners) {
		close(RUNNER_OBJECT_FD);
		return NULL;
	}
	why = load_object(&object);
	if (why)
		return why;
	f->entry = load_function(object, q->entry, &why);
	if (!why && q->prepare[0])
		f->prepare = load_function(object, q->prepare, &why);
	if (!why && q->plain[0])
		f->plain = load_function(object, q->plain, &why);
	for (size_t i = 0; !why && i < TASK_MAX_ARGS; i++)
		if (q->generator[i][0])
			f->generator[i] =
				load_function(object, q->generator[i], &why);
	if (!why && q->setup[0]) {
		setup = load_function(object, q->setup, &why);
		if (setup)
			setup();
	}
	return why;
}
