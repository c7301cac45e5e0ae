/*
 * Namespaces made without bubblewrap, if it is not installed: the same kinds,
 * the same root, the same filter, and one process fewer, because the program is
 * process 1 and our child. Needs what bubblewrap needs (user namespaces for an
 * ordinary user) and Linux 5.12.
 */
#include "core/sandbox/plan.h"

static const struct root_memory memory[] = {
	{"/dev/shm", "mode=755,nr_inodes=4096,size=" PLAN_SHM_BYTES},
	{"/tmp", "mode=755,nr_inodes=65536,size=" PLAN_TMP_BYTES},
	{PLAN_BOX, "mode=755,nr_inodes=65536,size=" PLAN_BOX_BYTES},
};

/* Mapping /dev/zero gives memory that can be held and is not counted, so code
 * that is scored does not get it (seccomp.c). */
static void add_devices(struct strvec *out, const char *const *gpu, bool run)
{
	for (size_t i = 0; i < n_system_devices; i++)
		if (!run || !str_eq(system_devices[i], "/dev/zero"))
			strvec_push(out, system_devices[i]);
	for (size_t i = 0; gpu && i < n_gpu_devices; i++)
		strvec_push(out, gpu_devices[i]);
	for (size_t i = 0; gpu && gpu[i]; i++)
		strvec_push(out, gpu[i]);
}

struct error *plan_namespaces(struct sandbox_plan *p, const struct sandbox *s,
			      const struct sandbox_spec *spec)
{
	const struct filter *f =
		&s->filter[spec->network ? FILTER_NETWORK : FILTER_BUILD];

	bool run = spec->profile == SANDBOX_RUN;

	add_devices(&p->devices, spec->gpu, run);
	p->root = (struct root){
		.system = spec->gpu	  ? gpu_paths
			  : spec->network ? network_paths
			  : run		  ? run_paths
					  : system_paths,
		.n_system = spec->gpu	    ? n_gpu_paths
			    : spec->network ? n_network_paths
			    : run	    ? n_run_paths
					    : n_system_paths,
		.network = spec->network,
		.only_processes = run,
		.bind = spec->binds,
		.n_binds = spec->n_binds,
		.device = (const char *const *)p->devices.v,
		.n_devices = p->devices.n,
		.memory = memory,
		.n_memory = ARRAY_SIZE(memory),
		.folder = spec->folders,
		.box = PLAN_BOX,
		.files = spec->files,
	};
	p->confine.root = &p->root;
	p->process.confine = &p->confine;
	p->filter = (struct sock_fprog){f->n, f->code};
	p->process.filter = &p->filter;
	for (size_t i = 0; spec->argv[i]; i++)
		strvec_push(&p->argv, spec->argv[i]);
	strvec_pushl(&p->env, "HOME=/tmp", "TMPDIR=/tmp", NULL);
	p->process.dir = PLAN_BOX;
	return NULL;
}
