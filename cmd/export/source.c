#include "cmd/export/source.h"

#include <ctype.h>

#include "cmd/session/which_run.h"
#include "cmd/ui/out.h"
#include "core/base/text.h"
#include "scorer/build/build.h"
#include "scorer/build/exports.h"

#define LICENCE_LIMIT ((size_t)1 << 20)

void export_source_release(struct export_source *s)
{
	free(s->function);
	free(s->package);
	free(s->space);
	strvec_release(&s->sources);
	strvec_release(&s->flags);
	strvec_release(&s->libs);
	free(s->arch);
	free(s->entry.symbol);
	free(s->prepare.symbol);
	free(s->setup.symbol);
	free(s->licence_file);
	free(s->licence);
	fileset_release(&s->out);
	candidate_release(&s->candidate);
	pick_release(&s->pick);
	session_release(&s->session);
}

/* ---- the candidate and its task ------------------------------------------ */

static struct error *find_candidate(struct export_source *s, const char *rev,
				    const char *run)
{
	struct session *session = &s->session;
	char of_run[RUN_NAME_MAX + 1];
	struct commit_id id;

	TRY(which_candidate(&id, of_run, session, "export", rev, run));
	return pick_prepare(&s->pick, session->git, id.hex, of_run,
			    "name an attempt (RUN#N, `avogit log` has them), "
			    "or `avogit score --run NAME -m TEXT` makes the "
			    "work tree one of a run that began before it");
}

static struct error *read_task(struct export_source *s)
{
	struct session *session = &s->session;
	cleanup_population struct population run = {0};

	if (*s->pick.run)
		TRY(gitstore_recent(&run, session->git, s->pick.run, 1));
	return session_run_task(session, s->pick.base.hex,
				run.record.task_path);
}

/* Shells, make and Python read such a path as it is. */
static bool is_plain_path(const char *path)
{
	for (const char *p = path; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-+/@=,", *p))
			return false;
	return *path != '-' && *path != '/';
}

struct error *export_check_path(const char *path)
{
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	if (is_plain_path(path))
		return NULL;
	text_add_line(&clean, path, strlen(path));
	return error_new(ERROR_REFUSED,
			 "export: the path '%s' has characters that a build "
			 "elsewhere may read as something else: rename it to "
			 "letters, digits and . _ - + @ = ,",
			 clean.data);
}

static struct error *check_paths(const struct export_source *s)
{
	for (size_t i = 0; i < s->candidate.files.n; i++)
		TRY(export_check_path(s->candidate.files.file[i].path));
	for (size_t i = 0; i < s->task->include.n; i++)
		TRY(export_check_path(s->task->include.v[i]));
	return *s->task->prefix ? export_check_path(s->task->prefix) : NULL;
}

/* Letters, digits and '_', and not a digit first. */
static char *identifier(const char *name)
{
	char *out = xasprintf("%s%s", isdigit((unsigned char)*name) ? "_" : "",
			      name);

	for (char *p = out; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	return out;
}

/* Small letters and no '_' at the end, which is what all registries take. */
static char *package_name(const char *function)
{
	char *out = xasprintf("avogit_%s", function);

	for (char *p = out; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	for (size_t n = strlen(out); out[n - 1] == '_'; n--)
		out[n - 1] = '\0';
	return out;
}

static void add_flags(struct export_source *s, const struct strvec *flags)
{
	for (size_t i = 0; i < flags->n; i++)
		strvec_push(starts_with(flags->v[i], "-l") ? &s->libs
							   : &s->flags,
			    flags->v[i]);
}

/* Python: all files of the sources, which are below the task's folder. */
static void add_sources(struct export_source *s)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	task_source_patterns(&patterns, s->task);
	for (size_t i = 0; i < s->candidate.files.n; i++) {
		const char *path = s->candidate.files.file[i].path;

		if (ends_with(path, ".py") && path_matches(path, &patterns))
			strvec_push(&s->sources, path);
	}
}

static struct error *read_build(struct export_source *s)
{
	const struct task *t = s->task;
	cleanup_strvec struct strvec chosen = STRVEC_INIT;
	cleanup_free char *refusal =
		t->python ? NULL
			  : build_candidate_sources(&s->sources, &chosen, t,
						    &s->candidate.files);
	const char *arch =
		s->pick.measurement
			? measurement_get(s->pick.measurement, "arch")
			: NULL;

	if (refusal)
		return error_new(ERROR_REFUSED, "export: %s", refusal);
	if (t->python)
		add_sources(s);
	if (t->language == LANGUAGE_CUDA) {
		if (!arch || !arch_is_name(arch))
			arch = t->cuda.arch ? t->cuda.arch : BUILD_ARCH_DEFAULT;
		s->arch = xstrdup(arch);
	}
	add_flags(s, &t->flags);
	add_flags(s, &chosen);
	add_flags(s, &t->project.libs);
	return NULL;
}

/* ---- functions ----------------------------------------------------------- */

/* C++: the object knows what the linker calls them. */
static struct error *build_symbols(struct export_source *s)
{
	cleanup_sandbox struct sandbox *sandbox = NULL;
	cleanup_builder struct builder *builder = NULL;
	cleanup_free char *cache = session_cache_folder();
	cleanup_build struct build built = BUILD_INIT;
	struct export_function *all[] = {&s->entry, &s->prepare, &s->setup};

	TRY(sandbox_probe(&sandbox));
	TRY(builder_new(&builder, s->task, sandbox, cache, NULL));
	TRY(build_candidate(&built, builder, &s->candidate.files));
	if (!built.ok)
		return error_new(
			ERROR_REFUSED,
			"export: the candidate does not build here, so "
			"that its functions' names for the linker are "
			"not known: %s",
			built.first_error);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i]->name)
			all[i]->symbol =
				exports_symbol(built.object_fd, all[i]->name);
	return NULL;
}

static struct error *check_symbol(const struct export_function *f)
{
	for (const char *p = f->symbol; p && *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_.$", *p))
			return error_new(ERROR_REFUSED,
					 "export: the function '%s' has no "
					 "plain name for the linker",
					 f->name);
	return NULL;
}

static struct error *find_functions(struct export_source *s)
{
	const struct task *t = s->task;
	struct export_function *all[] = {&s->entry, &s->prepare, &s->setup};

	s->entry.name = t->entry;
	s->prepare.name = t->prepare;
	s->setup.name = t->setup;
	if (t->language == LANGUAGE_CXX)
		TRY(build_symbols(s));
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i]->name && !all[i]->symbol)
			all[i]->symbol = xstrdup(all[i]->name);
		TRY(check_symbol(all[i]));
	}
	return NULL;
}

/* ---- the licence --------------------------------------------------------- */

static const struct {
	const char *text, *and_text, *id;
} licences[] = {
	{"Apache License", "Version 2.0", "Apache-2.0"},
	{"GNU AFFERO GENERAL PUBLIC LICENSE", "Version 3", "AGPL-3.0"},
	{"GNU LESSER GENERAL PUBLIC LICENSE", "Version 3", "LGPL-3.0"},
	{"GNU LESSER GENERAL PUBLIC LICENSE", "Version 2.1", "LGPL-2.1"},
	{"GNU GENERAL PUBLIC LICENSE", "Version 3", "GPL-3.0"},
	{"GNU GENERAL PUBLIC LICENSE", "Version 2", "GPL-2.0"},
	{"Mozilla Public License", "2.0", "MPL-2.0"},
	{"Boost Software License", "Version 1.0", "BSL-1.0"},
	{"Permission is hereby granted, free of charge", "MIT License", "MIT"},
	{"Redistribution and use in source and binary forms",
	 "Neither the name", "BSD-3-Clause"},
	{"Redistribution and use in source and binary forms",
	 "THIS SOFTWARE IS PROVIDED", "BSD-2-Clause"},
	{"Permission to use, copy, modify, and/or distribute", "ISC", "ISC"},
};

/* "SPDX-License-Identifier: MIT" anywhere in the text; else by its words. */
static char *licence_of(const char *text)
{
	static const char tag[] = "SPDX-License-Identifier:";
	const char *at = strstr(text, tag);
	size_t len;

	if (at) {
		at += sizeof tag - 1;
		at += strspn(at, " \t");
		len = strspn(at, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+");
		if (len)
			return xstrndup(at, len);
	}
	for (size_t i = 0; i < ARRAY_SIZE(licences); i++)
		if (strstr(text, licences[i].text) &&
		    strstr(text, licences[i].and_text))
			return xstrdup(licences[i].id);
	return NULL;
}

static struct error *put_licence(struct export_source *s, const char *path)
{
	cleanup_buf struct buf text = BUF_INIT(LICENCE_LIMIT);

	TRY(gitstore_file(&text, s->session.git, s->pick.of.hex, path));
	s->licence_file = xstrdup(path);
	s->licence = licence_of(text.data);
	return export_put(s, path, &text);
}

/* The sources' own word, else the file's. */
static struct error *find_licence(struct export_source *s)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_strvec struct strvec found = STRVEC_INIT;

	strvec_pushl(&patterns, "LICENSE*", "LICENCE*", "COPYING*", NULL);
	TRY(gitstore_paths(&found, s->session.git, s->pick.of.hex, &patterns));
	for (size_t i = 0; i < found.n && !s->licence_file; i++)
		if (is_plain_path(found.v[i]))
			TRY(put_licence(s, found.v[i]));
	for (size_t i = 0; i < s->sources.n && !s->licence; i++) {
		const struct file_entry *f =
			fileset_get(&s->candidate.files, s->sources.v[i]);

		if (strstr(f->data, "SPDX-License-Identifier:"))
			s->licence = licence_of(f->data);
	}
	return NULL;
}

struct error *export_read(struct export_source *s, const char *rev,
			  const char *run)
{
	cleanup_archive struct archive *archive = NULL;

	TRY(find_candidate(s, rev, run));
	TRY(read_task(s));
	s->task = s->session.at.task;
	if (s->task->language == LANGUAGE_RUNNER && !s->task->python)
		return error_new(ERROR_REFUSED,
				 "export: a kernel in %s is its sources: `git "
				 "show` has them; C, C++, CUDA and Python are "
				 "exported",
				 task_language(s->task));
	s->function = identifier(s->task->name);
	s->package = package_name(s->function);
	s->space = xstrdup(s->package);
	TRY(gitstore_archive(&archive, s->session.git, s->task,
			     s->pick.base.hex));
	TRY(archive->load(archive, &s->candidate, s->pick.of.hex));
	TRY(check_paths(s));
	TRY(read_build(s));
	TRY(find_functions(s));
	return find_licence(s);
}
