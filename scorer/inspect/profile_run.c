/*
 * Profiles a candidate: builds it, captures a launch in the sandbox as scoring
 * does, and plays that with the runner's `replay` under Nsight Compute. The
 * candidate's host code never runs under it.
 */
#include <errno.h>

#include "scorer/device/lock.h"
#include "scorer/inspect/ncu.h"
#include "scorer/inspect/profile.h"
#include "scorer/inspect/replay_folder.h"
#include "scorer/inspect/sass.h"
#include "scorer/host/context.h"
#include "scorer/device/program.h"
#include "core/base/demangle.h"

#define CAPTURE_SECONDS 300 /* of one run: a kernel is played 40 times */
#define SASS_LIMIT	((size_t)64 << 20)
#define SALT		4

void profiled_release(struct profile_result *p)
{
	free(p->failed);
	free(p->text);
	json_free(p->json);
	*p = (struct profile_result){0};
}

/* ---- the case ------------------------------------------------------ */

/* Finds a case by name, else by number from 1. */
static size_t case_index(const struct task *t, const char *name)
{
	char *end;
	unsigned long number;

	for (size_t i = 0; i < t->n_cases; i++)
		if (!name || str_eq(t->cases[i].name, name))
			return i;
	errno = 0;
	number = strtoul(name, &end, 10);
	return errno || *end || number < 1 || number > t->n_cases ||
			       strspn(name, "0123456789") != strlen(name)
		       ? SIZE_MAX
		       : number - 1;
}

static struct error *find_case(const struct task_case **out,
			       const struct task *t, const char *name)
{
	cleanup_buf struct buf list = BUF_INIT(1024);
	size_t which = case_index(t, name);

	if (which != SIZE_MAX) {
		*out = &t->cases[which];
		return NULL;
	}
	for (size_t i = 0; i < t->n_cases; i++)
		buf_addf(&list, "%s%s", i ? ", " : "", t->cases[i].name);
	return error_new(ERROR_NOT_FOUND,
			 "%s has no case %s: there is %s, or 1 to %zu", t->path,
			 name, list.data, t->n_cases);
}

/* ---- counters ------------------------------------------------------------ */

static struct error *play(struct profile_capture *out, char **failed,
			  const char *ncu, const char *folder,
			  const struct scoring *sc)
{
	cleanup_free char *program = xasprintf("%s/replay", folder);
	const char *const argv[] = {program, "replay", folder, NULL};
	cleanup_error struct error *err = ncu_capture(
		out, ncu, argv, folder, CAPTURE_SECONDS, sc->gpu, sc->stop_now);
	cleanup_free char *refused = replay_folder_word(folder, REPLAY_REFUSED);
	cleanup_free char *said = replay_folder_word(folder, REPLAY_SAID);

	if (refused)
		return error_new(ERROR_REFUSED, "%s", refused);
	/* A missing permission is the cause of all other messages. */
	if (!said || error_is(err, ERROR_REFUSED) ||
	    error_is(err, ERROR_INTERRUPTED))
		return steal(&err);
	*failed = xasprintf("it cannot be replayed: %s", said);
	return NULL;
}

static struct error *tell(struct profile_result *out, const struct scorer *s,
			  const struct task_case *c,
			  const struct profile_request *r,
			  const struct profile_capture *found)
{
	cleanup_profile struct profile p = {0};
	cleanup_bottlenecks struct bottlenecks b = {0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(profile_read(&p, r->kernel, found));
	profile_judge(&b, &p);
	buf_addf(&text, "%-17s%s, on %s\n", "case", c->name,
		 s->gpus.gpu[0].name);
	profile_table(&text, &p);
	profile_print_bottlenecks(&text, &b);
	if (r->every)
		profile_every(&text, &p);
	out->text = buf_take(&text);
	out->json = profile_to_json(&p, &b);
	json_set_string(out->json, "case", c->name);
	json_set_string(out->json, "gpu", s->gpus.gpu[0].name);
	return NULL;
}

/* If it cannot be captured and replayed, the candidate has failed. */
static struct error *unless_refused(struct profile_result *out,
				    struct error *err)
{
	if (!error_is(err, ERROR_REFUSED))
		return err;
	out->failed = xstrdup(error_message(err));
	error_free(err);
	return NULL;
}

static struct error *counters(struct profile_result *out, struct scorer *s,
			      const struct build *build,
			      const struct profile_request *r,
			      const struct task_case *c, const char *ncu)
{
	struct scoring *sc = &s->scoring;
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	cleanup_launch_capture struct launch_capture launch =
		LAUNCH_CAPTURE_INIT;
	cleanup_capture struct profile_capture found = {0};
	cleanup_replay_folder char *folder = NULL;
	cleanup_fd int lock = -1;

	TRY(unless_refused(out, launch_capture_make(&o, &launch, s, build, c,
						    REPLAY_FOR_PROFILER,
						    CAPTURE_SECONDS)));
	if (out->failed)
		return NULL;
	if (o.verdict != VERDICT_PASS) {
		out->failed =
			xasprintf("%s: %s", verdict_name(o.verdict), o.why);
		return NULL;
	}
	/* The folder is made after the lock, since the wait may be long. */
	TRY(gpu_lock_take(&lock, "/tmp", sc->gpu->uuid, sc->stop_now));
	TRY(replay_folder_make(&folder, "avogit-profile-", &launch, sc, build));
	TRY(play(&found, &out->failed, ncu, folder, sc));
	return out->failed ? NULL : tell(out, s, c, r, &found);
}

/* ---- code ---------------------------------------------------------------- */

static struct error *find_disassembler(char **out, bool *is_cuobjdump)
{
	cleanup_error struct error *first =
		program_find(out, "cuobjdump", "AVOGIT_CUOBJDUMP");
	cleanup_error struct error *second = NULL;

	*is_cuobjdump = !first;
	if (!error_is(first, ERROR_NOT_FOUND) || env_get("AVOGIT_CUOBJDUMP"))
		return steal(&first);
	second = program_find(out, "nvdisasm", "AVOGIT_NVDISASM");
	if (!error_is(second, ERROR_NOT_FOUND) || env_get("AVOGIT_NVDISASM"))
		return steal(&second);
	return steal(&first);
}

static void name_others(struct buf *text, const struct sass *s, size_t but)
{
	if (s->n_kernels > 1)
		buf_adds(text, "\nalso there\n");
	for (size_t k = 0; k < s->n_kernels; k++) {
		cleanup_sass_loop struct sass_loop loop = sass_hot_loop(s, k);
		cleanup_free char *name = demangle(s->kernel[k].name);

		if (k != but)
			buf_addf(text, "  %s, %s of %zu instructions\n", name,
				 loop.depth ? "its hot loop" : "no loop,",
				 loop.n);
	}
}

/* SIZE_MAX: the kernel with the hottest loop is meant. */
static struct error *find_kernel(size_t *out, const struct sass *s,
				 const char *name)
{
	cleanup_buf struct buf names = BUF_INIT(2048);

	*out = SIZE_MAX;
	for (size_t k = 0; name && k < s->n_kernels; k++) {
		cleanup_free char *known = demangle(s->kernel[k].name);

		if (*out == SIZE_MAX &&
		    (strstr(known, name) || strstr(s->kernel[k].name, name)))
			*out = k;
		buf_addf(&names, "%s%.200s", k ? ", " : "", known);
	}
	if (!name || *out != SIZE_MAX)
		return NULL;
	return error_new(ERROR_NOT_FOUND,
			 "no kernel has '%.100s' in its name: there is %s",
			 name, names.data);
}

static void tell_sass(struct profile_result *out, const struct sass *s,
		      size_t kernel)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_sass_loop struct sass_loop loop = sass_hot_loop(s, kernel);
	cleanup_buf struct buf mix = BUF_INIT(BUF_LIMIT_TEXT);

	sass_mix(&mix, s, &loop);
	sass_print(&text, s, &loop);
	name_others(&text, s, loop.kernel);
	out->json = json_object();
	json_set_string(out->json, "kernel", s->kernel[loop.kernel].name);
	json_set_bool(out->json, "loop", loop.depth > 0);
	json_set_int(out->json, "depth", (int64_t)loop.depth);
	json_set_int(out->json, "instructions", (int64_t)loop.n);
	json_set_string(out->json, "mix", mix.data);
	json_set_string(out->json, "sass", text.data);
	out->text = buf_take(&text);
}

static struct error *sass(struct profile_result *out, const struct scorer *s,
			  const struct build *build, const char *kernel)
{
	cleanup_free char *tool = NULL;
	cleanup_free char *folder = NULL;
	cleanup_buf struct buf text = BUF_INIT(SASS_LIMIT);
	cleanup_sass struct sass parsed = {0};
	const char *words[3] = {NULL};
	bool is_cuobjdump = false;
	size_t which;

	if (!build->n_cubins) {
		out->failed = xasprintf("it carries no device code for %s",
					builder_arch(s->builder));
		return NULL;
	}
	TRY(find_disassembler(&tool, &is_cuobjdump));
	folder = program_folder(tool);
	words[0] = tool;
	words[1] = is_cuobjdump ? "-sass" : NULL;
	TRY(build_disassemble(&text, s->builder, build, words, folder));
	TRY(sass_parse(&parsed, text.data, text.len));
	TRY(find_kernel(&which, &parsed, kernel));
	tell_sass(out, &parsed, which);
	return NULL;
}

static struct error *ptx(struct profile_result *out, const struct scorer *s,
			 const struct candidate *c)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(build_ptx(&text, &out->failed, s->builder, &c->files));
	if (out->failed)
		return NULL;
	out->json = json_object();
	json_set_string(out->json, "ptx", text.data);
	json_set_bool(out->json, "truncated", text.truncated);
	out->text = buf_take(&text);
	return NULL;
}

/* ---- of a candidate ------------------------------------------------------ */

static struct error *built(struct profile_result *out, struct scorer *s,
			   const struct profile_request *r,
			   const struct task_case *c, const char *ncu)
{
	cleanup_build struct build build = BUILD_INIT;

	TRY(build_candidate(&build, s->builder, &r->candidate->files));
	if (s->options.stop_now && *s->options.stop_now == 2)
		return error_new(ERROR_INTERRUPTED, "stopped");
	if (!build.ok) {
		out->failed =
			xasprintf("it does not build: %s", build.first_error);
		return NULL;
	}
	if (r->kind == PROFILE_SASS)
		return sass(out, s, &build, r->kernel);
	return counters(out, s, &build, r, c, ncu);
}

struct error *scorer_profile(struct profile_result *out, struct evaluator *e,
			     const struct profile_request *r)
{
	struct scorer *s = (struct scorer *)e;
	cleanup_profiled struct profile_result p = {0};
	cleanup_free char *ncu = NULL;
	const struct task_case *c = s->task->cases;

	TRY(scorer_refuse_reported(s, "profiled"));
	if (!task_compiles_cuda(s->task))
		return error_new(ERROR_REFUSED,
				 "%s is a task in %s: profile is for language: "
				 "cuda; perf and objdump know more of a CPU",
				 s->task->path, task_language(s->task));
	TRY(find_case(&c, s->task, r->case_name));
	scorer_reseed(s, SALT);
	if (r->kind == PROFILE_COUNTERS) {
		TRY(scorer_require_device(e));
		TRY(ncu_find(&ncu));
	}
	if (r->kind == PROFILE_PTX)
		TRY(ptx(&p, s, r->candidate));
	else
		TRY(built(&p, s, r, c, ncu));
	*out = p;
	p = (struct profile_result){0};
	return NULL;
}

struct error *profile_candidate(struct buf *text, struct evaluator *e,
				const struct candidate *candidate,
				const struct profile_wish *wish)
{
	const char *show = wish->show ? wish->show : "counters";
	const struct profile_request r = {
		.candidate = candidate,
		.kind = str_eq(show, "sass")  ? PROFILE_SASS
			: str_eq(show, "ptx") ? PROFILE_PTX
					      : PROFILE_COUNTERS,
		.case_name = wish->case_name,
		.kernel = wish->kernel,
		.every = str_eq(show, "every")};
	cleanup_profiled struct profile_result p = {0};

	TRY(scorer_profile(&p, e, &r));
	if (p.failed)
		buf_addf(text, "not profiled: %s\n", p.failed);
	else
		buf_adds(text, p.text);
	return NULL;
}
