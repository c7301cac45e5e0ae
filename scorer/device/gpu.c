#include "scorer/device/gpu.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glob.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "scorer/wire/protocol.h"

#define LIBRARY	      "libcuda.so.1"
#define PROBE_SECONDS 30.0
#define MINOR	      "Device Minor:"
#define PCI_ID_SIZE   16
#define DRIVER_LIMIT  ((size_t)1 << 30)

/* Values of the driver's interface, stable since its first version; defined
 * here so that no CUDA header is needed. */
#define ATTRIBUTE_MAJOR	      75
#define ATTRIBUTE_MINOR	      76
#define ATTRIBUTE_PAGEABLE    88
#define ATTRIBUTE_HOST_TABLES 100

struct driver {
	int (*init)(unsigned flags);
	int (*version)(int *v);
	int (*count)(int *n);
	int (*get)(int *device, int i);
	int (*name)(char *name, int len, int device);
	int (*attribute)(int *v, int attribute, int device);
	int (*memory)(size_t *bytes, int device);
	/* These may be NULL. */
	int (*uuid)(unsigned char uuid[16], int device);
	int (*pci)(char *id, int len, int device);
};

void gpu_arch(char out[GPU_ARCH_SIZE], const struct gpu *g)
{
	/* From Hopper on, the most important instructions (wgmma, TMA, tcgen05)
	 * are compiled for one architecture only. */
	snprintf(out, GPU_ARCH_SIZE, "sm_%d%d%s", g->major, g->minor,
		 g->major >= 9 ? "a" : "");
}

/* The manual of nvcc: code compiled for 8.6 runs on 8.6 and 8.9, not on 8.0 or
 * 9.0; "sm_90a" runs on 9.0 only. */
static bool runs(const struct gpu *g, const char *arch)
{
	char *suffix;
	int number = (int)strtol(arch + strlen("sm_"), &suffix, 10);
	int major = number / 10, minor = number % 10;

	if (g->major != major)
		return false;
	return *suffix == 'a' ? g->minor == minor : g->minor >= minor;
}

void gpus_keep_for(struct gpus *gpus, const char *arch)
{
	char has[GPU_ARCH_SIZE];

	if (!gpus->n || runs(&gpus->gpu[0], arch))
		return;
	gpu_arch(has, &gpus->gpu[0]);
	gpus->n = 0;
	snprintf(gpus->why, sizeof gpus->why,
		 "the %.100s (%s) runs no code for %s", gpus->gpu[0].name, has,
		 arch);
}

static bool is_named(const struct gpus *gpus, size_t i, const char *word)
{
	char *end;
	unsigned long number = strtoul(word, &end, 10);

	if (isdigit((unsigned char)*word) && !*end)
		return number == i;
	return starts_with(word, "GPU-") &&
	       starts_with(gpus->gpu[i].uuid, word);
}

static struct error *refuse_word(const struct gpus *gpus, const char *word,
				 size_t fitting)
{
	if (!gpus->n)
		return error_new(ERROR_REFUSED,
				 "there is no GPU here that could be '%.60s': "
				 "%s",
				 word, gpus->why);
	return error_new(ERROR_USAGE,
			 "'%.60s' names %s of the %zu GPU%s here: give a "
			 "number from 0 to %zu, or a UUID as `avogit doctor` "
			 "lists them",
			 word, fitting ? "several" : "none", gpus->n,
			 gpus->n == 1 ? "" : "s", gpus->n - 1);
}

struct error *gpus_choose(struct gpus *gpus, const char *word)
{
	size_t at = 0, fitting = 0;

	for (size_t i = 0; i < gpus->n; i++)
		if (is_named(gpus, i, word)) {
			at = i;
			fitting++;
		}
	if (fitting != 1)
		return refuse_word(gpus, word, fitting);
	gpus->gpu[0] = gpus->gpu[at];
	gpus->n = 1;
	return NULL;
}

/* ---- the child --------------------------------------------------------- */

static bool load(struct driver *d, void *library)
{
	const struct {
		const char *name;
		void *to;
		bool optional;
	} functions[] = {
		{"cuInit", &d->init, false},
		{"cuDriverGetVersion", &d->version, false},
		{"cuDeviceGetCount", &d->count, false},
		{"cuDeviceGet", &d->get, false},
		{"cuDeviceGetName", &d->name, false},
		{"cuDeviceGetAttribute", &d->attribute, false},
		{"cuDeviceTotalMem_v2", &d->memory, false},
		{"cuDeviceGetUuid", &d->uuid, true},
		{"cuDeviceGetPCIBusId", &d->pci, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *f = dlsym(library, functions[i].name);

		if (!f && !functions[i].optional)
			return false;
		memcpy(functions[i].to, &f, sizeof f);
	}
	return true;
}

static const char *word_for(int code)
{
	switch (code) {
	case 100:
		return "no device";
	case 101:
		return "invalid device";
	case 304:
		return "an operating system call failed";
	case 802:
		return "the system is not ready";
	case 803:
		return "driver and library do not fit each other";
	case 999:
		return "unknown error";
	default:
		return "see cuda.h";
	}
}

static bool said_no(struct gpus *out, const char *what, int code)
{
	if (code)
		snprintf(out->why, sizeof out->why,
			 "the driver answers %s with %d (%s)", what, code,
			 word_for(code));
	return code != 0;
}

static void format_uuid(char out[48], const unsigned char id[16])
{
	size_t len = (size_t)snprintf(out, 48, "GPU");

	for (size_t i = 0; i < 16; i++)
		len += (size_t)snprintf(
			out + len, 48 - len, "%s%02x",
			i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-"
									: "",
			id[i]);
}

/* From a file of the kernel's driver: "Device Minor: 1". */
static int read_node(const char *pci_id)
{
	char path[96], line[256];
	cleanup_file FILE *f = NULL;
	int node = -1;

	snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information",
		 pci_id);
	f = fopen(path, "re");
	while (f && node < 0 && fgets(line, sizeof line, f))
		if (starts_with(line, MINOR))
			node = (int)strtol(line + strlen(MINOR), NULL, 10);
	return node;
}

static int find_node(const struct driver *d, int device)
{
	char id[PCI_ID_SIZE] = "";

	if (!d->pci || d->pci(id, PCI_ID_SIZE - 1, device))
		return -1;
	for (char *c = id; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return read_node(id);
}

static bool read_gpu(struct gpu *g, const struct driver *d, int i)
{
	unsigned char uuid[16];
	size_t memory = 0;
	int device = 0, pageable = 0, tables = 0;

	if (d->get(&device, i) ||
	    d->name(g->name, (int)sizeof g->name - 1, device) ||
	    d->attribute(&g->major, ATTRIBUTE_MAJOR, device) ||
	    d->attribute(&g->minor, ATTRIBUTE_MINOR, device) ||
	    d->attribute(&pageable, ATTRIBUTE_PAGEABLE, device) ||
	    d->attribute(&tables, ATTRIBUTE_HOST_TABLES, device) ||
	    d->memory(&memory, device))
		return false;
	g->memory = memory;
	g->reach = gpu_reach_of(pageable, tables);
	if (d->uuid && d->uuid(uuid, device) == 0)
		format_uuid(g->uuid, uuid);
	g->node = find_node(d, device);
	return true;
}

static void ask(struct gpus *out, const char *name)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	struct driver d = {0};
	int n = 0;

	if (!library) {
		snprintf(out->why, sizeof out->why,
			 "the driver's library cannot be opened: %s",
			 dlerror());
		return;
	}
	if (!load(&d, library)) {
		snprintf(out->why, sizeof out->why,
			 "%s is not a library of a driver", name);
		return;
	}
	if (said_no(out, "cuInit", d.init(0)) ||
	    said_no(out, "cuDeviceGetCount", d.count(&n)))
		return;
	d.version(&out->cuda);
	for (int i = 0; i < n && i < GPU_MAX; i++)
		if (read_gpu(&out->gpu[out->n], &d, i))
			out->n++;
	if (!out->n)
		snprintf(out->why, sizeof out->why, "the driver has no device");
}

/* Silent, because a library must not print on our terminal. */
static void run_child(int fd, pid_t parent, const char *name)
{
	struct gpus found = {0};
	struct rlimit none = {0, 0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ||
	    null < 0)
		_exit(1);
	for (int i = 0; i <= 2; i++)
		dup2(null, i);
	setrlimit(RLIMIT_CORE, &none);
	ask(&found, name);
	_exit(write(fd, &found, sizeof found) != (ssize_t)sizeof found);
}

/* ---- the parent -------------------------------------------------------- */

enum probe_received { RECEIVED_ALL, RECEIVED_END, RECEIVED_LATE };

/* Receives all of it; the result says if not. */
static enum probe_received receive(struct gpus *out, int fd)
{
	double deadline = clock_seconds() + PROBE_SECONDS;
	size_t done = 0;

	while (done < sizeof *out) {
		double left = deadline - clock_seconds();
		struct pollfd p = {fd, POLLIN, 0};
		ssize_t n;

		if (left <= 0 || poll(&p, 1, (int)(left * 1e3) + 1) == 0)
			return RECEIVED_LATE;
		n = read(fd, (char *)out + done, sizeof *out - done);
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return RECEIVED_END;
		if (n > 0)
			done += (size_t)n;
	}
	return RECEIVED_ALL;
}

/* The child had the memory of a broken driver, so its answer is checked. */
static bool is_sane(const struct gpus *g)
{
	if (g->n > GPU_MAX || !memchr(g->why, 0, sizeof g->why))
		return false;
	for (size_t i = 0; i < g->n; i++)
		if (!memchr(g->gpu[i].name, 0, sizeof g->gpu[i].name) ||
		    !memchr(g->gpu[i].uuid, 0, sizeof g->gpu[i].uuid) ||
		    g->gpu[i].major < 1 || g->gpu[i].major > 99 ||
		    g->gpu[i].minor < 0 || g->gpu[i].minor > 9 ||
		    g->gpu[i].node < -1 || g->gpu[i].node > 9999 ||
		    g->gpu[i].reach > REACH_ATS)
			return false;
	return true;
}

static void say_why(struct gpus *out, int status, bool timed_out)
{
	*out = (struct gpus){0};
	if (timed_out)
		snprintf(out->why, sizeof out->why,
			 "the driver gave no answer in %g s", PROBE_SECONDS);
	else if (WIFSIGNALED(status))
		snprintf(out->why, sizeof out->why,
			 "the driver's library ended by signal %d",
			 WTERMSIG(status));
	else
		snprintf(out->why, sizeof out->why,
			 "the driver's library ended the process that asked");
}

struct error *gpu_driver_open(int *fd)
{
	cleanup_buf struct buf library = BUF_INIT(DRIVER_LIMIT);
	const char *name = env_get("AVOGIT_LIBCUDA");

	*fd = -1;
	if (!name)
		return NULL;
	TRY(error_wrap(file_read(&library, name),
		       "AVOGIT_LIBCUDA must be the path of a driver's "
		       "library"));
	return memfd_with(fd, RUNNER_DRIVER_NAME, library.data, library.len,
			  false);
}

static struct error *probe(struct gpus *out, bool all)
{
	const char *other = env_get("AVOGIT_LIBCUDA");
	const char *name = other ? other : LIBRARY;
	cleanup_fd int from = -1;
	struct gpus found = {0};
	pid_t parent = getpid(), pid;
	enum probe_received got;
	int fd[2], status = 0;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return error_errno("pipe");
	from = fd[0];
	pid = fork();
	if (pid == 0 && all)
		unsetenv(GPU_VISIBLE);
	if (pid == 0)
		run_child(fd[1], parent, name);
	close(fd[1]);
	if (pid < 0)
		return error_errno("fork");
	got = receive(&found, from);
	/* A child that is already ending keeps its status. */
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (got != RECEIVED_ALL || !is_sane(&found))
		say_why(&found, status, got == RECEIVED_LATE);
	*out = found;
	return NULL;
}

struct error *gpu_probe_all(struct gpus *out)
{
	return probe(out, true);
}

struct error *gpu_probe(struct gpus *out)
{
	const char *visible = getenv(GPU_VISIBLE);
	size_t len;

	TRY(probe(out, false));
	if (out->n || !visible)
		return NULL;
	len = strlen(out->why);
	snprintf(out->why + len, sizeof out->why - len,
		 "; " GPU_VISIBLE " is '%.60s'", visible);
	return NULL;
}

/* ---- which cards a program sees ---------------------------------------- */

#define NODES "/dev/nvidia"

static void pass_on(struct strvec *env, const char *name)
{
	const char *value = getenv(name);

	if (value)
		strvec_pushf(env, "%s=%s", name, value);
}

static void users_choice(struct strvec *env)
{
	pass_on(env, GPU_VISIBLE);
	pass_on(env, "CUDA_DEVICE_ORDER");
}

/* A part of a card (MIG) has another name than the card. */
static bool is_part(void)
{
	const char *visible = getenv(GPU_VISIBLE);

	return visible && strncmp(visible, "MIG", 3) == 0;
}

static void all_nodes(struct strvec *nodes)
{
	glob_t found = {0};

	if (glob(NODES "[0-9]*", 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			strvec_push(nodes, found.gl_pathv[i]);
	globfree(&found);
}

bool gpu_can_be_alone(const struct gpu *g)
{
	return *g->uuid && !is_part();
}

void gpu_visible(struct strvec *env, const struct gpu *g)
{
	if (g && gpu_can_be_alone(g))
		strvec_pushf(env, GPU_VISIBLE "=%s", g->uuid);
	else
		users_choice(env);
}

void gpu_alone(struct strvec *env, struct strvec *nodes, const struct gpu *g)
{
	gpu_visible(env, g);
	if (gpu_can_be_alone(g) && g->node >= 0)
		strvec_pushf(nodes, NODES "%d", g->node);
	else
		all_nodes(nodes);
}
