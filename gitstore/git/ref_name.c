/* Names of refs: made, checked, and taken apart. */
#include "gitstore/git/internal.h"

struct error *run_name_check(const char *run)
{
	cleanup_free char *ref = xasprintf(BRANCH_REFS "%s/best", run);
	int valid = 0;

	if (*run && strlen(run) <= RUN_NAME_MAX && !strchr(run, '/') &&
	    !strchr(run, '#') && *run != '-' && !str_eq(run, RUN_OUTSIDE) &&
	    git_reference_name_is_valid(&valid, ref) == 0 && valid)
		return NULL;
	return error_new(ERROR_USAGE,
			 "'%s' cannot be the name of a run: it becomes part of "
			 "a branch name, so at most %d letters, digits, '-', "
			 "'_' and '.'",
			 run, RUN_NAME_MAX);
}

char *journal_ref(const char *run, const char *writer)
{
	return xasprintf(JOURNAL_REFS "%s/journal/%s", run, writer);
}

char *removed_mark_ref(const char *run, const char *writer)
{
	return xasprintf(JOURNAL_REFS "%s/removed/%s", run, writer);
}

bool branch_is_ours(const char *leaf)
{
	return str_eq(leaf, "best") || str_eq(leaf, "winner") ||
	       (*leaf && leaf[strspn(leaf, "0123456789")] == '\0');
}

bool run_ref_parse(struct run_ref *out, const char *ref)
{
	const char *run = ref + strlen(JOURNAL_REFS), *kind, *writer;
	cleanup_error struct error *err = NULL;

	*out = (struct run_ref){.kind = RUN_REF_NONE};
	if (!starts_with(ref, JOURNAL_REFS))
		return false;
	kind = strchr(run, '/');
	if (!kind || (size_t)(kind - run) >= sizeof out->run)
		return false;
	memcpy(out->run, run, (size_t)(kind - run));
	writer = strchr(++kind, '/');
	if (!writer || !str_is_hex(writer + 1, WRITER_LEN))
		return false;
	memcpy(out->writer, writer + 1, WRITER_LEN + 1);
	if (starts_with(kind, "journal/"))
		out->kind = RUN_REF_JOURNAL;
	else if (starts_with(kind, "logs/"))
		out->kind = RUN_REF_LOGS;
	if (!str_eq(out->run, RUN_OUTSIDE))
		err = run_name_check(out->run);
	return !err && out->kind != RUN_REF_NONE;
}

bool ref_is_journal(const char *ref)
{
	struct run_ref name;

	return run_ref_parse(&name, ref) && name.kind == RUN_REF_JOURNAL;
}
