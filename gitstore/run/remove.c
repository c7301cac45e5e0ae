#include "gitstore/run/remove.h"

#include <dirent.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "gitstore/git/internal.h"
#include "gitstore/journal/cache.h"
#include "gitstore/run/logs.h"
#include "gitstore/run/steps.h"

void removal_release(struct removal *r)
{
	strvec_release(&r->branches);
	strvec_release(&r->journals);
	strvec_release(&r->logs);
	strvec_release(&r->kept);
	strvec_release(&r->unfinished);
}

/* ---- what is removed --------------------------------------------------- */

static struct error *names_below(struct strvec *out, struct gitstore *g,
				 const char *run, const char *part)
{
	cleanup_free char *prefix = xasprintf(JOURNAL_REFS "%s/%s/", run, part);

	return ref_names(out, g, prefix);
}

static struct error *plan_branches(struct removal *r, struct gitstore *g)
{
	cleanup_free char *prefix = xasprintf(BRANCH_REFS "%s/", r->run);
	cleanup_strvec struct strvec all = STRVEC_INIT;

	TRY(ref_names(&all, g, prefix));
	for (size_t i = 0; i < all.n; i++) {
		const char *ref = all.v[i];
		bool ours = branch_is_ours(ref + strlen(prefix));

		strvec_push(ours ? &r->branches : &r->kept, ref);
		if (ours && ref_is_checked_out(g, ref))
			return error_new(ERROR_REFUSED,
					 "branch %s is checked out: `git "
					 "switch` to another one first",
					 ref + strlen("refs/heads/"));
	}
	return NULL;
}

static void plan_unfinished(struct removal *r, const struct gitstore *g)
{
	cleanup_free char *folder = run_log_folder(g, r->run);
	cleanup_free char *step = run_step_path(g, r->run);
	DIR *d = opendir(folder);

	for (struct dirent *e; d && (e = readdir(d));)
		if (!str_eq(e->d_name, ".") && !str_eq(e->d_name, ".."))
			strvec_pushf(&r->unfinished, "%s/%s", folder,
				     e->d_name);
	if (d)
		closedir(d);
	if (file_exists(step))
		strvec_push(&r->unfinished, step);
	strvec_sort(&r->unfinished);
}

struct error *removal_plan(struct removal *out, struct gitstore *g,
			   const char *run)
{
	cleanup_removal struct removal r = {.journals = STRVEC_INIT};

	TRY(run_name_check(run));
	snprintf(r.run, sizeof r.run, "%s", run);
	TRY(plan_branches(&r, g));
	TRY(names_below(&r.journals, g, run, "journal"));
	TRY(names_below(&r.logs, g, run, "logs"));
	plan_unfinished(&r, g);
	*out = r;
	r = (struct removal){.journals = STRVEC_INIT};
	return NULL;
}

/* ---- whose it is --------------------------------------------------------- */

static bool has_mark(const struct strvec *refs, const char *writer)
{
	cleanup_free char *end = xasprintf("/removed/%s", writer);

	for (size_t i = 0; i < refs->n; i++)
		if (ends_with(refs->v[i], end))
			return true;
	return false;
}

struct error *removal_is_of_others(bool *out, struct gitstore *g,
				   const struct removal *r)
{
	cleanup_strvec struct strvec refs = STRVEC_INIT;

	*out = false;
	TRY(ref_names(&refs, g, JOURNAL_REFS));
	for (size_t i = 0; i < r->journals.n; i++) {
		const char *writer = strrchr(r->journals.v[i], '/') + 1;

		if (!gitstore_is_writer(g, writer) && !has_mark(&refs, writer))
			*out = true;
	}
	return NULL;
}

/* ---- the marks ----------------------------------------------------------- */

static struct error *write_mark(struct gitstore *g, const char *run,
				const char *journal)
{
	const char *writer = strrchr(journal, '/') + 1;
	cleanup_free char *ref = removed_mark_ref(run, writer);
	cleanup_free char *message = NULL;
	struct commit_spec spec = {0};
	struct commit_id tip;
	git_oid at, before, id;

	TRY(ref_read(&at, g, journal));
	TRY(ref_read(&before, g, ref));
	tip = oid_hex(&at);
	message = xasprintf("removed the journal of %s in run %s\n\nIt was at "
			    "%s.\n",
			    writer, run, tip.hex);
	TRY(empty_tree(&spec.tree, g));
	spec.message = message;
	TRY(commit_write(&id, g, &spec));
	return ref_move(g, ref, &id, &before);
}

/* ---- removing ---------------------------------------------------------- */

static struct error *delete_all(struct gitstore *g, const struct strvec *refs)
{
	for (size_t i = 0; i < refs->n; i++)
		TRY(ref_delete(g, refs->v[i]));
	return NULL;
}

/* Removes links without following them; a cache that stays does no harm. */
static struct error *delete_private(const struct gitstore *g, const char *run)
{
	cleanup_free char *logs = run_log_folder(g, run);
	cleanup_free char *cache = cache_path(g, run);

	unlink(cache);
	TRY(run_step_save(g, run, NULL));
	return dir_remove(logs);
}

struct error *removal_do(struct gitstore *g, const struct removal *r)
{
	cleanup_store_lock struct gitstore *held = NULL;

	TRY(store_lock(&held, g));
	for (size_t i = 0; i < r->journals.n; i++)
		TRY(write_mark(g, r->run, r->journals.v[i]));
	TRY(delete_all(g, &r->branches));
	TRY(delete_all(g, &r->logs));
	TRY(delete_private(g, r->run));
	return delete_all(g, &r->journals);
}

bool ref_is_of_run(const char *ref, const char *run)
{
	cleanup_free char *own = xasprintf(JOURNAL_REFS "%s/", run);
	cleanup_free char *branches = xasprintf(BRANCH_REFS "%s/", run);

	return starts_with(ref, own) ||
	       (starts_with(ref, branches) &&
		branch_is_ours(ref + strlen(branches)));
}
