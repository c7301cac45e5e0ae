#include "core/run/journal.h"

#include <ctype.h>
#include <inttypes.h>

#include "core/base/clock.h"
#include "core/base/json_text.h"
#include "core/score/field.h"

static const char *const kinds[] = {
#define X(id, name) [id] = name,
	ENTRY_KINDS(X)
#undef X
};

void entry_init(struct entry *e, enum entry_kind kind, const char *run)
{
	*e = (struct entry){.kind = kind};
	snprintf(e->run, sizeof e->run, "%s", run);
}

void entry_release(struct entry *e)
{
	free(e->task_path);
	free(e->machine_name);
	free(e->operator_name);
	free(e->subject);
	free(e->hypothesis);
	free(e->operator_state);
	free(e->reason);
	free(e->trigger);
	free(e->direction);
	measurement_free(e->measurement);
	*e = (struct entry){.kind = ENTRY_KIND_COUNT};
}

static char *measurement_subject(const struct entry *e)
{
	const struct measurement *m = e->measurement;
	const struct comparison *c = measurement_headline(m);
	char rate[32];

	if (m->verdict != VERDICT_PASS)
		return xasprintf("measurement %" PRId64 ": %s", e->number,
				 verdict_name(m->verdict));
	measurement_format_rate(rate, sizeof rate, m->score, m->rate_is_bytes);
	if (!c)
		return xasprintf("measurement %" PRId64 ": pass, %s", e->number,
				 rate);
	return xasprintf("measurement %" PRId64 ": pass, %s, %.3fx the %s",
			 e->number, rate, c->ratio, rival_name(c->rival));
}

char *journal_subject(const struct entry *e)
{
	const char *text = e->subject ? e->subject : e->reason;

	if (e->kind == ENTRY_MEASUREMENT && e->measurement)
		return measurement_subject(e);
	if (e->kind == ENTRY_RUN)
		return xasprintf("run %s", e->run);
	if (e->kind == ENTRY_ATTEMPT || e->kind == ENTRY_CROWN)
		return xasprintf("%s %" PRId64 "%s%s", kinds[e->kind],
				 e->number, text ? ": " : "", text ? text : "");
	return xasprintf("%s%s%s", kinds[e->kind], text ? ": " : "",
			 text ? text : "");
}

static void set_nonempty(struct json *j, const char *key, const char *s)
{
	if (*s)
		json_set_string(j, key, s);
}

static void set_nonzero(struct json *j, const char *key, int64_t v)
{
	if (v)
		json_set_int(j, key, v);
}

struct json *journal_to_json(const struct entry *e)
{
	struct json *j = json_object();

	json_set_string(j, "kind", kinds[e->kind]);
	json_set_string(j, "run", e->run);
	json_set_int(j, "time_us", e->time_us);
	set_nonempty(j, "candidate", e->candidate.hex);
	set_nonempty(j, "base", e->base.hex);
	set_nonempty(j, "from", e->from.hex);
	json_set_string(j, "task_path", e->task_path);
	set_nonempty(j, "task", e->task_id);
	/* As text: a seed uses all 64 bits, and is no quantity. */
	if (e->seed) {
		char seed[24];

		snprintf(seed, sizeof seed, "%" PRIu64, e->seed);
		json_set_string(j, "seed", seed);
	}
	set_nonempty(j, "machine", e->machine);
	json_set_string(j, "machine_name", e->machine_name);
	json_set_string(j, "operator", e->operator_name);
	set_nonzero(j, "max_attempts", e->max_attempts);
	if (e->max_seconds > 0)
		json_set_double(j, "max_seconds", e->max_seconds);
	set_nonzero(j, "number", e->number);
	set_nonzero(j, "lineage", e->lineage);
	set_nonempty(j, "parent", e->parent.hex);
	set_nonempty(j, "after", e->after.hex);
	json_set_string(j, "subject", e->subject);
	json_set_string(j, "hypothesis", e->hypothesis);
	json_set_string(j, "operator_state", e->operator_state);
	if (e->kind == ENTRY_MEASUREMENT)
		json_set_bool(j, "accepted", e->accepted);
	if (e->measurement)
		json_set(j, "measurement", measurement_to_json(e->measurement));
	set_nonzero(j, "new_lineage", e->new_lineage);
	json_set_string(j, "trigger", e->trigger);
	json_set_string(j, "reason", e->reason);
	json_set_string(j, "direction", e->direction);
	set_nonzero(j, "stalled_attempts", e->stalled_attempts);
	if (e->stalled_seconds > 0)
		json_set_double(j, "stalled_seconds", e->stalled_seconds);
	if (e->spent_seconds > 0)
		json_set_double(j, "spent_seconds", e->spent_seconds);
	if (!spend_is_zero(&e->spend))
		json_set(j, "spend", spend_to_json(&e->spend));
	return j;
}

/* ---- reading ----------------------------------------------------------- */

/* A commit id, or nothing: what is not one could become part of a ref. */
static void copy_commit(struct commit_id *out, const struct json *j,
			const char *key)
{
	const char *s;

	if (json_get_string(j, key, &s) && strlen(s) == COMMIT_ID_LEN &&
	    strspn(s, "0123456789abcdef") == COMMIT_ID_LEN)
		memcpy(out, s, COMMIT_ID_LEN + 1);
}

static struct error *read_kind(enum entry_kind *out, const struct json *j)
{
	const char *kind = "";

	json_get_string(j, "kind", &kind);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_eq(kinds[i], kind)) {
			*out = (enum entry_kind)i;
			return NULL;
		}
	return error_new(ERROR_MALFORMED, "an entry of the unknown kind '%s'",
			 kind);
}

/* A run's name becomes part of commands that people copy. */
static struct error *read_run(char out[RUN_NAME_MAX + 1], const struct json *j)
{
	json_copy_string(out, RUN_NAME_MAX + 1, j, "run");
	for (const char *c = out; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("@._-", *c))
			return error_new(ERROR_MALFORMED,
					 "'%s' is no name of a run", out);
	return NULL;
}

static int64_t read_count(const struct json *j, const char *key)
{
	int64_t n = 0;

	json_get_int(j, key, &n);
	return field_count(n);
}

/* What is no span of time counts as none. */
static double read_seconds(const struct json *j, const char *key)
{
	double v = 0;

	json_get_double(j, key, &v);
	return v > 0 && v <= SECONDS_MAX ? v : 0;
}

static void read_numbers(struct entry *e, const struct json *j)
{
	const char *seed;
	int64_t time_us = 0;

	json_get_int(j, "time_us", &time_us);
	e->time_us = clock_bounded(time_us);
	e->max_attempts = read_count(j, "max_attempts");
	e->max_seconds = read_seconds(j, "max_seconds");
	e->number = read_count(j, "number");
	e->lineage = read_count(j, "lineage");
	json_get_bool(j, "accepted", &e->accepted);
	e->new_lineage = read_count(j, "new_lineage");
	e->stalled_attempts = read_count(j, "stalled_attempts");
	e->stalled_seconds = read_seconds(j, "stalled_seconds");
	e->spent_seconds = read_seconds(j, "spent_seconds");
	spend_from_json(&e->spend, json_get(j, "spend"));
	if (json_get_string(j, "seed", &seed))
		e->seed = strtoull(seed, NULL, 10);
}

struct error *journal_from_json(struct entry *out, const struct json *j)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_STOP, "");
	TRY(read_kind(&e.kind, j));
	TRY(read_run(e.run, j));
	copy_commit(&e.candidate, j, "candidate");
	copy_commit(&e.base, j, "base");
	copy_commit(&e.from, j, "from");
	copy_commit(&e.parent, j, "parent");
	copy_commit(&e.after, j, "after");
	json_copy_string(e.task_id, sizeof e.task_id, j, "task");
	json_copy_string(e.machine, sizeof e.machine, j, "machine");
	read_numbers(&e, j);
	e.task_path = json_dup_string(j, "task_path");
	e.machine_name = json_dup_string(j, "machine_name");
	e.operator_name = json_dup_string(j, "operator");
	e.subject = json_dup_string(j, "subject");
	e.hypothesis = json_dup_string(j, "hypothesis");
	e.operator_state = json_dup_string(j, "operator_state");
	e.reason = json_dup_string(j, "reason");
	e.trigger = json_dup_string(j, "trigger");
	e.direction = json_dup_string(j, "direction");
	if (json_get(j, "measurement"))
		TRY(measurement_from_json(&e.measurement,
					  json_get(j, "measurement")));
	*out = e;
	entry_init(&e, ENTRY_STOP, "");
	return NULL;
}

/* ---- what a population needs ---------------------------------------------- */

static enum json_skim_as is_folded(const char *of, const char *key)
{
	bool folded = true;

	if (str_eq(of, "measurement") && str_eq(key, "cases"))
		return JSON_SKIM_CHECK;
	if (str_eq(of, "measurement"))
		folded = !str_eq(key, "kernels") && !str_eq(key, "log");
	if (str_eq(of, "environment"))
		folded = str_eq(key, "machine") || measurement_brief_has(key);
	return folded ? JSON_SKIM_KEEP : JSON_SKIM_DROP;
}

/* What is not is read whole: the measurement is unusable. */
static bool is_usable(const char *key, const char *number)
{
	return measurement_case_allows(key, strtod(number, NULL));
}

bool journal_skim(struct buf *out, const char *json, size_t len)
{
	static const struct json_skimmer how = {is_folded, is_usable,
						MEASUREMENT_MAX_CASES};

	return json_text_skim(out, json, len, &how);
}
