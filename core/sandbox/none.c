/*
 * Without namespaces there remain: limits, another user if we are root, the
 * filter of system calls (so no network and no way out of the process group)
 * and a private folder. The program can read every file that every user may
 * read. Processes that it leaves become our children, so that we see them end.
 */
#include <sys/prctl.h>

#include "core/sandbox/plan.h"

struct error *plan_none(struct sandbox_plan *p, const struct sandbox *s,
			const struct sandbox_spec *spec)
{
	const struct filter *f = &s->filter[spec->gpu ? FILTER_DRIVER_GROUP
						      : FILTER_BUILD_GROUP];

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return error_errno("cannot take in what a sandbox leaves");
	/* As our own user it could write our memory, through /proc. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return error_errno("cannot close our memory to a sandbox");
	TRY(plan_folder(p, spec->files, s->uid));
	strvec_pushf(&p->env, "HOME=%s/tmp", p->folder);
	strvec_pushf(&p->env, "TMPDIR=%s/tmp", p->folder);
	if (s->has_seccomp) {
		p->filter = (struct sock_fprog){f->n, f->code};
		p->process.filter = &p->filter;
	}
	/* The limit counts all processes of a user: as our own user the count
	 * would be wrong. */
	if (!s->uid)
		p->process.limits.processes = 0;
	for (size_t i = 0; spec->argv[i]; i++)
		strvec_push(&p->argv, spec->argv[i]);
	p->process.dir = p->work;
	return NULL;
}
