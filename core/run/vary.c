/* One variation step: what the operator gets, and the calls it can make. */
#include "core/base/file.h"
#include "core/run/bench.h"

static struct bench *bench_of(struct variation *v)
{
	return (struct bench *)v;
}

static struct error *bench_catch_up(struct variation *v)
{
	struct loop *l = bench_of(v)->l;

	return l->e->archive->catch_up(l->e->archive, l->p, l->e->run);
}

static bool bench_has_others(struct variation *v)
{
	struct loop *l = bench_of(v)->l;

	return !l->turns && l->e->archive->has_others(l->e->archive);
}

static bool bench_may_go_on(struct variation *v)
{
	return !loop_why_stop(bench_of(v)->l);
}

static void bench_goes_on_from(struct variation *v, const char *id)
{
	struct bench *b = bench_of(v);

	b->after = commit_id(str_eq(id, variation_parent(v)->id.hex) ? "" : id);
}

/* Of what the operator says between two scorings. */
static struct error *record_in_turn(struct loop *l, struct entry *e)
{
	struct error *err;

	TRY(loop_take_turn(l));
	/* held: a remark leaves the index of the parent as it is */
	err = loop_record(l, e);
	loop_give_turn(l);
	return err;
}

static struct error *bench_remark(struct variation *v, const char *text)
{
	struct loop *l = bench_of(v)->l;
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_REMARK, l->e->run);
	e.reason = xstrdup(text);
	TRY(record_in_turn(l, &e));
	loop_tell(l, EVOLVE_REMARKED, NULL, text);
	return NULL;
}

static struct error *bench_keep_artefact(struct variation *v,
					 struct commit_id *id,
					 const struct artefact *a)
{
	struct loop *l = bench_of(v)->l;
	cleanup_free char *line =
		xasprintf("%s: %s", role_name(a->role), a->line);
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_REMARK, l->e->run);
	e.candidate = commit_id(a->about ? a->about : "");
	e.trigger = xstrdup(role_name(a->role));
	e.reason = xstrdup(a->line);
	e.direction = xstrdup_null(a->text);
	e.role_spend = a->spend;
	TRY(record_in_turn(l, &e));
	*id = e.id;
	loop_tell(l, EVOLVE_REMARKED, NULL, line);
	return NULL;
}

static struct error *bench_keep_state(struct variation *v,
				      const char *operator_state)
{
	struct loop *l = bench_of(v)->l;
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_REMARK, l->e->run);
	e.operator_state = xstrdup(operator_state);
	return record_in_turn(l, &e);
}

/* ---- saving -------------------------------------------------------------- */

/* Largest text of a saved step. */
#define STEP_MAX ((size_t)512 << 20)

static struct error *bench_save(struct variation *v, const char *state)
{
	struct bench *b = bench_of(v);
	struct loop *l = b->l;
	struct archive *archive = l->e->archive;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_error struct error *unread = NULL;
	cleanup_free char *text = NULL;
	cleanup_saved_step struct saved_step s = {
		.lineage = v->lineage,
		.after = b->after,
		.seed = v->seed,
		.attempts = l->p->n,
		.time_us = l->p->time_us,
		.spend = l->unrecorded,
		.seconds = loop_spent(l),
		.operator_name = xstrdup(l->e->operator_->name),
		.state = xstrdup_null(state),
	};

	if (!archive->save_step)
		return NULL;
	if (!state)
		return archive->save_step(archive, l->e->run, NULL);
	/* What no candidate can be made of is not worth an end of the run. */
	task_source_patterns(&patterns, l->e->task);
	unread = fileset_read(&s.sources, v->workspace, &patterns);
	if (unread)
		fileset_release(&s.sources);
	text = saved_step_print(&s);
	return archive->save_step(archive, l->e->run, text);
}

struct error *loop_load_step(struct loop *l)
{
	struct archive *archive = l->e->archive;
	cleanup_buf struct buf text = BUF_INIT(STEP_MAX);
	cleanup_error struct error *err = NULL;

	if (!archive->load_step)
		return NULL;
	TRY(archive->load_step(archive, &text, l->e->run));
	if (!text.len)
		return NULL;
	/* Of another version, or damaged: then a new step begins. */
	err = saved_step_parse(&l->saved, text.data, text.len);
	if (err)
		return NULL;
	/* An entry that was written after it has that spend. */
	if (l->saved.time_us == l->p->time_us)
		spend_add(&l->unrecorded, &l->saved.spend);
	return NULL;
}

/* Makes the workspace hold these sources, and no other. */
static struct error *put_sources(const struct bench *b,
				 const struct fileset *sources)
{
	const char *dir = b->workspace.dir;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_fileset struct fileset there = FILESET_INIT;

	if (!sources->n)
		return NULL;
	task_source_patterns(&patterns, b->l->e->task);
	TRY(fileset_read(&there, dir, &patterns));
	for (size_t i = 0; i < there.n; i++) {
		cleanup_free char *path =
			xasprintf("%s/%s", dir, there.file[i].path);

		if (!fileset_get(sources, there.file[i].path))
			TRY(dir_remove(path));
	}
	return fileset_write(sources, dir);
}

/* ---- building ahead ------------------------------------------------------ */

static struct error *load_base(struct bench *b)
{
	struct archive *archive = b->l->e->archive;
	const char *id = variation_parent(&b->v)->id.hex;

	if (str_eq(b->base.id.hex, id))
		return NULL;
	candidate_release(&b->base);
	b->base = (struct candidate){0};
	return archive->load(archive, &b->base, id);
}

static struct error *foreseen(struct candidate *out, struct bench *b,
			      const struct fileset *sources)
{
	TRY(load_base(b));
	TRY(fileset_copy(&out->files, &b->base.files));
	for (size_t i = 0; i < sources->n; i++)
		TRY(fileset_put(&out->files, sources->file[i].path,
				sources->file[i].data, sources->file[i].len,
				sources->file[i].executable));
	fileset_id(out->sources_id, sources);
	return NULL;
}

static size_t choose_ahead(struct evaluator *e)
{
	return e->build_ahead ? e->choose_ahead(e) : 0;
}

struct error *bench_candidate(struct candidate *out, struct bench *b)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_fileset struct fileset sources = FILESET_INIT;

	task_source_patterns(&patterns, b->l->e->task);
	TRY(fileset_read(&sources, b->workspace.dir, &patterns));
	return foreseen(out, b, &sources);
}

static bool bench_foresee(struct variation *v, const struct fileset *sources,
			  bool is_sure)
{
	struct bench *b = (struct bench *)v;
	struct evaluator *evaluator = b->l->e->evaluator;
	cleanup_candidate struct candidate c = {0};
	cleanup_error struct error *err = NULL;

	err = foreseen(&c, b, sources);
	return !err && evaluator->build_ahead(evaluator, &c, is_sure);
}

static struct error *record_attempt(struct bench *b, const char *id,
				    const struct proposal *proposal,
				    const char *operator_state)
{
	cleanup_entry struct entry e;

	entry_init(&e, ENTRY_ATTEMPT, b->l->e->run);
	e.candidate = commit_id(id);
	e.parent = variation_parent(&b->v)->id;
	e.after = b->after;
	e.number = proposal->number;
	e.lineage = b->v.lineage;
	e.subject = xstrdup(proposal->subject);
	e.hypothesis = xstrdup_null(proposal->hypothesis);
	e.operator_state = xstrdup_null(operator_state);
	e.artefacts = xstrdup_null(b->v.artefacts);
	return loop_record(b->l, &e);
}

/* What the step goes on from. One of several agents or processes keeps its parent until an
 * attempt of its own is accepted, since its workspace does not have what
 * another agent has made the tip meanwhile. */
static size_t parent_now(const struct bench *b, const char *id,
			 const struct lineage *lineage, bool intervened)
{
	const struct attempt *mine = population_find(b->l->p, id);

	if ((!b->agent && !loop_is_shared(b->l)) || intervened ||
	    (mine && mine->accepted) || !variation_parent(&b->v)->accepted)
		return lineage->tip;
	return b->v.parent;
}

/* The lineage that was begun for this step since it was last asked for, of which
 * the run had `before`: by the supervisor, or by a migration to its island. NULL:
 * none was. */
static const struct lineage *begun_for(struct bench *b, size_t before)
{
	const struct population *p = b->l->p;
	size_t known = b->island.n ? b->newest : before - 1;

	b->newest = islands_newest(p, b->island);
	return b->newest > known ? &p->lineage[b->newest] : NULL;
}

/* An accepted attempt is the tip, and the step goes on from it: the next score
 * is a change to it. After a rejected one the workspace stays edited on that.
 * If the supervisor intervened, or a champion came to its island, the step goes
 * on in the new lineage, because some operators make a whole run in one step. */
static struct error *continue_step(struct bench *b, const char *id)
{
	const struct population *p = b->l->p;
	size_t before = p->n_lineages;
	const struct lineage *lineage, *begun;

	if (!loop_why_stop(b->l)) {
		TRY(loop_supervise(b->l, b->island));
		TRY(loop_migrate(b->l));
	}
	begun = begun_for(b, before);
	if (begun)
		b->v.lineage = begun->number;
	lineage = population_lineage(p, b->v.lineage);
	if (lineage)
		b->v.parent = parent_now(b, id, lineage, begun != NULL);
	bench_goes_on_from(&b->v, id);
	b->v.direction = lineage ? lineage->direction : NULL;
	return NULL;
}

/* The operator calls this: the workspace becomes a commit, the commit an
 * attempt, and the attempt is measured. */
static struct error *score_in_turn(struct bench *b, const struct attempt **out,
				   const char *subject, const char *hypothesis,
				   const char *operator_state)
{
	struct variation *v = &b->v;
	struct loop *l = b->l;
	struct archive *archive = l->e->archive;
	struct commit_id id;
	bool same;
	struct proposal proposal = {
		.subject = subject,
		.hypothesis = hypothesis,
		.operator_name = b->operator_->name,
		.assisted_by = b->operator_->assisted_by,
		.after = *b->after.hex ? b->after.hex : NULL,
		.run = l->e->run,
		.number = population_next_number(l->p),
		.island = b->island.number,
	};

	*out = NULL;
	if (loop_why_stop(l))
		return NULL;
	TRY(archive->seal(archive, &id, &same, &b->workspace,
			  variation_parent(v)->id.hex, &proposal));
	if (same || population_find(l->p, id.hex))
		return NULL;
	TRY(record_attempt(b, id.hex, &proposal, operator_state));
	v->made = id;
	l->attempts++;
	/* Also if its measurement is cancelled. */
	bench_goes_on_from(v, id.hex);
	TRY(loop_measure(l, id.hex));
	TRY(continue_step(b, id.hex));
	*out = population_find(l->p, id.hex);
	return NULL;
}

struct error *bench_score(struct variation *v, const struct attempt **out,
			  const char *subject, const char *hypothesis,
			  const char *operator_state)
{
	struct bench *b = bench_of(v);
	struct error *err;

	*out = NULL;
	TRY(loop_take_turn(b->l));
	err = score_in_turn(b, out, subject, hypothesis, operator_state);
	loop_give_turn(b->l);
	return err;
}

static struct error *again_in_turn(struct bench *b, const struct attempt **out,
				   const char *id)
{
	struct loop *l = b->l;
	const struct attempt *a = population_find(l->p, id);
	struct commit_id of;

	*out = NULL;
	if (loop_why_stop(l))
		return NULL;
	if (!a)
		return error_new(ERROR_NOT_FOUND, "no attempt has commit %s",
				 id);
	of = a->id;
	l->attempts++;
	TRY(loop_measure_again(l, (size_t)(a - l->p->attempt), false));
	TRY(continue_step(b, of.hex));
	*out = population_find(l->p, of.hex);
	return NULL;
}

/* It may win the crown, and is the tip then. */
struct error *bench_measure_again(struct variation *v,
				  const struct attempt **out, const char *id)
{
	struct bench *b = bench_of(v);
	struct error *err;

	*out = NULL;
	TRY(loop_take_turn(b->l));
	err = again_in_turn(b, out, id);
	loop_give_turn(b->l);
	return err;
}

struct error *bench_open(struct bench *b, struct loop *l,
			 const struct lineage *lineage, uint64_t seed)
{
	struct archive *archive = l->e->archive;
	const struct attempt *parent = &l->p->attempt[lineage->tip];

	*b = (struct bench){.l = l, .operator_ = l->e->operator_};
	TRY(archive->open_workspace(archive, &b->workspace, parent->id.hex));
	b->v = (struct variation){
		.task = l->e->task,
		.population = l->p,
		.parent = lineage->tip,
		.lineage = lineage->number,
		.direction = lineage->direction,
		.workspace = b->workspace.dir,
		.seed = seed,
		.archive = archive,
		.evaluator = l->e->evaluator,
		.sandbox = l->e->sandbox,
		.tuner = l->e->tuner,
		.score = bench_score,
		.measure_again = bench_measure_again,
		.foresee = l->e->evaluator->build_ahead ? bench_foresee : NULL,
		.ahead = choose_ahead(l->e->evaluator),
		.may_go_on = bench_may_go_on,
		.allowance = &l->allowance,
		.goes_on_from = bench_goes_on_from,
		.remark = bench_remark,
		.keep_artefact = bench_keep_artefact,
		.keep_state = bench_keep_state,
		.save = bench_save,
		.catch_up = archive->catch_up ? bench_catch_up : NULL,
		.has_others = archive->has_others ? bench_has_others : NULL,
	};
	return NULL;
}

void bench_close(struct bench *b)
{
	struct archive *archive = b->l->e->archive;

	archive->close_workspace(archive, &b->workspace);
	candidate_release(&b->base);
}

void loop_look_ahead(struct loop *l, const struct lineage *lineage)
{
	struct variation_operator *op = l->e->operator_;
	cleanup_error struct error *err = NULL;
	struct bench b;

	if (!op->look_ahead || !l->e->evaluator->build_ahead)
		return;
	/* The same error comes again, and is reported, when it is its turn. */
	err = bench_open(&b, l, lineage, l->p->record.seed);
	if (err)
		return;
	err = op->look_ahead(op, &b.v);
	free(b.v.because);
	bench_close(&b);
}

/* Opens a bench on the lineage, as it was saved if `saved` is not NULL, and
 * lets the operator work there. */
static struct error *vary(struct loop *l, const struct lineage *lineage,
			  const struct saved_step *saved)
{
	uint64_t seed = saved ? saved->seed : random_u64(&l->random);
	size_t tip = lineage->tip;
	enum varied varied = VARIED_NOTHING;
	struct error *err;
	struct bench b;

	TRY(bench_open(&b, l, lineage, seed));
	if (saved) {
		bench_goes_on_from(&b.v,
				   *saved->after.hex
					   ? saved->after.hex
					   : variation_parent(&b.v)->id.hex);
		b.v.saved = saved->state;
		b.v.saved_attempts = saved->attempts;
	}
	err = saved ? put_sources(&b, &saved->sources) : NULL;
	l->varying = &b.v;
	loop_give_turn(l);
	if (!err)
		err = l->e->operator_->vary(l->e->operator_, &varied, &b.v);
	l->varying = NULL;
	if (!err)
		err = loop_take_turn(l);
	bench_close(&b);
	loop_step_ended(l, varied, tip, b.v.because);
	return err;
}

struct error *loop_vary(struct loop *l, const struct lineage *lineage)
{
	return vary(l, lineage, NULL);
}

struct error *loop_resume_step(bool *resumed, struct loop *l)
{
	cleanup_saved_step struct saved_step s = l->saved;
	const struct lineage *lineage;

	l->saved = (struct saved_step){0};
	*resumed = false;
	if (!s.there || !str_eq(s.operator_name, l->e->operator_->name))
		return NULL;
	lineage = population_lineage(l->p, s.lineage);
	if (!lineage || s.attempts > l->p->n)
		return NULL;
	*resumed = true;
	return vary(l, lineage, &s);
}
