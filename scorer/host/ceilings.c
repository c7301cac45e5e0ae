#include "scorer/host/ceilings.h"

#include <math.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/score/measurement.h"

#define FORMAT	   1
#define FILE_LIMIT ((size_t)64 << 10)
/* No card does this. */
#define BEYOND 1e18

const char *ceiling_name(enum ceiling what)
{
	static const char *const names[CEILING_COUNT] = {
		"copy", "read", "bf16", "f8", "i8", "f32", "f64"};

	return names[what];
}

bool ceiling_is_rate(double v)
{
	return isfinite(v) && v >= 0 && v < BEYOND;
}

double ceiling_best(const struct ceilings *c, enum ceiling what)
{
	const struct ceiling_figures *f = &c->of[what];

	return f->peak > 0 ? f->peak : f->sheet;
}

void ceiling_format(char *out, size_t size, double rate, enum ceiling what)
{
	if (!(rate > 0))
		snprintf(out, size, "-");
	else if (what == CEILING_I8)
		snprintf(out, size, "%.4g TOPS", rate / 1e12);
	else
		measurement_format_rate(out, size, rate, what <= CEILING_READ);
}

/* ---- on paper ------------------------------------------------------------ */

/* Dense operations per clock and processor of an architecture, as published for
 * its largest cards. */
static const struct sheet {
	int major, minor; /* -1: any other minor */
	double bf16, f8, i8, f32, f64;
} sheets[] = {
	{7, 5, 1024, 1024, 2048, 128, 4},
	{8, 0, 2048, 2048, 4096, 128, 128},
	{8, 9, 1024, 2048, 2048, 256, 4},
	{8, -1, 1024, 1024, 2048, 256, 4},
	{9, -1, 4096, 8192, 8192, 256, 256},
	{10, -1, 8192, 16384, 16384, 256, 128},
	{12, -1, 1024, 2048, 2048, 256, 4},
};

void ceilings_sheet(struct ceilings *c, const struct gpu_card_reply *card)
{
	double clocks = 1e3 * (double)card->clock_khz * card->processors;
	/* Two transfers a clock: the driver reports the clock alone. */
	double memory = 1e3 * (double)card->memory_khz * 2 *
			(double)card->memory_bits / 8;

	c->l2_bytes = card->l2_bytes;
	c->of[CEILING_COPY].sheet = c->of[CEILING_READ].sheet = memory;
	for (size_t i = 0; i < ARRAY_SIZE(sheets); i++) {
		const struct sheet *s = &sheets[i];

		if (s->major != card->major ||
		    (s->minor >= 0 && s->minor != card->minor))
			continue;
		c->of[CEILING_BF16].sheet = s->bf16 * clocks;
		c->of[CEILING_F8].sheet = s->f8 * clocks;
		c->of[CEILING_I8].sheet = s->i8 * clocks;
		c->of[CEILING_F32].sheet = s->f32 * clocks;
		c->of[CEILING_F64].sheet = s->f64 * clocks;
		return;
	}
}

void ceilings_driver(char out[96], const struct gpus *gpus)
{
	cleanup_buf struct buf text = BUF_INIT(256);
	cleanup_error struct error *err =
		file_read(&text, "/sys/module/nvidia/version");
	const char *version = err ? "" : text.data;
	int len = (int)MIN(strcspn(version, "\n"), 40);

	snprintf(out, 96, "CUDA %d.%d%s%.*s", gpus->cuda / 1000,
		 gpus->cuda % 1000 / 10, len ? ", " : "", len, version);
}

/* ---- the file ------------------------------------------------------------ */

/* "<cache>/ceilings/<UUID>.json"; free() disposes. */
static char *ceilings_path(const char *cache, const char *uuid)
{
	char *path = xasprintf("%s/ceilings/%s.json", cache,
			       *uuid ? uuid : "unknown");

	/* The UUID comes from the driver and must not act as a path. */
	for (char *p = path + strlen(cache) + strlen("/ceilings/"); *p; p++)
		if (*p == '/')
			*p = '_';
	return path;
}

struct json *ceilings_to_json(const struct ceilings *c)
{
	struct json *j = json_object(), *all = json_object();

	json_set_int(j, "format", FORMAT);
	json_set_string(j, "uuid", c->uuid);
	json_set_string(j, "name", c->name);
	json_set_string(j, "driver", c->driver);
	json_set_int(j, "time_us", c->time_us);
	json_set_double(j, "seconds", c->seconds);
	json_set_int(j, "l2_bytes", c->l2_bytes);
	for (int i = 0; i < CEILING_COUNT; i++) {
		struct json *one = json_object();

		json_set_double(one, "peak", c->of[i].peak);
		json_set_double(one, "sustained", c->of[i].sustained);
		json_set_double(one, "sheet", c->of[i].sheet);
		json_set(all, ceiling_name((enum ceiling)i), one);
	}
	json_set(j, "rates", all);
	return j;
}

static bool read_rates(struct ceilings *c, const struct json *all)
{
	for (int i = 0; i < CEILING_COUNT; i++) {
		const struct json *one =
			json_get(all, ceiling_name((enum ceiling)i));
		struct ceiling_figures *f = &c->of[i];

		if (!one || !json_get_double(one, "peak", &f->peak) ||
		    !json_get_double(one, "sustained", &f->sustained) ||
		    !json_get_double(one, "sheet", &f->sheet) ||
		    !ceiling_is_rate(f->peak) ||
		    !ceiling_is_rate(f->sustained) ||
		    !ceiling_is_rate(f->sheet))
			return false;
	}
	return true;
}

static bool from_json(struct ceilings *c, const struct json *j)
{
	int64_t format = 0;

	if (!json_get_int(j, "format", &format) || format != FORMAT ||
	    !json_get_int(j, "time_us", &c->time_us) ||
	    !json_get_double(j, "seconds", &c->seconds) ||
	    !json_get_int(j, "l2_bytes", &c->l2_bytes) || c->l2_bytes < 0 ||
	    !(c->seconds > 0))
		return false;
	json_copy_string(c->uuid, sizeof c->uuid, j, "uuid");
	json_copy_string(c->name, sizeof c->name, j, "name");
	json_copy_string(c->driver, sizeof c->driver, j, "driver");
	return read_rates(c, json_get(j, "rates"));
}

bool ceilings_load(struct ceilings *out, const char *cache,
		   const struct gpus *gpus)
{
	cleanup_buf struct buf text = BUF_INIT(FILE_LIMIT);
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = NULL;
	cleanup_free char *path = NULL;
	struct ceilings c = {0};
	char driver[96];

	if (!cache || !gpus->n)
		return false;
	path = ceilings_path(cache, gpus->gpu[0].uuid);
	err = file_read(&text, path);
	if (!err)
		err = json_parse(&j, text.data, text.len);
	ceilings_driver(driver, gpus);
	if (err || !from_json(&c, j) || !str_eq(c.driver, driver) ||
	    !str_eq(c.uuid, gpus->gpu[0].uuid) ||
	    !str_eq(c.name, gpus->gpu[0].name))
		return false;
	*out = c;
	return true;
}

struct error *ceilings_keep(const struct ceilings *c, const char *cache)
{
	cleanup_free char *path = ceilings_path(cache, c->uuid);
	cleanup_json struct json *j = ceilings_to_json(c);
	cleanup_free char *text = json_print_pretty(j);

	return file_write_private(path, text, strlen(text));
}

void ceilings_add_words(struct buf *out, const struct gpu *gpu,
			const struct ceilings *c)
{
	const char *between = "at most, measured: ";

	buf_addf(out, "sm_%d%d, %.0f GB", gpu->major, gpu->minor,
		 (double)gpu->memory / 1e9);
	if (c->l2_bytes > 0)
		buf_addf(out, ", L2 %.0f MB", (double)c->l2_bytes / 1e6);
	buf_addc(out, '\n');
	for (size_t i = 0; c->time_us && i < CEILING_COUNT; i++) {
		char rate[32];

		if (!(ceiling_best(c, (enum ceiling)i) > 0))
			continue;
		ceiling_format(rate, sizeof rate,
			       ceiling_best(c, (enum ceiling)i),
			       (enum ceiling)i);
		buf_addf(out, "%s%s %s", between, ceiling_name((enum ceiling)i),
			 rate);
		between = ", ";
	}
	if (str_eq(between, ", "))
		buf_addc(out, '\n');
}
