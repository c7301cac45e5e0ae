#include "core/run/job.h"

#include "core/base/random.h"
#include "core/base/text.h"

#define FORMAT 1
/* Of a job that is an order: who knows none must refuse it. */
#define FORMAT_ORDER 2

/* ---- the request --------------------------------------------------------- */

void job_init(struct score_job *job, const char *from)
{
	*job = (struct score_job){.n = 0};
	random_hex(job->id, JOB_ID_LEN);
	snprintf(job->from, sizeof job->from, "%s", from);
}

void job_add(struct score_job *job, const char *run, const struct commit_id *id)
{
	struct job_candidate *c;

	GROW(job->candidate, job->n, job->cap);
	c = &job->candidate[job->n++];
	*c = (struct job_candidate){.id = *id};
	snprintf(c->run, sizeof c->run, "%s", run);
}

void job_release(struct score_job *job)
{
	free(job->candidate);
	order_release(&job->order);
	*job = (struct score_job){.n = 0};
}

char *job_print(const struct score_job *job)
{
	cleanup_json struct json *j = json_object();
	struct json *all = json_array();

	json_set_int(j, "avogit_job", job->order.task ? FORMAT_ORDER : FORMAT);
	json_set_string(j, "job", job->id);
	json_set_string(j, "from", job->from);
	for (size_t i = 0; i < job->n; i++) {
		struct json *one = json_object();

		json_set_string(one, "run", job->candidate[i].run);
		json_set_string(one, "candidate", job->candidate[i].id.hex);
		json_push(all, one);
	}
	json_set(j, "candidates", all);
	if (job->order.task)
		json_set(j, "order", order_to_json(&job->order));
	return json_print(j);
}

static bool get_hex(char *out, size_t len, const struct json *j,
		    const char *key)
{
	const char *s = NULL;

	if (!json_get_string(j, key, &s) || !str_is_hex(s, len))
		return false;
	memcpy(out, s, len + 1);
	return true;
}

static bool read_candidate(struct score_job *job, const struct json *j)
{
	struct commit_id id;
	const char *run = NULL;

	if (!json_get_string(j, "run", &run) || strlen(run) > RUN_NAME_MAX ||
	    !get_hex(id.hex, COMMIT_ID_LEN, j, "candidate"))
		return false;
	job_add(job, run, &id);
	return true;
}

struct error *job_parse(struct score_job *out, const char *line, size_t len)
{
	cleanup_job struct score_job job = {.n = 0};
	cleanup_json struct json *j = NULL;
	const struct json *all;
	int64_t format = 0;
	bool ok;

	TRY(error_wrap(json_parse(&j, line, len), "not a job"));
	all = json_get(j, "candidates");
	ok = json_get_int(j, "avogit_job", &format) &&
	     (format == FORMAT || format == FORMAT_ORDER) &&
	     get_hex(job.id, JOB_ID_LEN, j, "job") &&
	     get_hex(job.from, WRITER_LEN, j, "from") && json_is_array(all) &&
	     json_len(all) <= JOB_MAX;
	for (size_t i = 0; ok && i < json_len(all); i++)
		ok = read_candidate(&job, json_at(all, i));
	if (ok && format == FORMAT_ORDER)
		ok = job.n == 1 &&
		     order_from_json(&job.order, json_get(j, "order"));
	if (!ok)
		return error_new(
			ERROR_MALFORMED,
			"not a job of this version: its first line "
			"must say avogit_job %d, job, from and at most "
			"%d candidates, or avogit_job %d and an order for one",
			FORMAT, JOB_MAX, FORMAT_ORDER);
	*out = job;
	job = (struct score_job){.n = 0};
	return NULL;
}

/* ---- writing an answer --------------------------------------------------- */

static struct json *new_line(const struct score_job *job, int64_t restart)
{
	struct json *j = json_object();

	json_set_int(j, "avogit_answer", FORMAT);
	json_set_string(j, "job", job->id);
	json_set_int(j, "restart", restart);
	return j;
}

static struct json *new_result(const struct score_job *job, int64_t restart,
			       const struct job_candidate *c)
{
	struct json *j = new_line(job, restart);

	json_set_string(j, "run", c->run);
	json_set_string(j, "candidate", c->id.hex);
	return j;
}

char *job_answer_line(const struct score_job *job, int64_t restart,
		      const struct job_candidate *c,
		      const struct measurement *m)
{
	cleanup_json struct json *j = new_result(job, restart, c);

	json_set(j, "measurement", measurement_to_json(m));
	return json_print(j);
}

char *job_failure_line(const struct score_job *job, int64_t restart,
		       const struct rival_failure *f)
{
	cleanup_json struct json *j =
		new_result(job, restart, &job->candidate[0]);

	json_set(j, "rival_failed", rival_failure_to_json(f));
	return json_print(j);
}

char *job_machine_line(const struct score_job *job, int64_t restart,
		       const struct far_machine *machine)
{
	cleanup_json struct json *j =
		new_result(job, restart, &job->candidate[0]);

	json_set(j, "machine", far_machine_to_json(machine));
	return json_print(j);
}

char *job_missing_line(const struct score_job *job, int64_t restart)
{
	cleanup_json struct json *j = new_line(job, restart);

	json_set_bool(j, "end", true);
	json_set_int(j, "count", 0);
	json_set_bool(j, "missing", true);
	json_set_string(j, "why", "commits are missing there");
	return json_print(j);
}

char *job_end_line(const struct score_job *job, int64_t restart, size_t count,
		   const char *why)
{
	cleanup_json struct json *j = new_line(job, restart);

	json_set_bool(j, "end", true);
	json_set_int(j, "count", (int64_t)count);
	json_set_string(j, "why", why);
	return json_print(j);
}

/* ---- reading an answer --------------------------------------------------- */

static void drop_results(struct job_answer *a)
{
	for (size_t i = 0; i < a->n; i++) {
		measurement_free(a->result[i].measurement);
		rival_failure_release(&a->result[i].failure);
		far_machine_release(&a->result[i].machine);
	}
	a->n = 0;
	a->ended = false;
	a->missing = false;
	free(a->why);
	a->why = NULL;
}

void job_answer_release(struct job_answer *a)
{
	drop_results(a);
	free(a->result);
	*a = (struct job_answer){.n = 0};
}

static const struct job_candidate *find_candidate(const struct score_job *job,
						  const char *run,
						  const char *id)
{
	for (size_t i = 0; i < job->n; i++)
		if (str_eq(job->candidate[i].id.hex, id) &&
		    str_eq(job->candidate[i].run, run))
			return &job->candidate[i];
	return NULL;
}

static struct error *check_new(const struct job_answer *a,
			       const struct job_candidate *c,
			       const struct measurement *m)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->result[i].of == c)
			return error_new(ERROR_REFUSED,
					 "it answers twice for candidate %.12s",
					 c->id.hex);
		if (str_eq(a->result[i].measurement->id, m->id))
			return error_new(ERROR_REFUSED,
					 "it gives one measurement to two "
					 "candidates");
	}
	return NULL;
}

/* What an entry of a journal has besides its measurement is less. */
#define ANSWERED_MAX (JOURNAL_ENTRY_MAX - ((size_t)64 << 10))

/* One that no journal can hold would end the run that it is written to. */
static struct error *check_size(const struct job_candidate *c,
				const struct measurement *m)
{
	cleanup_json struct json *j = measurement_to_json(m);
	cleanup_free char *text = json_print(j);
	size_t size = strlen(text);

	if (size <= ANSWERED_MAX)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "the measurement of candidate %.12s has %zu bytes, "
			 "more than the %zu that one can have",
			 c->id.hex, size, ANSWERED_MAX);
}

/* What an order may be answered with instead of a measurement. */
static bool read_other(struct job_result *out, const struct score_job *job,
		       const struct json *j)
{
	const struct json *failed = json_get(j, "rival_failed");
	const struct json *machine = json_get(j, "machine");

	if (job->order.about)
		return machine && far_machine_from_json(&out->machine, machine);
	return failed &&
	       rival_failure_from_json(&out->failure, failed, &job->order);
}

/* An order has one candidate, and so one result. */
static struct error *read_ordered(struct job_answer *a,
				  const struct score_job *job,
				  const struct job_candidate *c,
				  const struct json *j)
{
	struct job_result r = {.of = c};

	if (a->n)
		return error_new(ERROR_REFUSED,
				 "it answers twice for candidate %.12s",
				 c->id.hex);
	if (!read_other(&r, job, j))
		return error_new(ERROR_MALFORMED,
				 "it is no answer to what was asked");
	GROW(a->result, a->n, a->cap);
	a->result[a->n++] = r;
	return NULL;
}

static struct error *read_result(struct job_answer *a,
				 const struct score_job *job,
				 const struct json *j)
{
	cleanup_measurement struct measurement *m = NULL;
	const struct job_candidate *c;
	const char *run = "", *id = "";

	json_get_string(j, "run", &run);
	json_get_string(j, "candidate", &id);
	c = find_candidate(job, run, id);
	if (!c)
		return error_new(ERROR_REFUSED,
				 "it measures what was not asked for");
	if (job->order.task &&
	    (job->order.about || !json_get(j, "measurement")))
		return read_ordered(a, job, c, j);
	TRY(measurement_from_json(&m, json_get(j, "measurement")));
	TRY(check_new(a, c, m));
	TRY(check_size(c, m));
	GROW(a->result, a->n, a->cap);
	a->result[a->n++] =
		(struct job_result){.of = c, .measurement = steal(&m)};
	return NULL;
}

static struct error *read_end(struct job_answer *a, const struct json *j)
{
	const char *why;
	int64_t count = -1;

	if (!json_get_int(j, "count", &count) || count != (int64_t)a->n)
		return error_new(ERROR_MALFORMED,
				 "it ends after %zu measurements and counts "
				 "%lld",
				 a->n, (long long)count);
	a->ended = true;
	if (json_get_string(j, "why", &why))
		a->why = xstrndup(why, text_cut(why, MEASUREMENT_WHY_MAX));
	json_get_bool(j, "missing", &a->missing);
	return NULL;
}

/* False: the line is of an earlier start, and is left out. A first line of a
 * later start drops all before it. */
static bool is_of_last_start(struct job_answer *a, int64_t restart)
{
	if (restart < a->restart) {
		a->left_out++;
		return false;
	}
	if (restart > a->restart) {
		a->left_out += a->n;
		drop_results(a);
		a->restart = restart;
	}
	return true;
}

static struct error *read_line(struct job_answer *a,
			       const struct score_job *job, const char *line,
			       size_t len)
{
	cleanup_json struct json *j = NULL;
	char id[JOB_ID_LEN + 1];
	int64_t format = 0, restart = -1;
	bool end = false;

	TRY(json_parse(&j, line, len));
	if (!json_get_int(j, "avogit_answer", &format) || format != FORMAT ||
	    !get_hex(id, JOB_ID_LEN, j, "job") ||
	    !json_get_int(j, "restart", &restart) || restart < 0)
		return error_new(ERROR_MALFORMED,
				 "it is not of an answer of this version");
	if (!str_eq(id, job->id))
		return error_new(ERROR_REFUSED,
				 "it answers job %s, and this is job %s", id,
				 job->id);
	if (!is_of_last_start(a, restart))
		return NULL;
	if (a->ended)
		return error_new(ERROR_REFUSED, "it comes after the end");
	json_get_bool(j, "end", &end);
	return end ? read_end(a, j) : read_result(a, job, j);
}

struct error *job_answer_read(struct job_answer *out,
			      const struct score_job *job, const char *text,
			      size_t len)
{
	cleanup_job_answer struct job_answer a = {.n = 0};
	size_t number = 1;

	for (size_t at = 0; at < len; number++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : 0;

		if (!end)
			break;
		TRY(error_wrap(read_line(&a, job, text + at, n),
			       "line %zu of the answer", number));
		at += n + 1;
	}
	*out = a;
	a = (struct job_answer){.n = 0};
	return NULL;
}
