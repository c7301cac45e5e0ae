/* What a run's journal, task and logs say besides its attempts. */
#include "cmd/report/run_story.h"

#include "gitstore/run/logs.h"

/* More are counted; each is a line of the page. */
#define MAX_LOGS 2000

/* ---- the task -------------------------------------------------------------- */

static void set_work(struct json *j, const char *key, const struct task *t,
		     const struct task_case *tc, const struct expr *e)
{
	struct symbols symbols = task_symbols(t, tc);
	cleanup_error struct error *err = NULL;
	int64_t work;

	if (!e)
		return;
	err = expr_eval(&work, e, &symbols);
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

/* Of a clone that lacks some the rest is still worth a report. */
static struct json *logs_json(const struct run_story *s)
{
	cleanup_log_list struct log_list logs = {.n = 0};
	struct json *list = json_array();

	error_free(gitstore_log_list(&logs, s->session.git, s->run, INT64_MAX));
	for (size_t i = 0; i < MIN(logs.n, MAX_LOGS); i++) {
		struct json *j = json_object();

		json_set_string(j, "commit", logs.log[i].id.hex);
		json_set_string(j, "name", logs.log[i].name);
		json_set_int(j, "bytes", (int64_t)logs.log[i].bytes);
		json_set_int(j, "time", logs.log[i].time);
		json_push(list, j);
	}
	return list;
}

void run_story_add_facts(struct json *j, const struct run_story *s)
{
	if (s->session.at.task)
		add_task(j, s->session.at.task);
	json_set(j, "directions", directions_json(&s->p));
	json_set(j, "logs", logs_json(s));
}
