#include "cmd/session/knowledge_base.h"

#include "cmd/ui/report.h"
#include "core/run/outcome.h"

/* Bytes shown of a failure's log, from its start: there is the first error. */
#define LOG_SHOWN 1500

void knowledge_gaps_release(struct knowledge_gaps *g)
{
	strvec_release(&g->why);
	*g = (struct knowledge_gaps){0};
}

/* ---- documents ---------------------------------------------------------- */

/* Reads the work tree, because documents need not be committed; a bare
 * repository's come from the commit. */
static struct error *add_documents(struct documents *d, struct session *s)
{
	const struct strvec *patterns = &s->at.task->knowledge;
	const char *top = gitstore_work_dir(s->git);
	cleanup_fileset struct fileset files = FILESET_INIT;

	if (!patterns->n)
		return NULL;
	if (top)
		return documents_add_tree(d, top, patterns);
	TRY(gitstore_files(&files, s->git, s->at.commit.hex, patterns));
	documents_add_files(d, &files);
	return NULL;
}

static struct error *open_documents(struct knowledge **out,
				    const struct documents *d)
{
	cleanup_free char *cache = session_cache_folder();
	cleanup_sandbox struct sandbox *sandbox = NULL;
	struct knowledge_options options = {.cache_dir = cache};

	if (documents_have(d, DOCUMENT_PDF) && document_pdf_readable())
		TRY(sandbox_probe(&sandbox));
	options.sandbox = sandbox;
	return knowledge_open(out, d, &options);
}

/* ---- what was tried ----------------------------------------------------- */

static void add_outcome(struct buf *out, const struct population *p,
			const struct attempt *a)
{
	char ratio[32];

	report_format_ratio(ratio, sizeof ratio, attempt_speedup(a));
	buf_addf(out, "Outcome: %s; speed over the start of the run: %s.\n",
		 attempt_outcome_name(p, a), ratio);
	if (!a->measurement)
		return;
	buf_adds(out, "Measured: ");
	report_headline(out, a->measurement);
	buf_addc(out, '\n');
}

struct error *knowledge_base_add(struct knowledge *k,
				 const struct population *p,
				 const struct attempt *a,
				 const struct measurement *whole)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *source = xasprintf("run %s", p->record.run);
	cleanup_free char *title =
		xasprintf("#%lld %s", (long long)a->number,
			  a->subject ? a->subject : "the start of the run");

	add_outcome(&text, p, a);
	if (a->hypothesis)
		buf_addf(&text, "Why it should help: %s\n", a->hypothesis);
	if (whole && whole->log)
		buf_addf(&text, "Log: %.*s\n", LOG_SHOWN, whole->log);
	buf_addf(&text, "Commit %.12s on %.12s.\n", a->id.hex, a->parent.hex);
	return knowledge_add(k, source, title, text.data);
}

static struct error *add_run(struct knowledge *k, struct session *s,
			     const char *run)
{
	cleanup_population struct population p;

	population_init(&p);
	TRY(gitstore_population(&p, s->git, run));
	for (size_t i = 0; i < p.n; i++) {
		const struct attempt *a = &p.attempt[i];
		cleanup_measurement struct measurement *old = NULL;

		TRY(gitstore_recall(&old, s->git, a));
		TRY(knowledge_base_add(k, &p, a, old ? old : a->measurement));
	}
	return NULL;
}

/* Stops when the base is full: it is searched as it is. */
static struct error *add_runs(struct knowledge *k, struct session *s)
{
	cleanup_strvec struct strvec runs = STRVEC_INIT;

	TRY(gitstore_runs(&runs, s->git));
	for (size_t i = 0; i < runs.n; i++) {
		struct error *err = add_run(k, s, runs.v[i]);

		if (error_is(err, ERROR_TOO_BIG)) {
			error_free(err);
			return NULL;
		}
		TRY(gitstore_pass_over(err));
	}
	return NULL;
}

struct error *knowledge_base_open(struct knowledge **out,
				  struct knowledge_gaps *gaps,
				  struct session *s)
{
	cleanup_knowledge struct knowledge *k = NULL;
	cleanup_documents struct documents d = DOCUMENTS_INIT;

	documents_add_notes(&d);
	if (s && s->at.task)
		TRY(add_documents(&d, s));
	TRY(open_documents(&k, &d));
	if (s)
		TRY(add_runs(k, s));
	gaps->n = d.skipped;
	strvec_extend(&gaps->why, &d.why);
	*out = steal(&k);
	return NULL;
}
