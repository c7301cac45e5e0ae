/* A package that installs an operator of PyTorch. */
#include "cmd/export/package.h"

extern const char export_build_kernel[], export_call[],
	export_python_arguments[], export_python_init[], export_python_setup[],
	export_reference_built[], export_setup[], export_test_kernel[],
	export_torch_init[];

#define KERNEL	  "csrc/kernel/"
#define REFERENCE "csrc/reference/"

static struct error *put_readme(struct export_source *s)
{
	const struct torch_binding entry = package_entry(s);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&out, "# %s\n\n", s->package);
	export_facts(&out, s, "- ");
	buf_addf(&out,
		 "\n```python\n# pip install . (or: %s)\n"
		 "from %s import %s\n```\n\nThe operator is `torch.ops.%s.",
		 s->task->python ? "PYTHONPATH=this folder"
				 : "python3 setup.py build_ext --inplace",
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

static struct error *put_in_package(struct export_source *s, const char *name,
				    const char *image)
{
	cleanup_free char *path = xasprintf("%s/%s", s->package, name);

	return package_put_image(s, path, image);
}

static struct error *put_common(struct export_source *s)
{
	cleanup_free char *task = xasprintf("%s/_task.py", s->package);

	TRY(package_put_image(s, "tests/test_kernel.py", export_test_kernel));
	TRY(put_in_package(s, "_call.py", export_call));
	TRY(package_put_task(s, task));
	return put_readme(s);
}

static struct error *put_built_reference(struct export_source *s)
{
	TRY(package_put_reference(s, REFERENCE, "csrc/reference.cpp"));
	return package_put_image(s, "tests/task_reference.py",
				 export_reference_built);
}

static struct error *put_python_reference(struct export_source *s)
{
	TRY(put_in_package(s, "_arguments.py", export_python_arguments));
	return package_put_python_reference(
		s, "tests/reference/", "tests/task_reference.py", s->package);
}

/* ---- a kernel in Python -------------------------------------------------- */

static struct error *put_python(struct export_source *s)
{
	cleanup_free char *folder = xasprintf("%s/", s->package);

	TRY(package_put_python(s, folder));
	TRY(package_put_image(s, "setup.py", export_python_setup));
	TRY(put_in_package(s, "__init__.py", export_python_init));
	if (s->task->reference.torch) {
		TRY(put_python_reference(s));
	} else {
		TRY(package_put_build(s, NULL, REFERENCE));
		TRY(package_put_image(s, "build_kernel.py",
				      export_build_kernel));
		TRY(put_built_reference(s));
	}
	return put_common(s);
}

struct error *export_torch(struct export_source *s)
{
	bool in_python = s->task->reference.torch != NULL;

	TRY(binding_check(s));
	if (s->task->python)
		return put_python(s);
	TRY(export_put_files(s, KERNEL));
	TRY(package_put_binding(s, "csrc/binding.cpp"));
	TRY(package_put_build(s, KERNEL, in_python ? NULL : REFERENCE));
	TRY(package_put_image(s, "build_kernel.py", export_build_kernel));
	TRY(in_python ? put_python_reference(s) : put_built_reference(s));
	TRY(package_put_image(s, "setup.py", export_setup));
	TRY(put_in_package(s, "__init__.py", export_torch_init));
	return put_common(s);
}
