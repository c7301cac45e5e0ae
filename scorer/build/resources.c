/*
 * Reads what ptxas (-v) and nvlink (-v) report of each kernel in a build's log:
 *
 *   ptxas info    : Compiling entry function 'f' for 'sm_90a'
 *   ptxas info    : Function properties for f
 *       16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
 *   ptxas info    : Used 32 registers, used 1 barriers, 128 bytes smem
 *   nvlink info    : Function properties for 'f': (target: sm_90a)
 *   nvlink info    : used 32 registers, ... (target: sm_90a)
 *
 * Device functions have properties too, which are not used. With -rdc the
 * registers are known only after linking, so nvlink's figure counts.
 */
#include <ctype.h>

#include "scorer/build/internal.h"

#define WARNINGS_MAX 8
#define KERNELS_MAX  200

struct resources_scan {
	struct resources *out;
	const char *arch;
	char *kernel; /* whose figures come next; NULL: no kernel; owned */
};

/* The text after `mark` in the line; NULL if `mark` is not in it. */
static const char *after(const char *line, const char *mark)
{
	const char *at = strstr(line, mark);

	return at ? at + strlen(mark) : NULL;
}

/* "'name'" or "name" up to a space. free() disposes. */
static char *read_name(const char *text)
{
	text += *text == '\'';
	return xstrndup(text, strcspn(text, "' \t"));
}

static void set_kernel(struct resources_scan *s, char *name)
{
	free(s->kernel);
	s->kernel = name;
}

static struct kernel_resources *current(struct resources_scan *s)
{
	return s->kernel ? resources_get(s->out, s->kernel) : NULL;
}

/* "24 registers", "used 1 barriers", "364 bytes cmem[0]" */
static void read_figure(struct kernel_resources *k, const char *text)
{
	static const struct {
		const char *what;
		size_t offset;
	} figures[] = {
		{"registers", offsetof(struct kernel_resources, registers)},
		{"barriers", offsetof(struct kernel_resources, barriers)},
		{"bytes stack frame", offsetof(struct kernel_resources, stack)},
		{"bytes cumulative stack size",
		 offsetof(struct kernel_resources, stack)},
		{"bytes spill stores",
		 offsetof(struct kernel_resources, spill_stores)},
		{"bytes spill loads",
		 offsetof(struct kernel_resources, spill_loads)},
		{"bytes smem", offsetof(struct kernel_resources, shared)},
	};
	char *end;
	int64_t n;

	text += strcspn(text, "0123456789");
	n = strtoll(text, &end, 10);
	end += strspn(end, " ");
	if (starts_with(end, "bytes cmem["))
		k->constant += n;
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		if (starts_with(end, figures[i].what))
			*(int64_t *)(void *)((char *)k + figures[i].offset) = n;
}

static void read_figures(struct kernel_resources *k, const char *list)
{
	while (*list) {
		size_t len = strcspn(list, ",");
		cleanup_free char *one = xstrndup(list, len);

		read_figure(k, one);
		list += len + (list[len] == ',');
	}
}

static struct kernel_resources *make(struct resources_scan *s, const char *name)
{
	if (s->out->n >= KERNELS_MAX && !resources_get(s->out, name))
		return NULL;
	return resources_of(s->out, name);
}

/* Length of the part of a remark that tells its kind: its code in parentheses,
 * or the words before its figures. */
static size_t kind_len(const char *text)
{
	return *text == '(' ? strcspn(text, ")") + 1
			    : strcspn(text, "0123456789");
}

/* Kept once for each kind: the first such line says enough. */
static void add_warning(struct resources_scan *s, const char *line)
{
	const char *in = after(line, "function '");
	cleanup_free char *name = in ? read_name(in) : NULL;
	struct kernel_resources *k = name ? make(s, name) : NULL;
	const char *text = after(line, " : ");

	if (!k || !text || k->warnings.n >= WARNINGS_MAX)
		return;
	for (size_t i = 0; i < k->warnings.n; i++)
		if (strncmp(k->warnings.v[i], text, kind_len(text)) == 0)
			return;
	strvec_push(&k->warnings, text);
}

static bool is_remark(const char *line)
{
	const char *text = after(line, "ptxas info    : (C");

	return starts_with(line, "ptxas warning") ||
	       (text && isdigit((unsigned char)*text));
}

static void read_ptxas(struct resources_scan *s, const char *line)
{
	const char *name = after(line, "Compiling entry function ");
	const char *figures = after(line, " : Used ");
	struct kernel_resources *k;

	if (name) {
		bool ours = false;
		const char *arch = after(name, "for '");

		if (arch)
			ours = strncmp(arch, s->arch, strlen(s->arch)) == 0 &&
			       arch[strlen(s->arch)] == '\'';
		set_kernel(s, ours ? read_name(name) : NULL);
		if (ours)
			make(s, s->kernel);
	} else if ((name = after(line, "Function properties for "))) {
		cleanup_free char *other = read_name(name);

		if (s->kernel && !str_eq(other, s->kernel))
			set_kernel(s, NULL);
	} else if (figures && (k = current(s))) {
		k->constant = 0;
		read_figures(k, figures);
	}
}

/* With several architectures every line names its own. */
static void read_nvlink(struct resources_scan *s, const char *line)
{
	const char *target = after(line, "(target: ");
	const char *name = after(line, "Function properties for ");
	const char *registers = after(line, " : used ");
	struct kernel_resources *k;

	if (target && (strncmp(target, s->arch, strlen(s->arch)) != 0 ||
		       target[strlen(s->arch)] != ')'))
		return;
	if (name)
		set_kernel(s, read_name(name));
	else if (registers && (k = current(s)))
		read_figure(k, registers);
}

static void read_line(struct resources_scan *s, const char *line)
{
	struct kernel_resources *k;

	if (is_remark(line))
		add_warning(s, line);
	else if (starts_with(line, "ptxas info"))
		read_ptxas(s, line);
	else if (starts_with(line, "nvlink info"))
		read_nvlink(s, line);
	else if (strstr(line, "bytes stack frame") && (k = current(s)))
		read_figures(k, line);
}

void build_resources(struct resources *out, const char *log, const char *arch)
{
	struct resources_scan s = {.out = out, .arch = arch};

	while (*log) {
		size_t len = strcspn(log, "\n");
		cleanup_free char *line = xstrndup(log, len);

		read_line(&s, line);
		log += len + (log[len] == '\n');
	}
	free(s.kernel);
}
