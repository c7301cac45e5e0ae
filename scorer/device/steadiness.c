#include "scorer/device/steadiness.h"

#include <glob.h>
#include <math.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/score/stats.h"

/* Below these values, a quiet machine shows the same. */
#define BUSY_SHARE   0.05
#define STOLEN_SHARE 0.05
#define DRIFT	     0.05 /* log */
/* A drift is a trend of more than this many standard errors. */
#define DRIFT_ERRORS 4.0
#define MIN_ROUNDS   8

#define THROTTLE_COUNTERS \
	"/sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count"

/* Empty if it cannot be read. */
static void read_small(struct buf *text, const char *path)
{
	cleanup_error struct error *err = file_read(text, path);

	if (err)
		buf_clear(text);
}

struct cpu_time cpu_time_of(pid_t pid)
{
	cleanup_free char *path = xasprintf("/proc/%d/schedstat", pid);
	cleanup_buf struct buf text = BUF_INIT(256);
	char *end;
	double ran;

	/* "ran waited slices", the first two in nanoseconds */
	read_small(&text, path);
	ran = strtod(text.data, &end);
	return (struct cpu_time){1e-9 * ran, 1e-9 * strtod(end, NULL)};
}

/* CPU seconds since boot: given to others by a hypervisor, and in total. */
static void machine_time(double *stolen, double *total)
{
	cleanup_buf struct buf text = BUF_INIT(1 << 20);
	const double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	const char *field;
	char *end;

	*stolen = *total = 0;
	read_small(&text, "/proc/stat");
	if (!starts_with(text.data, "cpu "))
		return;
	field = text.data + strlen("cpu ");
	/* user nice system idle iowait irq softirq steal */
	for (int i = 0; i < 8; i++, field = end) {
		double v = tick * strtod(field, &end);

		*total += v;
		if (i == 7)
			*stolen = v;
	}
}

static int64_t throttle_events(void)
{
	int64_t sum = -1;
	glob_t found;

	if (glob(THROTTLE_COUNTERS, 0, NULL, &found))
		return -1;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		cleanup_buf struct buf text = BUF_INIT(64);

		read_small(&text, found.gl_pathv[i]);
		if (text.len)
			sum = MAX(sum, 0) + strtoll(text.data, NULL, 10);
	}
	globfree(&found);
	return sum;
}

void steadiness_begin(struct steadiness *s)
{
	steadiness_release(s);
	machine_time(&s->stolen, &s->total);
	s->throttled = throttle_events();
}

void steadiness_arm(struct steadiness *s, const struct cpu_time *before,
		    const struct cpu_time *after)
{
	s->ran += MAX(after->ran - before->ran, 0);
	s->waited += MAX(after->waited - before->waited, 0);
}

void steadiness_forget_rounds(struct steadiness *s)
{
	s->n = 0;
}

void steadiness_round(struct steadiness *s, double level)
{
	GROW(s->level, s->n, s->cap);
	s->level[s->n++] = level;
}

/* How far the level moved from the first to the last round along a straight
 * line (least squares), and the standard error of that. */
static double drift(double *error, const struct steadiness *s)
{
	double n = (double)s->n, mean = stats_mean(s->level, s->n);
	double xx = 0, xy = 0, residues = 0, slope;

	for (size_t i = 0; i < s->n; i++) {
		double x = (double)i - (n - 1) / 2;

		xx += x * x;
		xy += x * (s->level[i] - mean);
	}
	slope = xy / xx;
	for (size_t i = 0; i < s->n; i++) {
		double x = (double)i - (n - 1) / 2;
		double e = s->level[i] - mean - slope * x;

		residues += e * e;
	}
	*error = (n - 1) * sqrt(residues / (n - 2) / xx);
	return (n - 1) * slope;
}

/* The bias if all of it had hit only one arm. */
static double bias_of_share(double share)
{
	return share < 1 ? -log1p(-share) : HUGE_VAL;
}

static void replace(char **why, char *text)
{
	free(*why);
	*why = text;
}

static double look_for_drift(char **why, double bias,
			     const struct steadiness *s)
{
	double error, moved;

	if (s->n < MIN_ROUNDS)
		return bias;
	moved = fabs(drift(&error, s));
	if (moved <= MAX(DRIFT, bias) || moved <= DRIFT_ERRORS * error)
		return bias;
	replace(why,
		xasprintf("its speed drifted by %.0f %%", 100 * expm1(moved)));
	return moved;
}

double steadiness_end(char **why, const struct steadiness *s)
{
	double stolen, total, share, bias = 0;
	int64_t throttled = throttle_events() - s->throttled;

	*why = NULL;
	share = s->waited / MAX(s->ran + s->waited, 1e-9);
	if (share > BUSY_SHARE) {
		bias = bias_of_share(share);
		replace(why, xasprintf("other programs had its CPU for %.0f %% "
				       "of the time",
				       100 * share));
	}
	machine_time(&stolen, &total);
	share = (stolen - s->stolen) / MAX(total - s->total, 1e-9);
	if (share > STOLEN_SHARE && bias_of_share(share) > bias) {
		bias = bias_of_share(share);
		replace(why, xasprintf("the hypervisor gave %.0f %% of the CPU "
				       "time to others",
				       100 * share));
	}
	bias = look_for_drift(why, bias, s);
	if (s->throttled >= 0 && throttled > 0) {
		bias = HUGE_VAL;
		replace(why, xasprintf("the processor throttled itself %lld "
				       "times",
				       (long long)throttled));
	}
	return bias;
}

void steadiness_release(struct steadiness *s)
{
	free(s->level);
	*s = (struct steadiness){0};
}
