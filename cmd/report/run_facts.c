/* What a run's journal, task and logs say besides its attempts. */
#include "cmd/report/forge.h"
#include "cmd/report/run_story.h"
#include "core/base/demangle.h"

/* More are counted; each is a line of the page. */
#define MAX_LOGS 2000
/* Of their text, all together. */
#define MAX_LOG_TEXT ((size_t)32 << 20)

/* ---- the task -------------------------------------------------------------- */

static void set_work(struct json *j, const char *key, const struct task *t,
		     const struct task_case *tc, const struct expr *e)
{
	cleanup_error struct error *err = NULL;
	int64_t work;

	if (!e)
		return;
	err = task_eval(&work, e, t, tc);
	if (!err && work > 0)
		json_set_double(j, key, (double)work);
}

static void add_task(struct json *j, const struct task *t)
{
	struct json *work = json_array();
	struct json *tolerance = json_object();

	for (size_t i = 0; i < t->n_cases; i++) {
		struct json *one = json_object();

		json_set_string(one, "case", t->cases[i].name);
		set_work(one, "flops", t, &t->cases[i], t->flops);
		set_work(one, "bytes", t, &t->cases[i], t->bytes);
		json_push(work, one);
	}
	json_set(j, "work", work);
	if (task_needs_plain(t))
		json_set_double(tolerance, "factor", t->tolerance.factor);
	json_set(j, "tolerance", tolerance);
}

/* What mangled names of kernels stand for. */
static void add_names(struct json *names, const struct measurement *m)
{
	for (size_t i = 0; m && i < m->resources.n; i++) {
		const char *name = m->resources.kernel[i].name;
		cleanup_free char *plain = demangle(name);

		if (!str_eq(plain, name))
			json_set_string(names, name, plain);
	}
}

static struct json *names_json(const struct run_story *s)
{
	struct json *names = json_object();

	add_names(names, s->p.attempt[0].measurement);
	add_names(names, run_story_best(s)->measurement);
	return names;
}

/* ---- lineages and logs ------------------------------------------------------ */

static struct json *directions_json(const struct population *p)
{
	struct json *list = json_array();

	for (size_t i = 0; i < p->n_lineages; i++) {
		const struct lineage *l = &p->lineage[i];
		struct json *j = json_object();

		json_set_int(j, "lineage", l->number);
		json_set_int(j, "from", p->attempt[l->root].number);
		json_set_string(j, "reason", l->reason);
		json_set_string(j, "direction", l->direction);
		json_push(list, j);
	}
	return list;
}

static struct json *logs_json(const struct run_story *s,
			      const struct log_list *logs)
{
	struct json *list = json_array();
	size_t room = s->with_logs ? MAX_LOG_TEXT : 0;

	for (size_t i = 0; i < MIN(logs->n, (size_t)MAX_LOGS); i++) {
		struct json *j = json_object();

		json_set_string(j, "commit", logs->log[i].id.hex);
		json_set_string(j, "name", logs->log[i].name);
		json_set_int(j, "bytes", (int64_t)logs->log[i].bytes);
		json_set_int(j, "time", logs->log[i].time);
		if (s->with_logs)
			room -= run_story_add_log_text(j, s, &logs->log[i],
						       room);
		json_push(list, j);
	}
	return list;
}

/* Of where git pushes to, which is where others look. */
static void add_forge(struct json *j, const struct run_story *s)
{
	const struct gitstore *g = s->session.git;
	cleanup_free char *name = gitstore_config(g, "remote.pushDefault");
	cleanup_free char *key =
		xasprintf("remote.%s.url", name ? name : "origin");
	cleanup_free char *url = gitstore_config(g, key);
	cleanup_free char *commits = url ? forge_commits(url) : NULL;

	json_set_string(j, "commits_url", commits);
}

void run_story_add_facts(struct json *j, const struct run_story *s)
{
	cleanup_log_list struct log_list logs = {.n = 0};

	if (s->session.at.task)
		add_task(j, s->session.at.task);
	add_forge(j, s);
	json_set(j, "kernel_names", names_json(s));
	json_set(j, "directions", directions_json(&s->p));
	/* Of a clone that lacks some the rest is still worth a report. */
	error_free(gitstore_log_list(&logs, s->session.git, s->run, INT64_MAX));
	json_set(j, "profiles", run_story_profiles(s, &logs));
	json_set(j, "logs", logs_json(s, &logs));
}
