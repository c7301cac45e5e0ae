/* Which flags are in force where a source chooses some behind the task's: of two that
 * set the same the later one counts, and most may stand in any order. */
#include "core/task/task.h"

/* -O2, -Os, -Ofast, but no other option that begins so. */
static bool is_level(const char *flag)
{
	return starts_with(flag, "-O") &&
	       (str_eq(flag + 2, "fast") ||
		strspn(flag + 2, "0123sgz") == strlen(flag + 2));
}

bool flag_is_replaced(const char *flag, const struct strvec *later)
{
	bool level = is_level(flag);

	for (size_t i = 0; i < later->n; i++)
		if (str_eq(later->v[i], flag) ||
		    (level && is_level(later->v[i])))
			return true;
	return false;
}

/* Does it set several at once, so that it matters which stand before it? */
static bool is_switch(const char *flag)
{
	return str_eq(flag, "-Ofast") || starts_with(flag, "-ffp-") ||
	       starts_with(flag, "-mno-") || strstr(flag, "math");
}

static bool has_switch(const struct strvec *flags)
{
	for (size_t i = 0; i < flags->n; i++)
		if (is_switch(flags->v[i]))
			return true;
	return false;
}

static bool is_ordered(const char *flag, bool with_switch)
{
	return starts_with(flag, "-X") || starts_with(flag, "-l") ||
	       (with_switch &&
		(starts_with(flag, "-f") || starts_with(flag, "-m") ||
		 str_eq(flag, "-Ofast")));
}

/* What a flag sets: "-funroll-loops" of -fno-unroll-loops, "-DN" of -DN=4 and -UN.
 * What follows `-X` is another program's, and each word of it its own. */
static char *what_it_sets(const char *flag)
{
	cleanup_free char *kind = xstrndup(flag, 2);
	const char *name = flag + strlen(kind);

	if (is_level(flag))
		return xstrdup("-O");
	if (starts_with(flag, "-X") || starts_with(flag, "--"))
		return xstrdup(flag);
	if (str_eq(kind, "-U"))
		kind[1] = 'D';
	else if (strchr("fmW", kind[1]) && starts_with(name, "no-"))
		name += strlen("no-");
	return xasprintf("%s%.*s", kind, (int)strcspn(name, "="), name);
}

static bool is_set_again(const struct strvec *flags, size_t i)
{
	cleanup_free char *what = what_it_sets(flags->v[i]);
	bool again = false;

	for (size_t j = i + 1; j < flags->n && !again; j++) {
		cleanup_free char *later = what_it_sets(flags->v[j]);

		again = str_eq(what, later);
	}
	return again;
}

void task_flags_in_force(struct strvec *out, const struct task *t,
			 const struct strvec *chosen)
{
	cleanup_strvec struct strvec all = STRVEC_INIT, ordered = STRVEC_INIT;
	bool with_switch;

	strvec_extend(&all, &t->flags);
	strvec_extend(&all, chosen);
	with_switch = has_switch(&all);
	for (size_t i = 0; i < all.n; i++)
		if (!is_set_again(&all, i))
			strvec_push(is_ordered(all.v[i], with_switch) ? &ordered
								      : out,
				    all.v[i]);
	strvec_sort(out);
	strvec_extend(out, &ordered);
}
