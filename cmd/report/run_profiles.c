/* What a profiler counted of the champion, beside an attempt that it was made of:
 * `avogit profile --keep` kept it. */
#include "cmd/report/run_story.h"
#include "cmd/session/profile_log.h"

/* A task with more has the figures of these. */
#define MAX_CASES 64

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

/* The nearest of the steps to the champion that was profiled, too. */
static void add_before(struct json *list, const struct run_story *s,
		       const struct log_list *logs, size_t number)
{
	struct json *j = NULL;

	for (size_t i = s->n_steps - 1; i > 0 && !j; i--)
		j = of_attempt(s, logs, &s->p.attempt[s->step[i - 1]], number);
	if (j)
		json_push(list, j);
}

struct json *run_story_profiles(const struct run_story *s,
				const struct log_list *logs)
{
	struct json *cases = json_array();

	for (size_t number = 1; number <= MAX_CASES && s->n_steps; number++) {
		struct json *now =
			of_attempt(s, logs, run_story_best(s), number);
		struct json *list;

		if (!now)
			continue;
		list = json_array();
		add_before(list, s, logs, number);
		json_push(list, now);
		json_push(cases, list);
	}
	return cases;
}
