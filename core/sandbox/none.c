/*
 * No namespaces: what is left is limits, another user where we are root, the
 * filter of system calls (so no network and no way out of the process group)
 * and a private folder. Files of the machine that every user may read can be
 * read. What the program leaves behind comes to us, so that we see it end.
 */
#include <sys/prctl.h>

#include "core/sandbox/plan.h"

struct error *plan_none(struct sandbox_plan *p, const struct sandbox *s,
			const struct sandbox_spec *spec)
{
	const struct filter *f = &s->filter[FILTER_BUILD_GROUP];

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return error_errno("cannot take in what a sandbox leaves");
	/* Of our own user it could write our memory, through /proc. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return error_errno("cannot close our memory to a sandbox");
	TRY(plan_folder(p, spec->files, s->uid));
	strvec_pushf(&p->env, "HOME=%s/tmp", p->folder);
	strvec_pushf(&p->env, "TMPDIR=%s/tmp", p->folder);
	if (s->has_seccomp) {
		p->filter = (struct sock_fprog){f->n, f->code};
		p->process.filter = &p->filter;
	}
	/* It counts all that a user has: as ourselves it would be off. */
	if (!s->uid)
		p->process.limits.processes = 0;
	for (size_t i = 0; spec->argv[i]; i++)
		strvec_push(&p->argv, spec->argv[i]);
	p->process.dir = p->work;
	return NULL;
}
