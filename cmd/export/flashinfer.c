/* A folder that FlashInfer-Bench reads as a dataset. */
#include "cmd/export/flashinfer.h"

extern const char export_build_kernel[], export_call[],
	export_flashinfer_main[], export_flashinfer_python[],
	export_python_arguments[];

#define KERNEL	  "csrc/kernel/"
#define REFERENCE "csrc/reference/"

/* What PyTorch knows the operators by. Another for each commit, so that one
 * process can hold two. */
static void name_space(struct export_source *s, const char *commit)
{
	free(s->space);
	s->space = xasprintf("%s_%.12s", s->package, commit);
}

char *flashinfer_facts(const struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	export_facts(&out, s, "");
	return buf_take(&out);
}

/* ---- the Solution ---------------------------------------------------------- */

static struct error *put_main(struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	if (s->task->python) {
		buf_adds(&out, export_flashinfer_python);
	} else {
		buf_adds(&out, export_flashinfer_main);
		buf_addf(&out, "\n\n_operators = _load(\"%s\", %s)\n", s->space,
			 s->task->language == LANGUAGE_CUDA ? "True" : "False");
	}
	buf_adds(&out, "\n\ndef run(");
	flashinfer_inputs(&out, s);
	if (s->task->python)
		buf_adds(&out, "):\n    return _kernel(");
	else
		buf_addf(&out, "):\n    return _operators.%s(", s->function);
	flashinfer_operands(&out, s);
	buf_adds(&out, ")\n");
	return export_put(s, "main.py", &out);
}

static struct json *sources_json(const struct export_source *s)
{
	struct json *list = json_array();

	for (size_t i = 0; i < s->out.n; i++) {
		const struct file_entry *f = &s->out.file[i];
		struct json *one = json_object();

		json_set_string(one, "path", f->path);
		/* Their schema has no empty file. */
		json_set_string(one, "content", f->len ? f->data : "\n");
		json_push(list, one);
	}
	return list;
}

/* Does a file of the kernel import Triton? */
static bool is_triton(const struct export_source *s)
{
	static const char *const words[] = {"import triton", "from triton"};

	for (size_t i = 0; s->task->python && i < s->out.n; i++)
		for (size_t w = 0; w < ARRAY_SIZE(words); w++)
			if (strstr(s->out.file[i].data, words[w]))
				return true;
	return false;
}

static struct json *spec_json(const struct export_source *s)
{
	bool cuda = s->task->language == LANGUAGE_CUDA;
	const char *machine =
		s->pick.measurement
			? measurement_get(s->pick.measurement, "machine")
			: NULL;
	struct json *j = json_object(), *hardware = json_array();
	struct json *needs = json_array();

	json_push_string(hardware, cuda ? "cuda" : "cpu");
	if (machine)
		json_push_string(hardware, machine);
	json_push_string(needs, "torch");
	if (is_triton(s))
		json_push_string(needs, "triton");
	/* What is compiled is so by Python, with the flags of the measurement:
	 * what FlashInfer-Bench compiles itself has its own. */
	json_set_string(j, "language", is_triton(s) ? "triton" : "python");
	json_set(j, "target_hardware", hardware);
	json_set_string(j, "entry_point", "main.py::run");
	json_set(j, "dependencies", needs);
	json_set_bool(j, "destination_passing_style", false);
	return j;
}

/* What a function in Python is called with. */
static struct error *put_task(struct export_source *s)
{
	TRY(package_put_image(s, "_call.py", export_call));
	return package_put_task(s, "_task.py");
}

static struct error *put_python(struct export_source *s)
{
	TRY(package_put_python(s, ""));
	return put_task(s);
}

static struct error *put_built(struct export_source *s)
{
	TRY(export_put_files(s, KERNEL));
	TRY(package_put_binding(s, "csrc/binding.cpp"));
	TRY(package_put_build(s, KERNEL, NULL));
	return package_put_image(s, "build_kernel.py", export_build_kernel);
}

static struct error *make_solution(struct json **out, struct export_source *s)
{
	cleanup_free char *facts = flashinfer_facts(s);

	name_space(s, s->pick.of.hex);
	TRY(s->task->python ? put_python(s) : put_built(s));
	TRY(put_main(s));
	TRY(flashinfer_check_text(s));
	*out = json_object();
	json_set_string(*out, "name", s->space);
	json_set_string(*out, "definition", s->function);
	json_set_string(*out, "author", FLASHINFER_AUTHOR);
	json_set_string(*out, "description", facts);
	json_set(*out, "spec", spec_json(s));
	json_set(*out, "sources", sources_json(s));
	return NULL;
}

static struct error *put_reference(struct export_source *s)
{
	if (s->task->reference.torch) {
		TRY(package_put_python_reference(s, "reference/", "__init__.py",
						 "."));
		TRY(package_put_image(s, "_arguments.py",
				      export_python_arguments));
		return put_task(s);
	}
	TRY(package_put_reference(s, REFERENCE, "csrc/reference.cpp"));
	TRY(package_put_build(s, NULL, REFERENCE));
	return package_put_image(s, "build_kernel.py", export_build_kernel);
}

static struct error *make_definition(struct json **out, struct export_source *s,
				     const struct axes *axes)
{
	name_space(s, s->pick.base.hex);
	TRY(put_reference(s));
	return flashinfer_definition(out, s, axes);
}

/* ---- the folder ------------------------------------------------------------ */

static struct error *put_json(struct export_source *s, const struct json *j,
			      const char *path)
{
	cleanup_free char *text = json_print_pretty(j);

	return fileset_put(&s->out, path, text, strlen(text), false);
}

static struct error *put_traces(struct export_source *s,
				const struct axes *axes, const char *solution,
				const char *path)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(flashinfer_traces(&out, s, axes, solution));
	return out.len ? export_put(s, path, &out) : NULL;
}

static struct error *put_readme(struct export_source *s)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&out, "# %s for FlashInfer-Bench\n\n", s->function);
	export_facts(&out, s, "- ");
	buf_addf(&out,
		 "\nThe folder is a dataset of FlashInfer-Bench: "
		 "`flashinfer-bench run --local .` runs the Solution, which "
		 "%s. "
		 "The Traces are the times that avogit measured; their largest "
		 "errors are NaN, because\navogit measures errors relative to "
		 "what is allowed (`extra` has that).\n\n",
		 s->task->python
			 ? "imports\nthe kernel's own files"
			 : "compiles\nthe kernel with the flags of the "
			   "measurement when it is loaded (PyTorch, ninja and "
			   "the compilers\nare needed)");
	if (s->task->language != LANGUAGE_CUDA)
		buf_adds(&out, "FlashInfer-Bench gives its Solutions tensors "
			       "of a GPU, and this kernel is for the CPU: its "
			       "`run`\ncan be called, but not benchmarked "
			       "there.\n\n");
	export_arguments(&out, s);
	return export_put(s, "README.md", &out);
}

static struct error *put_all(struct export_source *s, const struct axes *axes,
			     const struct json *definition,
			     const struct json *solution)
{
	const char *name, *f = s->function;
	cleanup_free char *at =
		xasprintf("definitions/" FLASHINFER_OP_TYPE "/%s.json", f);
	cleanup_free char *workloads =
		xasprintf("workloads/" FLASHINFER_OP_TYPE "/%s.jsonl", f);
	cleanup_free char *traces = xasprintf(
		"traces/" FLASHINFER_AUTHOR "/" FLASHINFER_OP_TYPE "/%s.jsonl",
		f);
	cleanup_free char *path = NULL;

	if (!json_get_string(solution, "name", &name))
		return NULL;
	path = xasprintf("solutions/" FLASHINFER_AUTHOR "/" FLASHINFER_OP_TYPE
			 "/%s/%s.json",
			 f, name);
	TRY(put_json(s, definition, at));
	TRY(put_json(s, solution, path));
	TRY(put_traces(s, axes, NULL, workloads));
	TRY(put_traces(s, axes, name, traces));
	return put_readme(s);
}

static void swap(struct fileset *a, struct fileset *b)
{
	struct fileset was = *a;

	*a = *b;
	*b = was;
}

/* The files of both are texts in JSON: s->out holds them only while that is
 * made. */
struct error *export_flashinfer(struct export_source *s)
{
	cleanup_axes struct axes axes = {0};
	cleanup_fileset struct fileset kept = FILESET_INIT;
	cleanup_json struct json *solution = NULL, *definition = NULL;

	TRY(flashinfer_check(s));
	TRY(axes_find(&axes, s));
	swap(&s->out, &kept);
	TRY(make_solution(&solution, s));
	fileset_release(&s->out);
	s->out = (struct fileset)FILESET_INIT;
	TRY(make_definition(&definition, s, &axes));
	fileset_release(&s->out);
	s->out = (struct fileset)FILESET_INIT;
	swap(&s->out, &kept);
	return put_all(s, &axes, definition, solution);
}
