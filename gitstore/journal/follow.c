#include "gitstore/journal/follow.h"

#include "gitstore/journal/history.h"

struct follower {
	struct gitstore *git;
	char run[RUN_NAME_MAX + 1];
	struct history history;
	bool is_read;
};

struct follower *follower_new(struct gitstore *g, const char *run)
{
	struct follower *f = xcalloc(1, sizeof *f);

	f->git = g;
	snprintf(f->run, sizeof f->run, "%s", run);
	population_init(&f->history.p);
	return f;
}

void follower_free(struct follower *f)
{
	if (!f)
		return;
	history_release(&f->history);
	free(f);
}

static struct error *read_new(bool *changed, struct follower *f)
{
	if (f->is_read)
		return history_update(changed, &f->history, f->git);
	*changed = true;
	return history_read(&f->history, f->git, f->run);
}

struct error *follower_read(bool *changed, struct follower *f)
{
	struct error *err = read_new(changed, f);

	f->is_read = !err;
	if (err) {
		*changed = true;
		history_release(&f->history);
		population_init(&f->history.p);
	}
	return error_wrap(err, "run '%s'", f->run);
}

const struct population *follower_population(const struct follower *f)
{
	return &f->history.p;
}
