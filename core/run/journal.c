#include "core/run/journal.h"

#include <ctype.h>
#include <inttypes.h>

#include "core/base/json_text.h"
#include "core/score/field.h"

static const char *const kinds[] = {
#define X(id, name) [id] = name,
	ENTRY_KINDS(X)
#undef X
};

static const char *const role_names[] = {
#define X(id, name) [id] = name,
	ROLES(X)
#undef X
};

const char *role_name(enum role role)
{
	return role_names[role];
}

enum role role_find(const char *name)
{
	enum role role = ROLE_PLANNER;

	while (role < ROLE_COUNT && !(name && str_eq(role_names[role], name)))
		role++;
	return role;
}

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
	free(e->artefacts);
	free(e->reason);
	free(e->trigger);
	free(e->direction);
	measurement_free(e->measurement);
	*e = (struct entry){.kind = ENTRY_KIND_COUNT};
}

/* Only what one comparison decided: a ratio that was not distinguished from 1 would be
 * read as a gain or a loss. */
static char *measurement_subject(const struct entry *e)
{
	const struct measurement *m = e->measurement;
	const struct comparison *c = measurement_headline(m);
	char rate[RATE_TEXT];

	if (m->verdict != VERDICT_PASS)
		return xasprintf("measurement %" PRId64 ": %s", e->number,
				 verdict_name(m->verdict));
	if (c && c->decision == DECISION_NONE)
		return xasprintf("measurement %" PRId64
				 ": pass, %s beside the %s",
				 e->number,
				 decision_name(c->decision, c->ratio95),
				 rival_name(c->rival));
	if (c)
		return xasprintf("measurement %" PRId64 ": pass, %.3fx the %s",
				 e->number, c->ratio, rival_name(c->rival));
	measurement_format(rate, sizeof rate, m, m->score);
	return xasprintf("measurement %" PRId64 ": pass, %s", e->number, rate);
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

/* ---- the fields ---------------------------------------------------------- */

static const char *kind_word(const void *e)
{
	return kinds[((const struct entry *)e)->kind];
}

static bool set_kind(void *e, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_eq(kinds[i], word)) {
			((struct entry *)e)->kind = (enum entry_kind)i;
			return true;
		}
	return false;
}

#define OF(member)     FIELD_MEMBER(struct entry, member)
#define COMMIT(member) FIELD_AS(FIELD_HEX, struct entry, member.hex), OPTIONAL
#define OPTIONAL       .optional = true
#define SECONDS	       .unit = "s", .most = SECONDS_MAX, .or_nothing = true, OPTIONAL

/* In the order of the journal; the measurement is between the two arrays. Ids
 * are checked: other text could become part of a ref. */
static const struct field head_fields[] = {
	{.json = "kind", FIELD_NAMED(kind_word, set_kind)},
	{.json = "run", OF(run)},
	{.json = "time_us", FIELD_AS(FIELD_TIME, struct entry, time_us)},
	{.json = "candidate", COMMIT(candidate)},
	{.json = "base", COMMIT(base)},
	{.json = "from", COMMIT(from)},
	{.json = "task_path", OF(task_path)},
	{.json = "task", OF(task_id), OPTIONAL},
	{.json = "seed", FIELD_AS(FIELD_DIGITS, struct entry, seed), OPTIONAL},
	{.json = "machine", OF(machine), OPTIONAL},
	{.json = "machine_name", OF(machine_name)},
	{.json = "operator", OF(operator_name)},
	{.json = "max_attempts", OF(max_attempts), OPTIONAL},
	{.json = "max_seconds", OF(max_seconds), SECONDS},
	{.json = "number", OF(number), OPTIONAL},
	{.json = "lineage", OF(lineage), OPTIONAL},
	{.json = "parent", COMMIT(parent)},
	{.json = "after", COMMIT(after)},
	{.json = "subject", OF(subject)},
	{.json = "hypothesis", OF(hypothesis)},
	{.json = "operator_state", OF(operator_state)},
	{.json = "artefacts", OF(artefacts)},
};
static const struct field tail_fields[] = {
	{.json = "new_lineage", OF(new_lineage), OPTIONAL},
	{.json = "island", OF(island), OPTIONAL},
	{.json = "from_island", OF(from_island), OPTIONAL},
	{.json = "trigger", OF(trigger)},
	{.json = "reason", OF(reason)},
	{.json = "direction", OF(direction)},
	{.json = "stalled_attempts", OF(stalled_attempts), OPTIONAL},
	{.json = "stalled_seconds", OF(stalled_seconds), SECONDS},
	{.json = "spent_seconds", OF(spent_seconds), SECONDS},
};
static const struct fields head = FIELD_TABLE(head_fields);
static const struct fields tail = FIELD_TABLE(tail_fields);

struct json *journal_to_json(const struct entry *e)
{
	struct json *j = json_object();

	fields_to_json(j, &head, e);
	if (e->kind == ENTRY_MEASUREMENT)
		json_set_bool(j, "accepted", e->accepted);
	if (e->measurement)
		json_set(j, "measurement", measurement_to_json(e->measurement));
	fields_to_json(j, &tail, e);
	if (!spend_is_zero(&e->spend))
		json_set(j, "spend", spend_to_json(&e->spend));
	if (!spend_is_zero(&e->role_spend))
		json_set(j, "role_spend", spend_to_json(&e->role_spend));
	return j;
}

/* A run's name becomes part of commands that people copy. */
static struct error *check_run(const char *run)
{
	for (const char *c = run; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("@._-", *c))
			return error_new(ERROR_MALFORMED,
					 "'%s' is no name of a run", run);
	return NULL;
}

struct error *journal_from_json(struct entry *out, const struct json *j)
{
	cleanup_entry struct entry e;
	const char *kind = "";

	entry_init(&e, ENTRY_STOP, "");
	json_get_string(j, "kind", &kind);
	if (!fields_from_json(&e, &head, j))
		return error_new(ERROR_MALFORMED,
				 "an entry of the unknown kind '%s'", kind);
	TRY(check_run(e.run));
	fields_from_json(&e, &tail, j);
	json_get_bool(j, "accepted", &e.accepted);
	spend_from_json(&e.spend, json_get(j, "spend"));
	spend_from_json(&e.role_spend, json_get(j, "role_spend"));
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

/* An unusable measurement is read whole. */
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
