#include "cmd/doctor/doctor.h"

#include <math.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/score/stats.h"
#include "scorer/device/machine.h"

/* A noise floor above this hides the gains that matter. */
#define NOISY	      0.01
#define MEMORY_NEEDED ((uint64_t)512 << 20)

/* ---- noise --------------------------------------------------------------- */

/* Measures how far this machine's timing can be trusted, without a kernel. */

#define MAX_BLOCKS 256
/* About 1 ms: long enough for the clock, short enough for many blocks. */
#define LOOP_STEPS 1000000

/* Times dependent multiplications: the time follows the core's clock. */
static double time_loop(void)
{
	double began = clock_seconds();
	volatile uint64_t sink;
	uint64_t x = 1;

	for (int i = 0; i < LOOP_STEPS; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	sink = x;
	(void)sink;
	return clock_seconds() - began;
}

/* Times a fixed loop against itself for about `seconds`. Returns half the width
 * of the 95 % interval of the ratio, which is 0 on a perfect machine. */
static double noise_floor(double seconds)
{
	double log_ratio[MAX_BLOCKS];
	double until = clock_seconds() + seconds;
	struct interval ci;
	size_t n = 0;

	while (n < MAX_BLOCKS && clock_seconds() < until) {
		double a = time_loop(), b = time_loop();

		b += time_loop();
		a += time_loop();
		log_ratio[n++] = log(a / b);
	}
	ci = stats_interval(log_ratio, n, 0.95, 1);
	return (ci.hi - ci.lo) / 2;
}

/* ---- fitness ------------------------------------------------------------- */

static void examine_cpu(struct diagnosis *found, const char *compiler)
{
	cleanup_machine struct machine m = {0};
	struct error *err = machine_read(&m, compiler);

	if (err) {
		diagnosis_add_error(found, STATE_WARN, "cpu", err, NULL);
		return;
	}
	diagnosis_add(found, STATE_OK, "cpu", xstrdup(m.name), NULL);
	for (size_t i = 0; i < m.n_facts; i++)
		if (str_eq(m.fact[i].key, "governor") &&
		    !str_eq(m.fact[i].value, "performance"))
			diagnosis_add(found, STATE_WARN, "governor",
				      xstrdup(m.fact[i].value),
				      "cpupower frequency-set -g performance");
}

static void examine_noise(struct diagnosis *found)
{
	double load = machine_load(), noise = noise_floor(1.0);

	diagnosis_add(found, load < 0.5 ? STATE_OK : STATE_WARN, "load",
		      xasprintf("%.1f other runnable processes", load),
		      load < 0.5 ? NULL
				 : "let the machine be idle while it measures");
	diagnosis_add(found, noise < NOISY ? STATE_OK : STATE_WARN, "noise",
		      xasprintf("a fixed loop against itself: +-%.2f %% in 1 s",
				100 * noise),
		      noise < NOISY
			      ? NULL
			      : "smaller gains need longer comparisons: stop "
				"other work, pin the clock, disable turbo");
}

static uint64_t available_memory(void)
{
	static const char key[] = "MemAvailable:";
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	struct error *err = file_read(&text, "/proc/meminfo");
	const char *at = err ? NULL : strstr(text.data, key);

	error_free(err);
	return at ? 1024 * strtoull(at + sizeof key - 1, NULL, 10) : 0;
}

static void examine_memory(struct diagnosis *found)
{
	uint64_t bytes = available_memory();
	bool enough = bytes >= MEMORY_NEEDED;

	diagnosis_add(found, enough ? STATE_OK : STATE_WARN, "memory",
		      xasprintf("%.1f GiB available",
				(double)bytes / (double)((uint64_t)1 << 30)),
		      enough ? NULL : "a task's buffers may need more");
}

void machine_fitness(struct diagnosis *found, const char *compiler)
{
	examine_cpu(found, compiler);
	examine_noise(found);
	examine_memory(found);
}
