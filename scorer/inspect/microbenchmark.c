#include "scorer/inspect/microbenchmark.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "scorer/device/lock.h"

#define PROGRAM	     "microbenchmark"
#define OUTPUT_LIMIT ((size_t)256 << 10)
#define C_MEMORY     ((uint64_t)4 << 30)
#define FILE_BYTES   ((uint64_t)64 << 20)

/* A driver needs more addresses than there is memory, and threads. */
static struct process_limits limits_of(bool gpu, double seconds)
{
	return (struct process_limits){
		.wall_seconds = seconds,
		.memory_bytes = gpu ? 0 : C_MEMORY,
		.file_bytes = FILE_BYTES,
		.processes = gpu ? 256 : 64,
		.open_files = 256,
	};
}

static struct error *program_of(struct fileset *out, const struct build *b)
{
	cleanup_buf struct buf data = BUF_INIT(BUILD_OBJECT_LIMIT);

	TRY(file_read_fd(&data, b->object_fd, PROGRAM));
	return fileset_put(out, PROGRAM, data.data, data.len, true);
}

static struct error *play(struct process_result *r, const struct scorer *s,
			  const struct build *b, double seconds)
{
	static const char *const argv[] = {"./" PROGRAM, NULL};
	static const char *const no_nodes[] = {NULL};
	const struct gpu *gpu = s->scoring.gpu;
	cleanup_fileset struct fileset files = FILESET_INIT;
	cleanup_strvec struct strvec env = STRVEC_INIT, nodes = STRVEC_INIT;
	struct sandbox_spec spec = {
		.profile = SANDBOX_BUILD,
		.argv = argv,
		.files = &files,
		.folders = s->scoring.folders,
		.limits = limits_of(gpu, seconds),
		.stop_now = s->options.stop_now,
	};
	cleanup_fd int lock = -1;

	TRY(program_of(&files, b));
	if (gpu) {
		gpu_alone(&env, &nodes, gpu);
		spec.env = (const char *const *)env.v;
		spec.gpu = nodes.n ? (const char *const *)nodes.v : no_nodes;
		TRY(gpu_lock_take(&lock, "/tmp", gpu->uuid,
				  s->options.stop_now));
	}
	return sandbox_run(r, s->scoring.sandbox, &spec, OUTPUT_LIMIT);
}

static void add_end(struct buf *out, const struct process_result *r,
		    double seconds)
{
	if (r->output.len && r->output.data[r->output.len - 1] != '\n')
		buf_addc(out, '\n');
	if (r->output.truncated)
		buf_addf(out, "[it printed more than %zu KiB]\n",
			 OUTPUT_LIMIT >> 10);
	if (r->timed_out)
		buf_addf(out, "[ended: it took longer than %.0f s]\n", seconds);
	else if (r->signal)
		buf_addf(out, "[ended by signal %d]\n", r->signal);
	else
		buf_addf(out,
			 "[exit code %d after %.4f s by avogit's clock, with "
			 "the start of the process]\n",
			 r->exit_code, r->seconds);
}

struct error *microbenchmark_run(struct program_run *out, struct scorer *s,
				 const char *source, double seconds)
{
	cleanup_process_result struct process_result r = {0};
	cleanup_build struct build b = BUILD_INIT;

	TRY(build_program(&b, s->builder, source));
	if (!b.ok) {
		buf_addf(&out->text, "it does not compile\n%s", b.log);
		return NULL;
	}
	TRY(play(&r, s, &b, seconds));
	text_add_lines(&out->text, r.output.data, r.output.len);
	add_end(&out->text, &r, seconds);
	out->ok = !r.timed_out && !r.signal && !r.exit_code;
	out->gpu_seconds = s->scoring.gpu ? r.seconds : 0;
	return NULL;
}
