/* What a profiler counted of the champion, beside an attempt that it was made of:
 * `avogit profile --keep` kept it. */
#include "cmd/report/run_story.h"
#include "cmd/session/profile_log.h"

static struct json *of_attempt(const struct run_story *s,
			       const struct log_list *logs,
			       const struct attempt *a, size_t number)
{
	struct json *j = NULL;

	profile_log_read(&j, s->session.git, logs, a->id.hex, number);
	if (j)
		json_set_int(j, "attempt", a->number);
	return j;
}

/* A number is of the task at that time, which may have had other cases. */
static bool is_of_case(const struct json *a, const struct json *b)
{
	const char *x = json_string(json_get(a, "case"));
	const char *y = json_string(json_get(b, "case"));

	return !x || !y || str_eq(x, y);
}

/* The nearest of the steps to the champion that was profiled in its case, too. */
static void add_before(struct json *list, const struct run_story *s,
		       const struct log_list *logs, size_t number,
		       const struct json *now)
{
	for (size_t i = s->n_steps - 1; i > 0; i--) {
		const struct attempt *a = &s->p.attempt[s->step[i - 1]];
		cleanup_json struct json *j = of_attempt(s, logs, a, number);

		if (!j || !is_of_case(j, now))
			continue;
		json_push(list, steal(&j));
		return;
	}
}

struct json *run_story_profiles(const struct run_story *s,
				const struct log_list *logs)
{
	struct json *cases = json_array();

	for (size_t number = 1; number <= TASK_MAX_CASES && s->n_steps;
	     number++) {
		struct json *now =
			of_attempt(s, logs, run_story_best(s), number);
		struct json *list;

		if (!now)
			continue;
		list = json_array();
		add_before(list, s, logs, number, now);
		json_push(list, now);
		json_push(cases, list);
	}
	return cases;
}
