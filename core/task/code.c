/* Code that is trusted for what it computes, and the launchers' command. */
#include "core/task/reader.h"

#include <ctype.h>

#define WORDS_MAX     64
#define LIBRARIES_MAX 8

static struct error *read_sources(struct strvec *out,
				  const struct task_reader *r,
				  const struct yaml *y, const char *where)
{
	const struct yaml *one = document_get(y, "source");
	const struct yaml *many = document_get(y, "sources");

	if (!one == !many)
		return reader_refuse(r, y, where,
				     "it needs sources (a list) or source");
	TRY(reader_words(out, r, one ? one : many, where));
	if (!out->n)
		return reader_refuse(r, many, where,
				     "sources must name at least one file");
	for (size_t i = 0; i < out->n; i++)
		TRY(reader_path(r, one ? one : many, where, out->v[i]));
	return NULL;
}

static struct error *read_trusted(struct trusted_code *c,
				  const struct task_reader *r,
				  const struct yaml *y, const char *where)
{
	TRY(read_sources(&c->sources, r, y, where));
	if (!document_get(y, "entry"))
		return reader_missing(r, y, where, "entry");
	TRY(reader_function(&c->entry, r, document_get(y, "entry"), where));
	TRY(reader_setup(&c->setup, r, document_get(y, "setup"), where));
	TRY(task_read_flags(&c->flags, r, document_get(y, "flags"), where));
	return task_read_libs(&c->libs, r, document_get(y, "libs"), where);
}

/* `{torch: FILE.py, entry: F}`: a function of Python that takes tensors. */
static struct error *read_torch(struct trusted_code *c,
				const struct task_reader *r,
				const struct yaml *y, const char *where,
				const struct key *keys)
{
	const struct yaml *file = document_get(y, "torch");
	const struct yaml *compile = document_get(y, "compile");

	if (compile && r->task->language != LANGUAGE_CUDA)
		return reader_refuse(r, compile, where,
				     "torch.compile works at the first launch, "
				     "and a sandbox for a CPU lets nothing be "
				     "compiled then: leave compile out");
	TRY(reader_keys(r, y, where, keys, IN_TORCH));
	TRY(reader_word(&c->torch, r, file, where));
	if (!path_is_safe(c->torch))
		return reader_refuse(r, file, where,
				     "torch must be a file of the task's own "
				     "folder");
	TRY(reader_word(&c->compile, r, compile, where));
	if (c->compile && !reader_is_plain_name(c->compile))
		return reader_refuse(r, compile, where,
				     "compile is a mode of torch.compile such "
				     "as default or max-autotune");
	strvec_push(&c->sources, c->torch);
	if (!document_get(y, "entry"))
		return reader_missing(r, y, where, "entry");
	return reader_identifier(&c->entry, r, document_get(y, "entry"), where);
}

static struct error *read_reference(const struct task_reader *r,
				    const struct yaml *y)
{
	struct task *t = r->task;

	TRY(reader_keys(r, y, "reference", keys_reference, ~0U));
	t->reference.name = xstrdup("reference");
	if (document_get(y, "torch")) {
		TRY(read_torch(&t->reference, r, y, "reference",
			       keys_reference));
		return reader_identifier(&t->plain, r, document_get(y, "plain"),
					 "reference.plain");
	}
	TRY(read_trusted(&t->reference, r, y, "reference"));
	TRY(reader_bool(&t->reference_rows, r, document_get(y, "rows"),
			"reference.rows"));
	return reader_function(&t->plain, r, document_get(y, "plain"),
			       "reference.plain");
}

bool reader_is_plain_name(const char *name)
{
	if (!isalnum((unsigned char)*name) || strlen(name) > 40)
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_+.-", *c))
			return false;
	return true;
}

/* The linker and the loader take other characters for the end of a path. */
static bool is_library_path(const char *path)
{
	if (*path != '/' || !path_is_safe(path + 1))
		return false;
	for (const char *c = path; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("/._+-=@", *c))
			return false;
	return true;
}

/* `library: PATH`, which may be a list, and its `version`. */
static struct error *read_library(struct trusted_code *c,
				  const struct task_reader *r,
				  const struct yaml *y, const char *where)
{
	const struct yaml *library = document_get(y, "library");
	const struct yaml *version = document_get(y, "version");

	if (version && !library)
		return reader_missing(r, y, where, "library");
	TRY(reader_words(&c->library, r, library, where));
	if (library && (!c->library.n || c->library.n > LIBRARIES_MAX))
		return reader_refuse(r, library, where,
				     "library must be a path, or a list of at "
				     "most 8");
	for (size_t i = 0; i < c->library.n; i++)
		if (!is_library_path(c->library.v[i]))
			return reader_refuse(r, library, where,
					     "library must be the absolute "
					     "path of a shared library of this "
					     "machine, of letters, digits and "
					     "/._+-=@");
	TRY(reader_word(&c->version, r, version, where));
	if (c->version && !reader_is_plain_name(c->version))
		return reader_refuse(r, version, where,
				     "version is letters, digits and _+.-, a "
				     "letter or digit first");
	return NULL;
}

static struct error *read_baselines(const struct task_reader *r,
				    const struct yaml *y)
{
	struct task *t = r->task;

	if (y->kind != YAML_MAPPING || y->n > MAX_BASELINES)
		return reader_refuse(r, y, "baselines",
				     "it must be a mapping of at most 16 names "
				     "to {sources, entry, libs, library, "
				     "flags}");
	for (size_t i = 0; i < y->n; i++) {
		cleanup_free char *where =
			xasprintf("baselines.%.40s", y->key[i]);
		struct trusted_code *c;

		if (!reader_is_plain_name(y->key[i]))
			return reader_refuse(r, &y->item[i], where,
					     "a baseline's name is letters, "
					     "digits and _+.-, a letter or "
					     "digit first");
		TRY(reader_keys(r, &y->item[i], where, keys_baseline, ~0U));
		GROW(t->baselines, t->n_baselines, t->cap_baselines);
		c = &t->baselines[t->n_baselines++];
		*c = (struct trusted_code){.name = xstrdup(y->key[i])};
		if (document_get(&y->item[i], "torch")) {
			TRY(read_torch(c, r, &y->item[i], where,
				       keys_baseline));
			TRY(reader_function(
				&c->prepare, r,
				document_get(&y->item[i], "prepare"), where));
			continue;
		}
		TRY(read_trusted(c, r, &y->item[i], where));
		TRY(read_library(c, r, &y->item[i], where));
		TRY(reader_function(&c->prepare, r,
				    document_get(&y->item[i], "prepare"),
				    where));
	}
	return NULL;
}

/* In a message and a question of trust a control character would hide what
 * follows it. */
static bool is_plain(const char *word)
{
	for (; *word; word++)
		if (iscntrl((unsigned char)*word))
			return false;
	return true;
}

struct error *reader_plain_words(struct strvec *out,
				 const struct task_reader *r,
				 const struct yaml *y, const char *where)
{
	TRY(reader_words(out, r, y, where));
	if (y && (!out->n || out->n > WORDS_MAX))
		return reader_refuse(r, y, where,
				     "it must be a list of 1 to 64 words");
	for (size_t i = 0; i < out->n; i++)
		if (!is_plain(out->v[i]))
			return reader_refuse(r, y, where,
					     "its words must have no control "
					     "characters");
	return NULL;
}

/* A program in the repository could change after it was trusted. */
bool reader_names_program(const char *word)
{
	return *word == '/' ? path_is_safe(word + 1)
			    : reader_is_plain_name(word);
}

static struct error *read_launcher(const struct task_reader *r,
				   const struct yaml *y)
{
	static const char where[] = "launcher.command";
	struct strvec *words = &r->task->launcher;
	const struct yaml *command;

	TRY(reader_keys(r, y, "launcher", keys_launcher, 0));
	TRY(reader_needed(r, y, "launcher", keys_launcher, 0));
	command = document_get(y, "command");
	TRY(reader_plain_words(words, r, command, where));
	if (!reader_names_program(words->v[0]))
		return reader_refuse(r, command, where,
				     "its first word must be the name of a "
				     "program such as srun, or an absolute "
				     "path");
	return NULL;
}

struct error *task_read_code(struct task_reader *r, const struct yaml *root)
{
	TRY(read_reference(r, document_get(root, "reference")));
	if (document_get(root, "baselines"))
		TRY(read_baselines(r, document_get(root, "baselines")));
	if (document_get(root, "launcher"))
		TRY(read_launcher(r, document_get(root, "launcher")));
	return task_read_build(r, document_get(root, "build"));
}
