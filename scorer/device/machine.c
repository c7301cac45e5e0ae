#include "scorer/device/machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include "core/base/file.h"
#include "core/base/hash.h"

#define CPUINFO_LIMIT ((size_t)4 << 20)

/* The value of the first "key : value" line; NULL if there is none. free()
 * disposes. */
static char *cpuinfo_value(const char *text, const char *key)
{
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		const char *colon = memchr(line, ':', len);

		if (colon && starts_with(line, key) &&
		    strchr(" \t:", line[strlen(key)])) {
			const char *value = colon + 1, *end = line + len;

			while (value < end && *value == ' ')
				value++;
			return xstrndup(value, (size_t)(end - value));
		}
		line += len + (line[len] == '\n');
	}
	return NULL;
}

/* Empty if it cannot be read. */
static char *first_line(const char *path, size_t limit)
{
	cleanup_buf struct buf text = BUF_INIT(limit);
	cleanup_error struct error *err = file_read(&text, path);

	if (err)
		return xstrdup("");
	return xstrndup(text.data, strcspn(text.data, "\n"));
}

static void read_cpuinfo(struct buf *text)
{
	cleanup_error struct error *err = file_read(text, "/proc/cpuinfo");

	if (err)
		buf_clear(text);
}

/* x86 has names; ARM has only a part number. */
static char *cpu_model(const char *cpuinfo, const struct utsname *system)
{
	char *model = cpuinfo_value(cpuinfo, "model name");
	cleanup_free char *part = NULL;
	cleanup_free char *maker = NULL;

	if (model)
		return model;
	maker = cpuinfo_value(cpuinfo, "CPU implementer");
	part = cpuinfo_value(cpuinfo, "CPU part");
	if (maker && part)
		return xasprintf("%s %s/%s", system->machine, maker, part);
	return xstrdup(system->machine);
}

unsigned machine_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

static void compute_kind(char kind[IDENTITY_HEX_LEN + 1], const char *model,
			 unsigned cpus, const char *architecture,
			 const char *compiler)
{
	cleanup_free char *count = xasprintf("%u", cpus);
	char hex[HASH_HEX_LEN + 1];
	struct hash *h = hash_new();

	hash_adds(h, model);
	hash_adds(h, count);
	hash_adds(h, architecture);
	hash_adds(h, compiler);
	hash_finish(hex, h);
	memcpy(kind, hex, IDENTITY_HEX_LEN);
	kind[IDENTITY_HEX_LEN] = '\0';
}

/* Takes value; leaves out an empty one. */
static void add_fact(struct machine *m, const char *key, char *value)
{
	if (!*value) {
		free(value);
		return;
	}
	m->fact = xrealloc(m->fact, m->n_facts + 1, sizeof *m->fact);
	m->fact[m->n_facts].key = xstrdup(key);
	m->fact[m->n_facts].value = value;
	m->n_facts++;
}

static bool is_virtual(const char *cpuinfo)
{
	cleanup_free char *flags = cpuinfo_value(cpuinfo, "flags");

	return flags && strstr(flags, " hypervisor");
}

static void gather_facts(struct machine *m, const char *cpuinfo,
			 const char *model, unsigned cpus,
			 const struct utsname *system, const char *compiler)
{
	add_fact(m, "cpu", xstrdup(model));
	add_fact(m, "cpus", xasprintf("%u", cpus));
	add_fact(m, "kernel",
		 xasprintf("%s %s", system->sysname, system->release));
	add_fact(m, "compiler", xstrdup(compiler));
	add_fact(m, "governor",
		 first_line("/sys/devices/system/cpu/cpu0/cpufreq/"
			    "scaling_governor",
			    256));
	if (is_virtual(cpuinfo))
		add_fact(m, "virtual", xstrdup("yes"));
}

struct error *machine_read(struct machine *out, const char *compiler)
{
	cleanup_buf struct buf cpuinfo = BUF_INIT(CPUINFO_LIMIT);
	cleanup_free char *model = NULL;
	struct machine m = {0};
	struct utsname system;
	unsigned cpus = machine_cpus();

	if (uname(&system) < 0)
		return error_errno("uname");
	read_cpuinfo(&cpuinfo);
	model = cpu_model(cpuinfo.data, &system);
	compute_kind(m.kind, model, cpus, system.machine, compiler);
	m.name = xasprintf("%s, %u cpu%s", model, cpus, cpus == 1 ? "" : "s");
	gather_facts(&m, cpuinfo.data, model, cpus, &system, compiler);
	*out = m;
	return NULL;
}

void machine_add_gpu(struct machine *m, const char *name, const char *uuid,
		     int cuda, const char *reach)
{
	cleanup_free char *all = steal(&m->name);
	cleanup_free char *driver =
		xasprintf("%d.%d", cuda / 1000, cuda % 1000 / 10);
	cleanup_free char *kind = xasprintf("%s%s", driver, reach);

	m->name = xasprintf("%s, %s", name, all);
	compute_kind(m->kind, m->name, 0, m->kind, kind);
	add_fact(m, "gpu", xstrdup(name));
	add_fact(m, "gpu_uuid", xstrdup(uuid));
	add_fact(m, "cuda", steal(&driver));
	add_fact(m, "reach", xstrdup(reach));
}

char *machine_features(void)
{
	cleanup_buf struct buf cpuinfo = BUF_INIT(CPUINFO_LIMIT);
	cleanup_free char *model = NULL;
	cleanup_free char *flags = NULL;
	struct utsname system = {0};

	uname(&system);
	read_cpuinfo(&cpuinfo);
	model = cpu_model(cpuinfo.data, &system);
	flags = cpuinfo_value(cpuinfo.data, "flags");
	if (!flags)
		flags = cpuinfo_value(cpuinfo.data, "Features");
	return xasprintf("%s %s %s", system.machine, model, flags ? flags : "");
}

/* Words of /proc/cpuinfo that decide how a kernel is written. */
static const char *const vector_sets[] = {
	"sse4_2",   "avx",	   "avx2",	  "fma",	 "f16c",
	"bmi2",	    "avx_vnni",	   "avx512f",	  "avx512dq",	 "avx512bw",
	"avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16", "avx512_vbmi",
	"amx_tile", "amx_int8",	   "amx_bf16",	  "amx_fp16",	 "asimd",
	"asimddp",  "fphp",	   "i8mm",	  "bf16",	 "sve",
	"sve2",	    "sme",
};

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += len)
		if ((at == text || at[-1] == ' ') &&
		    (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

#define CACHES_MOST 8
#define CACHE	    "/sys/devices/system/cpu/cpu0/cache/index%d/%s"

/* What CPU 0 says of its cache number `index`; "" if nothing. free()
 * disposes. */
static char *cache_word(int index, const char *what)
{
	cleanup_free char *path = xasprintf(CACHE, index, what);

	return first_line(path, 256);
}

static void add_caches(struct buf *out)
{
	const char *between = "caches: ";

	for (int i = 0; i < CACHES_MOST; i++) {
		cleanup_free char *level = cache_word(i, "level");
		cleanup_free char *type = cache_word(i, "type");
		cleanup_free char *size = cache_word(i, "size");
		cleanup_free char *shared = cache_word(i, "shared_cpu_list");

		if (!*level || !*size || str_eq(type, "Instruction"))
			continue;
		buf_addf(out, "%sL%s %s", between, level, size);
		if (strpbrk(shared, ",-"))
			buf_addf(out, " for CPUs %s", shared);
		between = ", ";
	}
	if (str_eq(between, ", "))
		buf_addc(out, '\n');
}

void machine_add_cpu_words(struct buf *out)
{
	cleanup_free char *features = machine_features();
	const char *between = "instruction sets: ";

	for (size_t i = 0; i < ARRAY_SIZE(vector_sets); i++) {
		if (!has_word(features, vector_sets[i]))
			continue;
		buf_addf(out, "%s%s", between, vector_sets[i]);
		between = " ";
	}
	if (str_eq(between, " "))
		buf_addc(out, '\n');
	add_caches(out);
}

double machine_load(void)
{
	cleanup_free char *line = first_line("/proc/loadavg", 256);
	const char *field = line;
	unsigned long running;
	char *end;

	/* "0.20 0.18 0.12 1/80 11206": averages, then running/all threads */
	for (int i = 0; i < 3 && field; i++) {
		field = strchr(field, ' ');
		field = field ? field + 1 : NULL;
	}
	if (!field)
		return 0;
	running = strtoul(field, &end, 10);
	return *end == '/' && running > 1 ? (double)(running - 1) : 0;
}

void machine_release(struct machine *m)
{
	for (size_t i = 0; i < m->n_facts; i++) {
		free(m->fact[i].key);
		free(m->fact[i].value);
	}
	free(m->fact);
	free(m->name);
	*m = (struct machine){0};
}
