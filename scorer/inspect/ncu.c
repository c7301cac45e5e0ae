#include "scorer/inspect/ncu.h"

#include "core/sandbox/process.h"
#include "scorer/device/gpu.h"
#include "scorer/device/program.h"

#define OUTPUT_LIMIT ((size_t)16 << 20)
#define ASKINGS	     4
#define SHOWN	     300

/* Sections know each card's names; --page raw prints all of their metrics. */
static const char *const sections[] = {
	"SpeedOfLight",	  "ComputeWorkloadAnalysis",
	"LaunchStats",	  "MemoryWorkloadAnalysis",
	"Occupancy",	  "MemoryWorkloadAnalysis_Tables",
	"SchedulerStats", "WarpStateStats",
};

/* Metrics that sections lack on some cards, by names that sm_80 to sm_100 have.
 */
static const char metrics[] =
	"gpu__time_duration.sum,"
	"dram__bytes_read.sum,dram__bytes_write.sum,"
	"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active,"
	"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active,"
	"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active,"
	"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active,"
	"sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active,"
	"sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active,"
	"device__attribute_multiprocessor_count,"
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,"
	"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,"
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,"
	"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,"
	"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum,"
	"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum,"
	"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,"
	"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum,"
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,"
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum,"
	"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio,"
	"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio,"
	"smsp__thread_inst_executed_per_inst_executed.ratio,"
	"smsp__sass_average_branch_targets_threads_uniform.pct";

struct error *ncu_find(char **out)
{
	return program_find(out, "ncu", "AVOGIT_NCU");
}

/* ---- what it says -------------------------------------------------------- */

/* The first line that is an error, else the last line that is not empty. */
static char *words_of(const char *text)
{
	static const char mark[] = "==ERROR==";
	const char *error = strstr(text, mark);
	const char *line = text;

	for (const char *p = text; p && *p; p = strchr(p, '\n')) {
		p += strspn(p, "\n");
		if (*p)
			line = p;
	}
	if (error)
		line = error + strlen(mark);
	line += strspn(line, " \t");
	return xstrndup(line, MIN(strcspn(line, "\n"), (size_t)SHOWN));
}

/* An error from what ncu printed instead of a table; never NULL. */
static struct error *ncu_complaint(const char *text)
{
	cleanup_free char *words = words_of(text);

	if (strstr(text, "ERR_NVGPUCTRPERM"))
		return error_new(
			ERROR_REFUSED,
			"the driver keeps the card's counters from this user: "
			"run avogit profile as root, or load the driver with "
			"the option nvidia "
			"NVreg_RestrictProfilingToAdminUsers=0 (in "
			"/etc/modprobe.d), in a container with CAP_SYS_ADMIN");
	if (strstr(text, "No kernels were profiled"))
		return error_new(ERROR_NOT_FOUND,
				 "ncu captured no kernel: it may be too old "
				 "for this card or this driver");
	if (!*words)
		return error_new(ERROR_SYSTEM, "ncu printed nothing");
	return error_new(ERROR_SYSTEM, "ncu captured nothing: %s", words);
}

/* Removes the name at `at` and its comma. */
static void cut_out(char *list, size_t at, size_t len)
{
	size_t end = at + len;

	if (list[end] == ',')
		end++;
	else if (at > 0)
		at--;
	memmove(list + at, list + end, strlen(list + end) + 1);
}

bool ncu_drop_unknown(char *list, const char *text)
{
	bool dropped = false;

	if (!*list || (!strstr(text, "Failed to find metric") &&
		       !strstr(text, "unknown metric")))
		return false;
	for (size_t at = 0; list[at];) {
		size_t len = strcspn(list + at, ",");
		cleanup_free char *name = xstrndup(list + at, len);

		if (strstr(text, name)) {
			cut_out(list, at, len);
			dropped = true;
			at = MIN(at, strlen(list));
		} else {
			at += len + (list[at + len] == ',');
		}
	}
	if (!dropped)
		*list = '\0';
	return true;
}

/* ---- asking it ----------------------------------------------------------- */

static void make_words(struct strvec *argv, const char *ncu, const char *list,
		       const char *const *program)
{
	/* The same clocks as when the kernel is timed. Caches are flushed
	 * before a kernel, as a batch of the scorer does. */
	strvec_pushl(argv, ncu, "--clock-control", "none", "--cache-control",
		     "all", "--profile-from-start", "off", "--csv", "--page",
		     "raw", "--print-units", "base", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		strvec_pushl(argv, "--section", sections[i], NULL);
	if (*list)
		strvec_pushl(argv, "--metrics", list, NULL);
	for (size_t i = 0; program[i]; i++)
		strvec_push(argv, program[i]);
}

static struct error *ask(struct process_result *out, const char *ncu,
			 const char *list, const char *const *program,
			 const char *folder, double seconds,
			 const struct gpu *gpu, const volatile int *stop_now)
{
	cleanup_strvec struct strvec argv = STRVEC_INIT;
	cleanup_strvec struct strvec env = STRVEC_INIT;
	struct process_spec spec = {
		.dir = folder,
		.limits = {.wall_seconds = seconds},
		.die_with_parent = true,
		.stop_now = stop_now,
	};

	make_words(&argv, ncu, list, program);
	strvec_pushl(&env, "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
		     NULL);
	strvec_pushf(&env, "HOME=%s", folder);
	strvec_pushf(&env, "TMPDIR=%s", folder);
	gpu_visible(&env, gpu);
	spec.argv = (const char *const *)argv.v;
	spec.env = (const char *const *)env.v;
	return process_run(out, &spec, OUTPUT_LIMIT);
}

struct error *ncu_capture(struct profile_capture *out, const char *ncu,
			  const char *const *program, const char *folder,
			  double seconds, const struct gpu *gpu,
			  const volatile int *stop_now)
{
	cleanup_free char *list = xstrdup(metrics);

	for (int asking = 0; asking < ASKINGS; asking++) {
		cleanup_process_result struct process_result r = {0};
		cleanup_error struct error *err = NULL;

		if (asking == ASKINGS - 1)
			*list = '\0';
		TRY(ask(&r, ncu, list, program, folder, seconds, gpu,
			stop_now));
		if (r.stopped)
			return error_new(ERROR_INTERRUPTED, "stopped");
		if (r.timed_out)
			return error_new(ERROR_SYSTEM,
					 "ncu was still profiling after %g s",
					 seconds);
		err = capture_parse(out, r.output.data, r.output.len);
		if (!err)
			return NULL;
		if (ncu_drop_unknown(list, r.output.data))
			continue;
		if (!strstr(r.output.data, "\"ID\","))
			return ncu_complaint(r.output.data);
		return steal(&err);
	}
	return error_new(ERROR_SYSTEM, "ncu knows none of the metrics asked "
				       "for");
}
