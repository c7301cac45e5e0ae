/* avogit init: the first version of a task file. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/init/choose.h"
#include "cmd/init/compile.h"
#include "cmd/init/project.h"
#include "cmd/init/sizes.h"
#include "cmd/init/templates.h"
#include "cmd/init/written.h"
#include "cmd/session/session.h"
#include "cmd/ui/out.h"
#include "core/base/file.h"
#include "core/task/loops.h"
#include "core/task/object.h"
#include "core/task/prototype.h"
#include "core/task/template.h"
#include "gitstore/gitstore.h"

#define KERNEL_LIMIT ((size_t)4 << 20)

/* ---- settings of git ----------------------------------------------------- */

/* Settings that git needs to transfer scores, made only in the repository's own
 * config. Showing them in `git log` (notes.displayRef) is not among them: in a
 * history of thousands of candidates its text is nine times as long. */

struct recommended_setting {
	const char *key, *value, *why;
};

/* Each has a wildcard: git neither fails nor warns where there is nothing of
 * that name. What is fetched, the next avogit command takes in. */
static const struct recommended_setting settings[] = {
	{"remote.origin.fetch",
	 "+refs/notes/avogit*:refs/notes/avogit-fetched*",
	 "`git fetch` brings scores"},
	{"remote.origin.fetch", "+refs/avogit/*:refs/avogit-fetched/*",
	 "`git fetch` brings runs"},
};

/* What earlier versions set: `git fetch` fails with it where the remote has no
 * scores, and `git log` warns before there are any. */
static const struct recommended_setting outdated[] = {
	{"notes.displayRef", "refs/notes/avogit", ""},
	{"remote.origin.fetch", "+refs/notes/avogit:refs/notes/origin/avogit",
	 ""},
	{"remote.origin.fetch", "+refs/avogit/*:refs/avogit-origin/*", ""},
};

/* Does git fetch from an origin? */
static bool has_origin(const struct gitstore *g)
{
	cleanup_free char *url = gitstore_config(g, "remote.origin.url");
	cleanup_free char *fetched = gitstore_config(g, "remote.origin.fetch");

	return url && fetched;
}

static void print_commands(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		printf("  git config --add %s '%s'   # %s\n", settings[i].key,
		       settings[i].value, settings[i].why);
}

static bool says_yes(void)
{
	char answer[16];

	printf("set this in the repository's own config? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof answer, stdin) &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}

/* Makes the missing settings if `yes` or after a "y" on a terminal; otherwise
 * prints the commands for them. */
static struct error *settings_offer(struct gitstore *g, bool yes)
{
	bool ask = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	bool origin = has_origin(g);

	if (origin) {
		printf("\n%s git that scores travel:\n",
		       yes ? "telling" : "to tell");
		print_commands();
	}
	if (!yes && !(origin && ask && says_yes()))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(outdated); i++)
		TRY(gitstore_config_remove(g, outdated[i].key,
					   outdated[i].value));
	for (size_t i = 0; origin && i < ARRAY_SIZE(settings); i++)
		TRY(gitstore_config_add(g, settings[i].key, settings[i].value));
	return NULL;
}

/* ---- avogit init --------------------------------------------------------- */

struct init_options {
	const char *entry;
	const char *output;
	bool force;
	bool yes;
	bool reference;
};

static const struct opt options[] = {
	OPT(struct init_options, entry, "entry", 'e', "NAME",
	    "the function to make fast, by name or declaration (the only one)"),
	OPT(struct init_options, output, "output", 'o', "FILE",
	    "the task file (" TASK_FILE ")"),
	OPT(struct init_options, force, "force", 'f', NULL,
	    "overwrite the task file and the reference"),
	OPT(struct init_options, reference, "reference", 'r', NULL,
	    "write only the reference again, for the shapes that the task has"),
	OPT(struct init_options, yes, "yes", 'y', NULL,
	    "ask nothing: take what is proposed, and set git's config"),
	OPT_END,
};

/* One task that is being written. */
struct first_task {
	const char *kernel; /* as on the command line */
	enum language language;
	struct init_options options;
	struct strvec words; /* the project's flags, from the command line */
	struct buf text;     /* of the kernel's file */
	struct project_paths paths;
	struct compile_line line;
	struct compiled compiled;
	struct prototype prototype;
	char *declaration; /* of the function, if several have its name */
	bool needs_shim;   /* no other file can call it */
	char *reference;   /* from the task's folder */
	enum reference_kind kind; /* of that */
	bool keeps_values;   /* template_keeps_values, of its own precision */
	struct buf shapes;   /* of the task */
	struct error *fault; /* of the task as it was made */
};

static void first_task_release(struct first_task *f)
{
	strvec_release(&f->words);
	buf_release(&f->text);
	project_paths_release(&f->paths);
	compile_line_release(&f->line);
	compiled_release(&f->compiled);
	prototype_release(&f->prototype);
	free(f->declaration);
	free(f->reference);
	buf_release(&f->shapes);
	error_free(f->fault);
}
DEFINE_RELEASE(first_task, struct first_task, first_task_release)
#define cleanup_first_task CLEANUP(first_task)

static const struct {
	const char *ending;
	enum language language;
} endings[] = {
	{".c", LANGUAGE_C},    {".cu", LANGUAGE_CUDA}, {".cpp", LANGUAGE_CXX},
	{".cc", LANGUAGE_CXX}, {".cxx", LANGUAGE_CXX}, {".c++", LANGUAGE_CXX},
	{".C", LANGUAGE_CXX},  {".h", LANGUAGE_C},     {".hpp", LANGUAGE_CXX},
	{".hh", LANGUAGE_CXX}, {".hxx", LANGUAGE_CXX}, {".h++", LANGUAGE_CXX},
};

static struct error *find_language(enum language *out, const char *kernel)
{
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		if (!ends_with(kernel, endings[i].ending))
			continue;
		*out = endings[i].language;
		return NULL;
	}
	if (ends_with(kernel, ".py"))
		return error_new(ERROR_USAGE,
				 "init: %s is Python, which init does not "
				 "read: write its task by hand (docs/tutorial"
				 ".md, \"A Triton kernel\", has a whole one), "
				 "or have avogit import kernelbench make one "
				 "of a class Model with get_inputs",
				 kernel);
	return error_new(ERROR_USAGE,
			 "init: %s is not a source in C (NAME.c, .h), C++ "
			 "(NAME.cpp, .cc, .cxx, .hpp) or CUDA (NAME.cu)",
			 kernel);
}

/* KERNEL, and after `--` flags of a compiler. */
static struct error *read_operands(struct first_task *f,
				   const struct strvec *operands)
{
	f->kernel = operands->v[0];
	TRY(find_language(&f->language, f->kernel));
	for (size_t i = 1; i < operands->n; i++) {
		const char *word = operands->v[i];
		bool is_value = i > 1 && operands->v[i - 1][0] == '-' &&
				!operands->v[i - 1][2];

		if (*word != '-' && !is_value)
			return error_new(ERROR_USAGE,
					 "init: one kernel, then `--` and the "
					 "flags of its compiler; what is '%s'?",
					 word);
		strvec_push(&f->words, word);
	}
	return NULL;
}

static struct error *write_new(const char *path, const struct buf *text,
			       bool force)
{
	if (!force && file_exists(path))
		return error_new(ERROR_REFUSED,
				 "%s is there already: --force overwrites it, "
				 "-o NAME.yaml writes another beside it",
				 path);
	return file_write_atomic(path, text->data, text->len);
}

/* What other files can call without arguments, if there is one such function. */
static const char *find_setup(const struct function_list *all)
{
	const char *found = NULL;

	for (size_t i = 0; i < all->n; i++) {
		const struct prototype *p = &all->v[i];

		if (!p->name || p->n || p->result || p->is_static ||
		    str_eq(p->name, "main"))
			continue;
		if (found)
			return NULL;
		found = p->name;
	}
	return found;
}

static void add_function(struct strvec *out, const struct prototype *p)
{
	cleanup_free char *name = template_name(p);

	if (!strvec_has(out, name))
		strvec_push(out, name);
}

/* What the task file and the reference are made of. Borrows from *f. */
static void make_template(struct template *t, const struct first_task *f)
{
	const struct function_list *all = &f->compiled.functions;

	*t = (struct template){.kernel = f->paths.kernel,
			       .prototype = &f->prototype,
			       .reference = f->reference,
			       .declaration = f->declaration,
			       .shim = f->needs_shim ? f->paths.shim_name
						     : NULL};
	if (f->language == LANGUAGE_CUDA)
		return;
	t->compiler = f->line.compiler;
	t->read_by = f->line.compiler;
	t->alone = project_includes_sources(&f->compiled);
	project_flags(&t->flags, &f->line);
	project_files(&t->include, &t->files, &f->line, &f->compiled,
		      &f->paths);
	t->setup = find_setup(all);
	add_function(&t->functions, &f->prototype);
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].name)
			add_function(&t->functions, &all->v[i]);
}

static struct error *write_task(const struct first_task *f,
				const struct template *t)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	template_task(&text, t);
	TRY(write_new(f->paths.task, &text, f->options.force));
	printf("wrote %s: look over every line marked GUESS\n", f->paths.task);
	return NULL;
}

/* Of so many bytes, not elements: in a wider type they would hold fewer. */
static bool has_vectors(const char *source)
{
	static const char *const words[] = {"vector_size", "__vector",
					    "__m128",	   "__m256",
					    "__m512",	   "float16x",
					    "float32x",	   "float64x"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(source, words[i]))
			return true;
	return false;
}

/* The kernel's own code in a wider type, else as it is, if a compiler takes it;
 * else the user has to write what is right. */
static struct error *make_reference(struct buf *text, struct first_task *f,
				    const struct template *t)
{
	cleanup_buf struct buf kernel = BUF_INIT(2 * KERNEL_LIMIT);
	bool taken = false;

	project_move_includes(&kernel, &f->paths, &f->compiled, f->text.data);
	for (f->kind = REFERENCE_WIDE;; f->kind++) {
		if (!template_can_be(&f->prototype, f->kind) ||
		    (f->kind < REFERENCE_SAME && has_vectors(kernel.data)))
			continue;
		buf_clear(text);
		template_reference(text, t, kernel.data, f->kind);
		f->keeps_values = f->kind == REFERENCE_SAME &&
				  template_keeps_values(kernel.data);
		if (f->kind == REFERENCE_TO_WRITE)
			return NULL;
		TRY(compile_accepts(&taken, &f->line, f->paths.top,
				    f->paths.reference_from_top, text));
		if (taken)
			return NULL;
	}
}

/* An existing reference is kept, because the user wrote it. */
static struct error *write_reference(struct first_task *f,
				     const struct template *t)
{
	static const char wide[] = "it takes the kernel as it is for what is "
				   "right, in a wider type: look it over";
	static const char *const said[] = {
		[REFERENCE_WIDE] = wide,
		[REFERENCE_WIDE_USING] = wide,
		[REFERENCE_SAME] =
			"it takes the kernel as it is for what is right, in "
			"its own precision, rounded up and down: look it over, "
			"or write it in double",
		[REFERENCE_TO_WRITE] =
			"say in it what is right, in double precision, where "
			"#error stands",
	};
	static const char once[] =
		"it takes the kernel as it is for what is right, in its own "
		"precision, and as it keeps values from call to call it is not "
		"rounded up and down, so that other roundings are wrong: write "
		"it in double";
	cleanup_buf struct buf text = BUF_INIT(4 * KERNEL_LIMIT);
	cleanup_free char *name = template_name(&f->prototype);

	if (!f->options.force && file_exists(f->paths.reference)) {
		printf("kept %s: it needs %s_reference and %s_plain\n",
		       f->paths.reference, name, name);
		return NULL;
	}
	TRY(make_reference(&text, f, t));
	written_add_sum(&text);
	TRY(write_new(f->paths.reference, &text, f->options.force));
	printf("wrote %s: %s\n", f->paths.reference,
	       f->keeps_values ? once : said[f->kind]);
	return NULL;
}

/* Is one there that is the user's? With `force` one that init wrote is not. */
static struct error *is_kept(bool *out, const char *path, bool force)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	*out = file_exists(path);
	if (!*out || !force)
		return NULL;
	TRY(file_read(&text, path));
	*out = text.len && !starts_with(text.data, TEMPLATE_SHIM_BEGIN);
	return NULL;
}

/* What makes the kernel callable. */
static struct error *write_shim(struct first_task *f, const struct template *t)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	const struct method_object *object = f->prototype.object;
	bool accepted, kept;

	if (object && !object->is_used)
		object = NULL;
	if (!t->shim)
		return NULL;
	TRY(is_kept(&kept, f->paths.shim, f->options.force));
	if (kept) {
		cleanup_free char *name = template_name(&f->prototype);

		printf("kept %s: it includes %s and defines %s_entry\n",
		       f->paths.shim, t->kernel, name);
		return NULL;
	}
	template_shim(&text, t);
	TRY(write_new(f->paths.shim, &text, f->options.force));
	TRY(compile_accepts(&accepted, &f->line, f->paths.top,
			    f->paths.shim_from_top, &text));
	printf("wrote %s: it makes %s%s%s%s\n", f->paths.shim,
	       f->prototype.n_states ? "the state that "
	       : object		     ? "an object of what "
				     : "",
	       f->prototype.name,
	       object || f->prototype.n_states
		       ? " uses, and calls it"
		       : " callable, which no other file can call",
	       accepted ? "" : "; it does not compile yet: it needs your hand");
	return NULL;
}

/* What its arrays are; and its remaining faults, which only the user can
 * correct. */
static void read_back(struct first_task *f, struct template *t)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_task struct task *task = NULL;

	template_task(&text, t);
	f->fault = task_parse(&task, f->paths.task, text.data, text.len);
	if (f->fault)
		return;
	task_shapes(&f->shapes, task);
	t->shapes = f->shapes.data;
}

static void say_what_is_left(const struct first_task *f)
{
	cleanup_buf struct buf message = BUF_INIT(BUF_LIMIT_TEXT);

	if (!f->fault)
		return;
	out_clean_line(&message, error_message(f->fault));
	printf("it needs your hand: %s\n", message.data);
}

static void say_left_out(const struct compile_line *line)
{
	cleanup_buf struct buf flags = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < line->left_out.n; i++) {
		buf_adds(&flags, i ? " " : "");
		out_clean_line(&flags, line->left_out.v[i]);
	}
	if (flags.len)
		printf("left out of the flags: %s\n", flags.data);
}

static void add_word(struct buf *out, const char *word)
{
	buf_addc(out, ' ');
	out_shell_word(out, word);
}

/* Is the file as HEAD has it, so that nothing of it is left to commit? */
static bool is_committed(struct gitstore *g, const char *path,
			 const char *from_top)
{
	cleanup_buf struct buf text = BUF_INIT(4 * KERNEL_LIMIT);
	cleanup_buf struct buf here = BUF_INIT(4 * KERNEL_LIMIT);
	cleanup_error struct error *err = NULL;
	struct commit_id head;

	err = gitstore_resolve(&head, g, "HEAD");
	if (!err)
		err = gitstore_file(&text, g, head.hex, from_top);
	if (!err)
		err = file_read(&here, path);
	return !err && text.len == here.len &&
	       memcmp(text.data, here.data, text.len) == 0;
}

/* What is new or changed of the task's files and the kernel's. */
static void add_changed(struct buf *out, struct gitstore *g,
			const struct first_task *f)
{
	const struct project_paths *p = &f->paths;
	const char *const files[][2] = {
		{p->task, p->task_from_top},
		{p->reference, p->reference_from_top},
		{f->needs_shim ? p->shim : NULL, p->shim_from_top},
		{f->kernel, p->from_top},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i][0] && !is_committed(g, files[i][0], files[i][1]))
			add_word(out, files[i][0]);
}

static void say_next(struct gitstore *g, const struct first_task *f)
{
	cleanup_buf struct buf files = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf task = BUF_INIT(BUF_LIMIT_TEXT);

	add_changed(&files, g, f);
	if (!project_is_default(&f->paths)) {
		buf_adds(&task, " --task");
		add_word(&task, f->paths.task);
	}
	if (files.len)
		printf("\nthen commit them and see what the kernel is worth:\n"
		       "  git add%s\n"
		       "  git commit -m 'a task for avogit'\n",
		       files.data);
	else
		printf("\nall of it is committed already; see what the kernel "
		       "is worth:\n");
	printf("  avogit score%s\n"
	       "  avogit evolve%s\n",
	       task.data, task.data);
}

/* A result that is not looked at may be all that the kernel gives. */
static void say_dropped(const struct prototype *p)
{
	cleanup_buf struct buf type = BUF_INIT(BUF_LIMIT_TEXT);

	if (!template_drops_result(p))
		return;
	out_clean_line(&type, p->result);
	printf("what %s returns, `%s`, is not looked at: where the result is "
	       "behind it, docs/task.md, \"A result behind a pointer\"\n",
	       p->name, type.data);
}

/* With every inline function of it, methods within a class too, made. */
static struct error *read_inline(struct compiled *out, struct first_task *f)
{
	cleanup_strvec struct strvec flags = STRVEC_INIT;
	struct compile_line line = f->line;

	/* The task does without the last. */
	strvec_extend(&flags, &f->line.flags);
	strvec_push(&flags, "-fkeep-inline-functions");
	line.flags = flags;
	return compile_read(out, f->language, &line, f->paths.top,
			    f->paths.from_top, NULL);
}

static bool has_wanted(const struct compiled *c, const char *entry)
{
	return entry ? choose_has(&c->functions, entry) : c->functions.n > 0;
}

/* Of a header of templates the user says which, by the hint that names one. */
static bool is_settled(const struct first_task *f)
{
	const char *entry = f->options.entry;
	cleanup_free char *named = entry ? NULL
					 : template_in_source(f->text.data);

	return named || has_wanted(&f->compiled, entry);
}

/* A function that the compiler makes only when it is used: a template, one that
 * is inline. Then no other file can call it either. */
static void read_with_use(struct first_task *f)
{
	const char *entry = f->options.entry;

	for (int with_use = entry != NULL; with_use >= 0; with_use--) {
		cleanup_compiled struct compiled used = {.text = BUF_INIT(0)};
		cleanup_error struct error *err = NULL;

		if (is_settled(f))
			return;
		err = with_use ? compile_read(&used, f->language, &f->line,
					      f->paths.top, f->paths.from_top,
					      entry)
			       : read_inline(&used, f);
		/* choose_function says that there is none, and what there is. */
		if (err || (!has_wanted(&used, entry) &&
			    (!with_use || f->compiled.functions.n)))
			continue;
		compiled_release(&f->compiled);
		f->compiled = used;
		used = (struct compiled){.text = BUF_INIT(0)};
		f->needs_shim = true;
	}
}

static struct error *take_function(struct first_task *f, bool ask)
{
	const struct function_list *all = &f->compiled.functions;
	cleanup_free char *name = NULL;
	struct prototype *p;

	TRY(choose_function(&p, all, f->language, f->kernel, f->text.data,
			    f->options.entry, ask));
	name = choose_name(all, p);
	if (!str_eq(name, p->name))
		f->declaration = steal(&name);
	f->needs_shim |= p->is_static || is_header(f->kernel);
	f->prototype = *p;
	*p = (struct prototype){0};
	return NULL;
}

/* C and C++: by a compiler. */
static struct error *read_compiled(struct first_task *f)
{
	bool ask = !f->options.yes && isatty(STDIN_FILENO) &&
		   isatty(STDOUT_FILENO);

	TRY(compile_line_find(&f->line, f->language, f->paths.top,
			      f->paths.source, &f->words));
	TRY(compile_read(&f->compiled, f->language, &f->line, f->paths.top,
			 f->paths.from_top, NULL));
	read_with_use(f);
	if (f->line.from)
		printf("read %s with the flags of %s\n", f->kernel,
		       f->line.from);
	say_left_out(&f->line);
	TRY(take_function(f, ask));
	loops_read(&f->prototype, f->compiled.text.data);
	f->needs_shim |=
		(f->prototype.object && f->prototype.object->is_used) ||
		f->prototype.n_states;
	if (ask)
		ask_shapes(&f->prototype);
	return NULL;
}

/* The task that is there. */
static struct error *read_task(struct task **out, const struct first_task *f)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	const struct project_paths *p = &f->paths;

	if (!file_exists(p->task))
		return error_new(ERROR_NOT_FOUND,
				 "init: there is no %s to make a reference "
				 "for: without --reference init writes both",
				 p->task);
	TRY(file_read(&text, p->task));
	TRY(task_parse(out, p->task, text.data, text.len));
	if (strvec_has(&(*out)->reference.sources, p->reference_name))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "init: the reference of %s is not %s, so init did "
			 "not write it",
			 p->task, p->reference_name);
}

/* Only the reference, for the arrays of the task that is there. */
static struct error *write_again(struct gitstore *g, struct first_task *f)
{
	const struct project_paths *p = &f->paths;
	cleanup_task struct task *task = NULL;
	cleanup_template struct template t = {0};

	TRY(read_task(&task, f));
	if (!f->options.force && file_exists(p->reference) &&
	    !written_is_unchanged(p->reference) &&
	    !is_committed(g, p->reference, p->reference_from_top))
		return error_new(ERROR_REFUSED,
				 "%s is not as init wrote it, and not "
				 "committed: --force overwrites it",
				 p->reference);
	template_take_shapes(&f->prototype, task);
	make_template(&t, f);
	task_shapes(&f->shapes, task);
	t.shapes = f->shapes.data;
	f->options.force = true;
	TRY(write_reference(f, &t));
	say_next(g, f);
	return NULL;
}

static struct error *run(enum exit_code *code, const struct command *self,
			 char **argv)
{
	cleanup_session struct session s = {0};
	cleanup_strvec struct strvec operands = STRVEC_INIT;
	cleanup_first_task struct first_task f = {
		.text = BUF_INIT(KERNEL_LIMIT),
		.shapes = BUF_INIT(BUF_LIMIT_TEXT),
		.compiled = {.text = BUF_INIT(0)}};
	cleanup_template struct template t = {0};

	(void)code;
	TRY(command_parse(self, &f.options, &operands, argv));
	TRY(read_operands(&f, &operands));
	TRY(session_open(&s, NULL));
	TRY(project_find(&f.paths, gitstore_work_dir(s.git), f.kernel,
			 f.options.output, f.language));
	f.reference = xstrdup(f.paths.reference_name);
	TRY(file_read(&f.text, f.kernel));
	if (f.language == LANGUAGE_CUDA)
		TRY(prototype_read(&f.prototype, f.kernel, f.text.data,
				   f.options.entry));
	else
		TRY(read_compiled(&f));
	if (f.options.reference)
		return write_again(s.git, &f);
	make_template(&t, &f);
	sizes_choose(&t, f.paths.task);
	read_back(&f, &t);
	TRY(write_task(&f, &t));
	TRY(write_reference(&f, &t));
	TRY(write_shim(&f, &t));
	say_dropped(&f.prototype);
	say_what_is_left(&f);
	TRY(settings_offer(s.git, f.options.yes));
	say_next(s.git, &f);
	return NULL;
}

const struct command command_init = {
	.name = "init",
	.operands = "KERNEL [-- FLAG...]",
	.summary = "writes a task file for a kernel",
	.about = "Writes a commented avogit.yaml for a kernel in C (NAME.c) or "
		 "C++ (NAME.cpp), or in CUDA\n(NAME.cu with an extern \"C\" "
		 "function that takes a stream last), and a reference, into\n"
		 "this folder. C and C++ are read by a compiler, in the "
		 "sandbox, with the project's flags:\nthose after --, else "
		 "those of a compile_commands.json above the kernel. Shapes "
		 "are read\nfrom the loops; what cannot be read is a marked "
		 "guess.",
	.options = options,
	.min_operands = 1,
	.max_operands = 4096,
	.run = run,
};
