/* A package that installs an operator of PyTorch. */
#include "cmd/export/package.h"

extern const char export_build_kernel[], export_call[], export_setup[],
	export_test_kernel[], export_torch_init[];

#define KERNEL	  "csrc/kernel/"
#define REFERENCE "csrc/reference/"

static struct error *put_readme(struct export_source *s)
{
	const struct torch_binding entry = package_entry(s);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&out, "# %s\n\n", s->package);
	export_facts(&out, s, "- ");
	buf_addf(&out,
		 "\n```python\n# pip install . (or: python3 setup.py build_ext "
		 "--inplace)\nfrom %s import %s\n```\n\nThe operator is "
		 "`torch.ops.%s.",
		 s->package, s->function, s->package);
	binding_schema(&out, s, &entry);
	buf_addf(&out,
		 "`. It checks device, element type, shape, strides and\n"
		 "alignment, makes outputs and scratch memory, and has no "
		 "gradient. For sizes that the kernel\nwas not checked at "
		 "`%s(..., fallback=f)` calls `f` with the same arguments, as "
		 "does what\n`set_fallback(f)` was told; without either it is "
		 "an error that names the sizes.\n",
		 s->function);
	if (s->prepare.name)
		buf_addf(&out,
			 "\n`prepare` makes of the static inputs what the "
			 "kernel reads instead: call it once and give what\nit "
			 "returns to `%s` as the last arguments. Without them "
			 "each call prepares again, which takes\nlonger than "
			 "what was timed.\n",
			 s->function);
	buf_adds(&out, "\n`python3 tests/test_kernel.py` holds the operator "
		       "against the task's reference in every case, more\n"
		       "coarsely than avogit does: the largest error of a "
		       "whole output counts, and inputs are of one kind.\n\n");
	export_arguments(&out, s);
	return export_put(s, "README.md", &out);
}

static struct error *put_images(struct export_source *s)
{
	cleanup_free char *init = xasprintf("%s/__init__.py", s->package);
	cleanup_free char *call = xasprintf("%s/_call.py", s->package);
	cleanup_free char *task = xasprintf("%s/_task.py", s->package);

	TRY(package_put_image(s, "setup.py", export_setup));
	TRY(package_put_image(s, "build_kernel.py", export_build_kernel));
	TRY(package_put_image(s, "tests/test_kernel.py", export_test_kernel));
	TRY(package_put_image(s, init, export_torch_init));
	TRY(package_put_image(s, call, export_call));
	return package_put_task(s, task);
}

struct error *export_torch(struct export_source *s)
{
	TRY(binding_check(s));
	TRY(export_put_files(s, KERNEL));
	TRY(package_put_binding(s, "csrc/binding.cpp"));
	TRY(package_put_build(s, KERNEL, REFERENCE));
	TRY(package_put_reference(s, REFERENCE, "csrc/reference.cpp"));
	TRY(put_images(s));
	return put_readme(s);
}
