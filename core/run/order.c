#include "core/run/order.h"

#include <math.h>

#include "core/base/text.h"
#include "core/task/task.h"

/* A path of a repository is shorter. */
#define TASK_PATH_MAX 4096
/* What another machine says of itself. */
#define MACHINE_NAME_MAX  200
#define MACHINE_ABOUT_MAX 8192

/* ---- orders --------------------------------------------------------------- */

struct error *order_from_request(struct score_order *out,
				 const struct score_request *r)
{
	if (r->n_rivals > ORDER_RIVALS)
		return error_new(ERROR_INTERNAL,
				 "an order has room for %d rivals",
				 ORDER_RIVALS);
	for (size_t i = 0; i < r->n_rivals; i++) {
		out->rival[i].as = r->rivals[i].rival;
		out->rival[i].id = r->rivals[i].candidate->id;
	}
	out->n_rivals = r->n_rivals;
	out->thorough = r->thorough;
	out->baselines = r->baselines;
	out->winners_only = r->winners_only;
	out->patient = r->patient;
	out->confirm = r->confirm;
	out->sanitizers = r->sanitizers;
	return NULL;
}

void order_copy(struct score_order *out, const struct score_order *from)
{
	*out = *from;
	out->task = xstrdup_null(from->task);
}

void order_release(struct score_order *o)
{
	free(o->task);
	*o = (struct score_order){.task = NULL};
}

struct flag {
	const char *key;
	size_t at;
};

#define FLAG(name)                                        \
	{                                                 \
#name, offsetof(struct score_order, name) \
	}

static const struct flag flags[] = {
	FLAG(about),	    FLAG(thorough), FLAG(baselines),
	FLAG(winners_only), FLAG(patient),  FLAG(confirm),
};

static struct json *rivals_to_json(const struct score_order *o)
{
	struct json *all = json_array();

	for (size_t i = 0; i < o->n_rivals; i++) {
		struct json *one = json_object();

		json_set_string(one, "as", rival_name(o->rival[i].as));
		json_set_string(one, "candidate", o->rival[i].id.hex);
		json_push(all, one);
	}
	return all;
}

struct json *order_to_json(const struct score_order *o)
{
	struct json *j = json_object();
	struct json *sanitizers = json_array();

	json_set_string(j, "task", o->task);
	json_set_string(j, "base", o->base.hex);
	json_set(j, "rivals", rivals_to_json(o));
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		json_set_bool(j, flags[i].key,
			      *(const bool *)((const char *)o + flags[i].at));
	for (unsigned t = 0; t < SANITIZER_COUNT; t++)
		if (o->sanitizers & (1U << t))
			json_push_string(
				sanitizers,
				sanitizer_name((enum sanitizer_tool)t));
	json_set(j, "sanitizers", sanitizers);
	return j;
}

static bool get_commit(struct commit_id *out, const struct json *j,
		       const char *key)
{
	const char *s = NULL;

	if (!json_get_string(j, key, &s) || !commit_id_is(s))
		return false;
	*out = commit_id(s);
	return true;
}

static bool get_rival(enum rival *out, const struct json *j)
{
	const char *name = NULL;

	if (!json_get_string(j, "as", &name))
		return false;
	for (size_t i = 0; i < RIVAL_COUNT; i++)
		if (str_eq(name, rival_name((enum rival)i))) {
			*out = (enum rival)i;
			return true;
		}
	return false;
}

static bool read_rivals(struct score_order *out, const struct json *all)
{
	if (!json_is_array(all) || json_len(all) > ORDER_RIVALS)
		return false;
	for (size_t i = 0; i < json_len(all); i++)
		if (!get_rival(&out->rival[i].as, json_at(all, i)) ||
		    !get_commit(&out->rival[i].id, json_at(all, i),
				"candidate"))
			return false;
	out->n_rivals = json_len(all);
	return true;
}

static bool read_sanitizers(struct score_order *out, const struct json *all)
{
	if (!json_is_array(all))
		return false;
	for (size_t i = 0; i < json_len(all); i++) {
		const char *name = json_string(json_at(all, i));
		unsigned t = 0;

		while (t < SANITIZER_COUNT &&
		       !(name &&
			 str_eq(name, sanitizer_name((enum sanitizer_tool)t))))
			t++;
		if (t == SANITIZER_COUNT)
			return false;
		out->sanitizers |= 1U << t;
	}
	return true;
}

bool order_from_json(struct score_order *out, const struct json *j)
{
	const char *task = NULL;

	if (!json_get_string(j, "task", &task) || !*task ||
	    strlen(task) > TASK_PATH_MAX || !get_commit(&out->base, j, "base"))
		return false;
	out->task = xstrdup(task);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (!json_get_bool(j, flags[i].key,
				   (bool *)((char *)out + flags[i].at)))
			return false;
	return read_rivals(out, json_get(j, "rivals")) &&
	       read_sanitizers(out, json_get(j, "sanitizers"));
}

/* ---- what comes back besides a measurement -------------------------------- */

void far_machine_release(struct far_machine *m)
{
	free(m->name);
	free(m->about);
	*m = (struct far_machine){.name = NULL};
}

struct json *far_machine_to_json(const struct far_machine *m)
{
	struct json *j = json_object();

	json_set_string(j, "kind", m->kind);
	json_set_string(j, "name", m->name);
	json_set_string(j, "about", m->about);
	return j;
}

bool far_machine_from_json(struct far_machine *out, const struct json *j)
{
	const char *kind = NULL, *name = NULL, *about = "";

	json_get_string(j, "about", &about);
	if (!json_get_string(j, "kind", &kind) ||
	    !str_is_hex(kind, IDENTITY_HEX_LEN) ||
	    !json_get_string(j, "name", &name) || !*name ||
	    strlen(name) > MACHINE_NAME_MAX ||
	    strlen(about) > MACHINE_ABOUT_MAX)
		return false;
	snprintf(out->kind, sizeof out->kind, "%s", kind);
	out->name = xstrdup(name);
	out->about = xstrdup(about);
	return true;
}

struct json *rival_failure_to_json(const struct rival_failure *f)
{
	struct json *j = json_object();

	json_set_int(j, "rival", (int64_t)f->rival);
	json_set_string(j, "verdict", verdict_name(f->verdict));
	json_set_string(j, "why", f->why);
	json_set_double(j, "gpu_seconds", f->gpu_seconds);
	return j;
}

/* A day: no scoring takes longer. */
#define GPU_SECONDS_MAX 86400.0
bool rival_failure_from_json(struct rival_failure *out, const struct json *j,
			     const struct score_order *o)
{
	struct rival_failure f = {.failed = true};
	const char *verdict = NULL;
	int64_t rival = -1;

	if (!json_get_int(j, "rival", &rival) || rival < 0 ||
	    rival >= (int64_t)o->n_rivals ||
	    !json_get_string(j, "verdict", &verdict) ||
	    !verdict_parse(&f.verdict, verdict) || f.verdict == VERDICT_PASS ||
	    f.verdict == VERDICT_NOT_RUN || f.verdict == VERDICT_UNUSABLE ||
	    !json_get_double(j, "gpu_seconds", &f.gpu_seconds) ||
	    !isfinite(f.gpu_seconds) || f.gpu_seconds < 0 ||
	    f.gpu_seconds > GPU_SECONDS_MAX)
		return false;
	f.rival = (size_t)rival;
	f.why = json_dup_string(j, "why");
	if (!f.why)
		f.why = xstrdup(verdict_line(f.verdict));
	/* It goes into an entry of the journal. */
	f.why[text_cut(f.why, MEASUREMENT_WHY_MAX)] = '\0';
	*out = f;
	return true;
}
