#include "cmd/doctor/doctor.h"

#include <unistd.h>

#include "cmd/ui/out.h"
#include "cmd/session/session.h"
#include "cmd/ui/table.h"
#include "core/base/clock.h"
#include "scorer/host/ceilings.h"
#include "scorer/host/runner_process.h"

/* Per figure, at the user's request. The first scoring measures for a shorter
 * time; its results are replaced here. */
#define SECONDS 1.0

static struct error *measure(struct ceilings *out, const struct gpus *gpus,
			     const char *cache)
{
	cleanup_sandbox struct sandbox *sandbox = NULL;
	cleanup_fd int image = -1;

	TRY(sandbox_probe(&sandbox));
	TRY(runner_program_open(&image));
	TRY(ceilings_measure(out, sandbox, image, gpus, SECONDS, NULL));
	return cache ? ceilings_keep(out, cache) : NULL;
}

/* "copy 4.04 TB/s, read 4.3 TB/s, bf16 806 TFLOPS, ... (measured DATE)" */
static void print_line(const struct ceilings *c)
{
	char rate[32], time[21];
	const char *comma = "";

	for (int i = 0; i < CEILING_COUNT; i++) {
		enum ceiling what = (enum ceiling)i;

		if (!(ceiling_best(c, what) > 0))
			continue;
		ceiling_format(rate, sizeof rate, ceiling_best(c, what), what);
		printf("%s%s %s%s", comma, ceiling_name(what), rate,
		       c->of[i].peak > 0 ? "" : " by data sheet");
		comma = ", ";
	}
	clock_format(time, c->time_us);
	printf(" (measured %s)\n", time);
}

static void print_table(const struct ceilings *c, const struct palette *p)
{
	static const char *const titles[] = {"", "best 100 ms", "median",
					     "by data sheet"};
	cleanup_table struct table t = {0};
	char rate[32];

	table_init(&t, "lrrr");
	t.indent = "  ";
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_add(&t, COLOR_FAINT, "%s", titles[i]);
	for (int i = 0; i < CEILING_COUNT; i++) {
		const struct ceiling_figures *f = &c->of[i];
		const double figures[] = {f->peak, f->sustained, f->sheet};
		enum ceiling what = (enum ceiling)i;

		table_add(&t, COLOR_NONE, "%s", ceiling_name(what));
		for (size_t k = 0; k < ARRAY_SIZE(figures); k++) {
			ceiling_format(rate, sizeof rate, figures[k], what);
			table_add(&t, k ? COLOR_NONE : COLOR_BOLD, "%s", rate);
		}
	}
	table_print(&t, p);
}

static void print_json(const struct ceilings *c)
{
	cleanup_json struct json *j = out_json_new();

	json_set(j, "ceilings", ceilings_to_json(c));
	out_json(j);
}

struct error *ceilings_tell(bool again, bool json, const struct palette *p)
{
	cleanup_free struct gpus *gpus = xcalloc(1, sizeof *gpus);
	cleanup_free char *cache = session_cache_folder();
	struct ceilings c = {0};

	TRY(gpu_probe(gpus));
	if (!gpus->n)
		return error_new(ERROR_REFUSED,
				 "there is no GPU here whose ceilings could be "
				 "measured: %s",
				 gpus->why);
	if (again || !ceilings_load(&c, cache, gpus) || c.seconds < SECONDS)
		TRY(measure(&c, gpus, cache));
	if (json) {
		print_json(&c);
		return NULL;
	}
	printf("%s, %s\n", c.name, c.driver);
	print_line(&c);
	print_table(&c, p);
	return NULL;
}
