#include "core/run/candidate.h"

#include "core/run/archive.h"

void candidate_release(struct candidate *c)
{
	fileset_release(&c->files);
	*c = (struct candidate){0};
}

void workspace_release(struct workspace *w)
{
	free(w->dir);
	*w = (struct workspace){0};
}
