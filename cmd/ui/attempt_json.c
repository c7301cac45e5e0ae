#include "cmd/ui/attempt_json.h"

#include <math.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/run/outcome.h"

const char *attempt_json_unit(const struct measurement *m)
{
	double size;
	const char *unit = measurement_unit(&size, m);

	if (!measurement_get(m, UNIT_KEY))
		return m->rate_is_bytes ? "byte/s" : "flop/s";
	return size > 1 ? unit + 1 : unit;
}

/* Why it failed, or is not the champion though it was faster. */
static void set_why(struct json *j, const struct population *p,
		    const struct attempt *a)
{
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	if (a->measurement->why)
		buf_adds(&why, a->measurement->why);
	else if (outcome_has_reason(attempt_outcome(p, a)))
		attempt_reason_add(&why, p, a);
	json_set_string(j, "why", why.len ? why.data : NULL);
}

void attempt_json_add(struct json *j, const struct population *p,
		      const struct attempt *a)
{
	char time[21];

	clock_format(time, a->time_us);
	json_set_string(j, "commit", a->id.hex);
	json_set_int(j, "attempt", a->number);
	json_set_string(j, "parent", *a->parent.hex ? a->parent.hex : NULL);
	json_set_int(j, "lineage", a->lineage);
	json_set_string(j, "time", time);
	json_set_string(j, "outcome", attempt_outcome_name(p, a));
	json_set_bool(j, "accepted", a->accepted);
	json_set_bool(j, "champion",
		      p->champion && a == &p->attempt[p->champion]);
	json_set_string(j, "subject", a->subject);
	if (isfinite(a->gain))
		json_set_double(j, "speedup", attempt_speedup(a));
	if (a->measurement) {
		json_set_string(j, "verdict",
				verdict_name(a->measurement->verdict));
		json_set_double(j, "score", a->measurement->score);
		json_set_string(j, "unit", attempt_json_unit(a->measurement));
		json_set_string(j, "class",
				trust_class_name(a->measurement->trust));
		set_why(j, p, a);
		json_set_string(j, "machine",
				a->kind ? p->machine[a->kind - 1].name : NULL);
	}
}

void spend_json_add(struct json *j, const struct population *p)
{
	struct spend by_role[ROLE_COUNT];
	struct json *roles;

	if (!population_role_spend(by_role, p))
		return;
	roles = json_object();
	json_set(j, "spend", spend_to_json(&p->spend));
	for (enum role i = ROLE_PLANNER; i < ROLE_COUNT; i++)
		if (by_role[i].turns)
			json_set(roles, role_name(i),
				 spend_to_json(&by_role[i]));
	json_set(j, "spend_by_role", roles);
}
