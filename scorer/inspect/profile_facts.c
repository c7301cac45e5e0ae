/* Computes facts from the columns of a capture. */
#include <assert.h>
#include <math.h>

#include "scorer/inspect/profile.h"

enum combine { FIRST, LARGEST };

#define NAMES 6
#define PEAK  ".avg.pct_of_peak_sustained_active"
#define ONE(name, metric)                \
	{                                \
		name, {metric}, FIRST, 0 \
	}

/* Names from the oldest cards (sm_80) to the newest (sm_100): a card has
 * columns for some of them. */
static const struct source {
	const char *name; /* in JSON */
	const char *metric[NAMES];
	enum combine combine;
	double scale; /* 0: 1 */
} sources[FACT_COUNT] = {
	[FACT_SECONDS] = ONE("seconds", "gpu__time_duration.sum"),
	[FACT_SM] = ONE("sm_percent",
			"sm__throughput.avg.pct_of_peak_sustained_elapsed"),
	[FACT_MEMORY] = ONE("memory_percent",
			    "gpu__compute_memory_throughput.avg.pct_"
			    "of_peak_sustained_elapsed"),
	[FACT_DRAM] =
		{"dram_percent",
		 {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
		  "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
		 FIRST,
		 0},
	[FACT_DRAM_READ] = ONE("dram_read_bytes", "dram__bytes_read.sum"),
	[FACT_DRAM_WRITTEN] =
		ONE("dram_written_bytes", "dram__bytes_write.sum"),
	[FACT_L2] = ONE("l2_percent",
			"lts__throughput.avg.pct_of_peak_sustained_elapsed"),
	[FACT_L2_HITS] = ONE("l2_hit_percent", "lts__t_sector_hit_rate.pct"),
	[FACT_L1] = ONE("l1_percent", "l1tex__throughput" PEAK),
	[FACT_L1_HITS] = ONE("l1_hit_percent", "l1tex__t_sector_hit_rate.pct"),
	[FACT_SHARED_LOADS] =
		ONE("shared_load_wavefronts",
		    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
	[FACT_SHARED_LOAD_CONFLICTS] =
		ONE("shared_load_conflicts",
		    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
	[FACT_SHARED_STORES] =
		ONE("shared_store_wavefronts",
		    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
	[FACT_SHARED_STORE_CONFLICTS] =
		ONE("shared_store_conflicts",
		    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
	[FACT_TENSOR] = {"tensor_percent",
			 {"sm__pipe_tensor_cycles_active" PEAK,
			  "sm__inst_executed_pipe_tensor" PEAK,
			  "sm__pipe_tensor_op_hmma_cycles_active" PEAK,
			  "sm__pipe_tensor_op_gmma_cycles_active" PEAK,
			  "sm__pipe_tensor_subpipe_hmma_cycles_active" PEAK,
			  "sm__pipe_tc_cycles_active" PEAK},
			 LARGEST,
			 0},
	[FACT_FMA] = {"fma_percent",
		      {"sm__pipe_fma_cycles_active" PEAK,
		       "sm__inst_executed_pipe_fma" PEAK,
		       "sm__pipe_fmaheavy_cycles_active" PEAK},
		      LARGEST,
		      0},
	[FACT_ALU] = {"alu_percent",
		      {"sm__pipe_alu_cycles_active" PEAK,
		       "sm__inst_executed_pipe_alu" PEAK},
		      LARGEST,
		      0},
	[FACT_XU] = {"xu_percent",
		     {"sm__inst_executed_pipe_xu" PEAK,
		      "sm__pipe_xu_cycles_active" PEAK},
		     LARGEST,
		     0},
	[FACT_FP64] = {"fp64_percent",
		       {"sm__pipe_fp64_cycles_active" PEAK,
			"sm__inst_executed_pipe_fp64" PEAK},
		       LARGEST,
		       0},
	[FACT_LSU] = ONE("lsu_percent", "sm__inst_executed_pipe_lsu" PEAK),
	[FACT_ISSUE] = {"issue_percent",
			{"smsp__issue_active.avg.per_cycle_active"},
			FIRST,
			100},
	[FACT_ELIGIBLE] = ONE("eligible_warps",
			      "smsp__warps_eligible.avg.per_cycle_active"),
	[FACT_ACTIVE] =
		ONE("active_warps", "smsp__warps_active.avg.per_cycle_active"),
	[FACT_OCCUPANCY] = ONE("occupancy_percent", "sm__warps_active" PEAK),
	[FACT_OCCUPANCY_MAX] = ONE("occupancy_theoretical_percent",
				   "sm__maximum_warps_per_active_cycle_pct"),
	[FACT_LIMIT_REGISTERS] =
		ONE("blocks_by_registers", "launch__occupancy_limit_registers"),
	[FACT_LIMIT_SHARED] = ONE("blocks_by_shared_memory",
				  "launch__occupancy_limit_shared_mem"),
	[FACT_LIMIT_BLOCKS] =
		ONE("blocks_by_blocks", "launch__occupancy_limit_blocks"),
	[FACT_LIMIT_WARPS] =
		ONE("blocks_by_warps", "launch__occupancy_limit_warps"),
	[FACT_LIMIT_BARRIERS] =
		ONE("blocks_by_barriers", "launch__occupancy_limit_barriers"),
	[FACT_REGISTERS] = ONE("registers", "launch__registers_per_thread"),
	[FACT_SHARED_STATIC] = ONE("shared_static_bytes",
				   "launch__shared_mem_per_block_static"),
	[FACT_SHARED_DYNAMIC] = ONE("shared_dynamic_bytes",
				    "launch__shared_mem_per_block_dynamic"),
	[FACT_BLOCK] = ONE("block_threads", "launch__block_size"),
	[FACT_GRID] = ONE("grid_blocks", "launch__grid_size"),
	[FACT_WAVES] = ONE("waves", "launch__waves_per_multiprocessor"),
	[FACT_PROCESSORS] = {"processors",
			     {"launch__sm_count",
			      "device__attribute_multiprocessor_count"},
			     FIRST,
			     0},
	[FACT_LOAD_SECTORS] =
		ONE("load_sectors",
		    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
	[FACT_LOAD_REQUESTS] =
		ONE("load_requests",
		    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
	[FACT_STORE_SECTORS] =
		ONE("store_sectors",
		    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
	[FACT_STORE_REQUESTS] =
		ONE("store_requests",
		    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
	[FACT_LOAD_USE] = ONE("load_bytes_a_sector",
			      "smsp__sass_average_data_bytes_per_"
			      "sector_mem_global_op_ld.ratio"),
	[FACT_STORE_USE] = ONE("store_bytes_a_sector",
			       "smsp__sass_average_data_bytes_per_"
			       "sector_mem_global_op_st.ratio"),
	[FACT_SPILL_LOADS] = {"local_load_bytes",
			      {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
			      FIRST,
			      32},
	[FACT_SPILL_STORES] =
		{"local_store_bytes",
		 {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
		 FIRST,
		 32},
	[FACT_LANES] =
		ONE("threads_an_instruction",
		    "smsp__thread_inst_executed_per_inst_executed.ratio"),
	[FACT_UNIFORM] =
		ONE("uniform_branch_percent",
		    "smsp__sass_average_branch_targets_threads_uniform.pct"),
	[FACT_LATENCY] = {"cycles_an_instruction",
			  {"smsp__average_warp_latency_per_inst_issued.ratio",
			   "smsp__average_warps_active_per_issue_active.ratio"},
			  FIRST,
			  0},
};

/* The schedulers' names of waits; two have an old and a new spelling. */
static const char *const stall_names[] = {
	"long_scoreboard",
	"short_scoreboard",
	"math_pipe_throttle",
	"barrier",
	"membar",
	"mio_throttle",
	"lg_throttle",
	"tex_throttle",
	"wait",
	"not_selected",
	"selected",
	"no_instruction",
	"imc_miss",
	"dispatch_stall",
	"drain",
	"sleeping",
	"branch_resolving",
	"misc",
	"gmma",
	"warpgroup_arrive",
};
static_assert(ARRAY_SIZE(stall_names) <= PROFILE_STALLS, "room for all");

const char *fact_name(enum fact f)
{
	return sources[f].name;
}

static double combine(double a, double b, enum combine how)
{
	if (isnan(a))
		return b;
	return isnan(b) || how == FIRST ? a : fmax(a, b);
}

static double read_fact(const struct source *s, const struct profile_capture *c,
			size_t kernel)
{
	double v = NAN;

	for (size_t i = 0; i < NAMES && s->metric[i]; i++)
		v = combine(v, capture_value(c, kernel, s->metric[i]),
			    s->combine);
	return s->scale > 0 ? s->scale * v : v;
}

static int by_cycles(const void *a, const void *b)
{
	const struct stall *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void read_stalls(struct profile *p, const struct profile_capture *c,
			size_t kernel)
{
	for (size_t i = 0; i < ARRAY_SIZE(stall_names); i++) {
		cleanup_free char *metric = xasprintf(
			"smsp__average_warps_issue_stalled_%s_per_issue_active."
			"ratio",
			stall_names[i]);
		double cycles = capture_value(c, kernel, metric);

		if (cycles > 0)
			p->stall[p->n_stalls++] =
				(struct stall){stall_names[i], cycles};
	}
	qsort(p->stall, p->n_stalls, sizeof *p->stall, by_cycles);
}

/* A block of a kernel that ran did fit. Where the profiler computed that none
 * fits (it does not know of shared memory that a launch asks for beyond the
 * default), neither that limit nor what follows from it is known. */
static void drop_impossible(struct profile *p)
{
	static const enum fact limits[] = {
		FACT_LIMIT_WARPS, FACT_LIMIT_REGISTERS, FACT_LIMIT_SHARED,
		FACT_LIMIT_BARRIERS, FACT_LIMIT_BLOCKS};
	double *f = p->fact;
	bool wrong = f[FACT_OCCUPANCY_MAX] <= 0 ||
		     f[FACT_OCCUPANCY] > f[FACT_OCCUPANCY_MAX] + 5;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (f[limits[i]] < 1) {
			f[limits[i]] = NAN;
			wrong = true;
		}
	if (!wrong)
		return;
	p->limit_unknown = true;
	f[FACT_OCCUPANCY_MAX] = NAN;
	f[FACT_WAVES] = NAN;
}

static bool is_asked_for(const struct profile_capture *c, size_t k,
			 const char *kernel)
{
	return !kernel || strstr(c->kernel[k].name, kernel);
}

static struct error *no_kernel(const struct profile_capture *c,
			       const char *kernel)
{
	cleanup_buf struct buf names = BUF_INIT(2048);

	if (!kernel)
		return error_new(ERROR_NOT_FOUND,
				 "the profiler captured no kernel with a time");
	for (size_t k = 0; k < c->n_kernels; k++)
		buf_addf(&names, "%s%.200s", k ? ", " : "", c->kernel[k].name);
	return error_new(ERROR_NOT_FOUND,
			 "no kernel of the launch has '%.100s' in its name: "
			 "there is %s",
			 kernel, names.data);
}

struct error *profile_read(struct profile *out, const char *name,
			   const struct profile_capture *c)
{
	const struct source *time = &sources[FACT_SECONDS];
	double all = 0, longest = 0;
	size_t kernel = 0;

	for (size_t k = 0; k < c->n_kernels; k++) {
		double seconds = read_fact(time, c, k);

		all += seconds > 0 ? seconds : 0;
		if (seconds > longest && is_asked_for(c, k, name)) {
			longest = seconds;
			kernel = k;
		}
	}
	if (!(longest > 0))
		return no_kernel(c, name);
	*out = (struct profile){.kernel = xstrdup(c->kernel[kernel].name),
				.n_kernels = c->n_kernels,
				.share = longest / all};
	for (size_t f = 0; f < FACT_COUNT; f++)
		out->fact[f] = read_fact(&sources[f], c, kernel);
	read_stalls(out, c, kernel);
	drop_impossible(out);
	return NULL;
}

void profile_release(struct profile *p)
{
	free(p->kernel);
	*p = (struct profile){0};
}

/* ---- what follows from them ---------------------------------------------- */

const char *profile_limit(const struct profile *p)
{
	static const struct {
		enum fact fact;
		const char *name;
	} limits[] = {
		{FACT_LIMIT_WARPS, "warps of a block"},
		{FACT_LIMIT_REGISTERS, "registers"},
		{FACT_LIMIT_SHARED, "shared memory"},
		{FACT_LIMIT_BARRIERS, "barriers"},
		{FACT_LIMIT_BLOCKS, "blocks"},
	};
	const char *name = NULL;
	double least = HUGE_VAL;

	/* One of them could be the least. */
	if (p->limit_unknown)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (p->fact[limits[i].fact] < least) {
			least = p->fact[limits[i].fact];
			name = limits[i].name;
		}
	return name;
}

double profile_wave_use(const struct profile *p)
{
	double waves = p->fact[FACT_WAVES];

	return waves > 0 ? waves / ceil(waves) : NAN;
}

double profile_conflicts(const struct profile *p)
{
	const double *f = p->fact;
	double all =
		fmax(f[FACT_SHARED_LOADS], 0) + fmax(f[FACT_SHARED_STORES], 0);
	double more = fmax(f[FACT_SHARED_LOAD_CONFLICTS], 0) +
		      fmax(f[FACT_SHARED_STORE_CONFLICTS], 0);

	return all > 0 ? fmin(more / all, 1) : 0;
}

double profile_waste(const struct profile *p)
{
	const double *f = p->fact;
	double bytes = 0, used = 0;

	if (f[FACT_LOAD_SECTORS] > 0 && f[FACT_LOAD_USE] > 0) {
		bytes += 32 * f[FACT_LOAD_SECTORS];
		used += f[FACT_LOAD_USE] * f[FACT_LOAD_SECTORS];
	}
	if (f[FACT_STORE_SECTORS] > 0 && f[FACT_STORE_USE] > 0) {
		bytes += 32 * f[FACT_STORE_SECTORS];
		used += f[FACT_STORE_USE] * f[FACT_STORE_SECTORS];
	}
	/* A use is over 32 if threads ask for the same bytes. */
	return bytes > 0 ? fmax(1 - used / bytes, 0) : 0;
}

double profile_spills(const struct profile *p)
{
	const double *f = p->fact;
	double local =
		fmax(f[FACT_SPILL_LOADS], 0) + fmax(f[FACT_SPILL_STORES], 0);
	double global = 32 * (fmax(f[FACT_LOAD_SECTORS], 0) +
			      fmax(f[FACT_STORE_SECTORS], 0));

	return local > 0 ? local / (local + global) : 0;
}
