#include "agent/tools/step_log.h"

#include <inttypes.h>

#include "core/base/clock.h"
#include "core/base/file.h"

struct error *step_log_open(struct step_log *l, struct archive *archive,
			    const char *run, const char *kind, uint32_t number,
			    const char *suffix)
{
	cleanup_free char *name = NULL;
	char when[21];
	int fd;

	if (!archive || !archive->open_log || !archive->keep_log)
		return NULL;
	clock_format(when, clock_wall_us());
	/* No ':': in git's REV:PATH it separates the two. */
	for (char *c = when; *c; c++)
		if (*c == ':')
			*c = '-';
	name = xasprintf("%s-%s-%08" PRIx32 "%s", kind, when, number, suffix);
	TRY(archive->open_log(archive, &fd, run, name));
	l->archive = archive;
	snprintf(l->run, sizeof l->run, "%s", run);
	l->name = steal(&name);
	l->fd = fd;
	return NULL;
}

struct error *step_log_add(struct step_log *l, const char *text, size_t len)
{
	if (!l->archive)
		return NULL;
	return error_wrap(write_all(l->fd, text, len),
			  "cannot write a log of the run");
}

struct error *step_log_keep(struct step_log *l)
{
	struct archive *archive = steal(&l->archive);

	if (!archive)
		return NULL;
	cleanup_fd_fn(&l->fd);
	return archive->keep_log(archive, l->run, l->name);
}

void step_log_release(struct step_log *l)
{
	if (l->archive)
		cleanup_fd_fn(&l->fd);
	free(l->name);
	*l = (struct step_log){.name = NULL};
}
