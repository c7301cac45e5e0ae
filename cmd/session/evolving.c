#include "cmd/session/evolving.h"

#include "cmd/session/cards.h"

#include <math.h>

#include "agent/tuner/known.h"
#include "agent/tuner/tuner.h"
#include "cmd/session/consent.h"
#include "cmd/session/earlier.h"
#include "cmd/session/failed_start.h"
#include "cmd/session/going_on.h"
#include "cmd/session/session.h"
#include "cmd/session/tuning.h"
#include "cmd/ui/live.h"
#include "cmd/ui/out.h"
#include "cmd/ui/stop.h"
#include "gitstore/sync/repair.h"

/* Names that --run auto tries. */
#define MAX_AUTO_RUNS 99

/* ---- the base ------------------------------------------------------------
 *
 * The winner of a run is a change to its base: the commit where the run begins,
 * or an ancestor of it with the same task. A person wrote the commits between
 * the two, and may have changed sources in them but nothing that the task
 * trusts.
 */

/* Commits examined for the oldest base; files named in a message. */
#define MAX_LOOKED_AT 200
#define MAX_NAMED     4

static bool same_file(const struct file_entry *a, const struct file_entry *b)
{
	return a && b && a->len == b->len &&
	       memcmp(a->data, b->data, a->len) == 0;
}

static void add_missing(struct strvec *out, const struct fileset *from,
			const struct fileset *other,
			const struct strvec *sources)
{
	for (size_t i = 0; i < from->n; i++) {
		const char *path = from->file[i].path;

		if (!path_matches(path, sources) && !strvec_has(out, path) &&
		    !same_file(&from->file[i], fileset_get(other, path)))
			strvec_push(out, path);
	}
}

/* Lists the files that no candidate may change and a person changed:
 * "avogit.yaml, reference.c". */
static void name_differing(struct buf *out, const struct committed_task *now,
			   const struct committed_task *then)
{
	cleanup_strvec struct strvec sources = STRVEC_INIT;
	cleanup_strvec struct strvec paths = STRVEC_INIT;
	cleanup_buf struct buf list = BUF_INIT(BUF_LIMIT_TEXT);

	task_source_patterns(&sources, now->task);
	add_missing(&paths, &now->files, &then->files, &sources);
	add_missing(&paths, &then->files, &now->files, &sources);
	for (size_t i = 0; i < MIN(paths.n, MAX_NAMED); i++)
		buf_addf(&list, "%s%s", i ? ", " : "", paths.v[i]);
	if (paths.n > MAX_NAMED)
		buf_addf(&list, " and %zu more", paths.n - MAX_NAMED);
	out_clean_line(out, list.data);
}

static bool has_same_task(const struct session *s, const char *commit)
{
	cleanup_committed_task struct committed_task then = {0};
	cleanup_error struct error *err =
		committed_task_read(&then, s, commit, s->at.task->path);

	return !err && str_eq(then.id, s->at.id);
}

/* Follows the first parents as far back as the task is the same. */
static struct error *find_oldest(struct commit_id *id, const struct session *s)
{
	*id = s->at.commit;
	for (size_t i = 0; i < MAX_LOOKED_AT; i++) {
		cleanup_commit_info struct commit_info info = {0};

		TRY(gitstore_commit_info(&info, s->git, id->hex));
		if (!info.n_parents || !has_same_task(s, info.parents[0].hex))
			break;
		*id = info.parents[0];
	}
	return NULL;
}

static struct error *refuse(const struct session *s, const char *base,
			    const char *why)
{
	struct commit_id oldest;
	char brief[COMMIT_ID_LEN + 1];

	TRY(find_oldest(&oldest, s));
	gitstore_abbreviate(brief, s->git, oldest.hex);
	return error_new(ERROR_REFUSED,
			 "%.12s cannot be the base of %.12s: %s; the oldest "
			 "commit with the task of now is %s",
			 base, s->at.commit.hex, why, brief);
}

/* Resolves `rev` as the base of a run from s->at. ERROR_REFUSED with the
 * difference and the oldest possible commit if it cannot be one. */
static struct error *base_find(struct commit_id *id, const struct session *s,
			       const char *rev)
{
	cleanup_committed_task struct committed_task then = {0};
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_error struct error *err = NULL;
	bool descends;

	TRY(gitstore_resolve(id, s->git, rev));
	TRY(gitstore_descends(&descends, s->git, s->at.commit.hex, id->hex));
	if (!descends)
		return error_new(ERROR_REFUSED,
				 "%.12s cannot be the base of %.12s: it is no "
				 "ancestor of it",
				 id->hex, s->at.commit.hex);
	err = committed_task_read(&then, s, id->hex, s->at.task->path);
	if (err)
		return refuse(s, id->hex, error_message(err));
	if (str_eq(then.id, s->at.id))
		return NULL;
	name_differing(&why, &s->at, &then);
	buf_adds(&why, " differs between them, and a run has one task");
	return refuse(s, id->hex, why.data);
}

/* ---- evolving ------------------------------------------------------------ */

void evolving_release(struct evolving *e)
{
	progress_release(&e->progress);
	if (e->far)
		e->elsewhere->free(e->far);
	team_release(&e->team);
	operator_free(e->operator_);
	operator_free(e->tuner);
	buf_release(&e->known);
	choice_release(&e->choice);
	population_release(&e->population);
	population_release(&e->before);
	session_release(&e->session);
	strvec_release(&e->gpus);
	free(e->from_subject);
}

/* A run's name is part of ref names and of shell commands that people copy. */
static struct error *check_run_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";

	if (!name[strspn(name, allowed)] && strlen(name) <= RUN_NAME_MAX &&
	    *name && *name != '.' && *name != '-' && !strstr(name, "..") &&
	    !ends_with(name, ".") && !ends_with(name, ".lock"))
		return NULL;
	return error_new(ERROR_USAGE,
			 "'%s' cannot name a run: at most %d letters, digits, "
			 "'.', '_' and '-', beginning with a letter or digit "
			 "(choose another by --run)",
			 name, RUN_NAME_MAX);
}

/* The task may have changed since the run began; then old and new scores would
 * not be comparable. */
static struct error *check_same_task(const struct session *s,
				     const struct population *before)
{
	const struct entry *record = &before->record;
	cleanup_committed_task struct committed_task then = {0};

	TRY(committed_task_read(&then, s, record->base.hex, record->task_path));
	if (str_eq(then.id, s->at.id) &&
	    str_eq(then.task->path, s->at.task->path))
		return NULL;
	if (before->n <= 1)
		return error_new(ERROR_REFUSED,
				 "run %s began under another version of its "
				 "task and has no attempt: `avogit rm %s` "
				 "removes it, then start again",
				 record->run, record->run);
	return error_new(ERROR_REFUSED,
			 "run %s began under another version of its task: "
			 "start a new run (--run NAME), or go on with the old "
			 "one by --run %s",
			 record->run, record->run);
}

/* Can a lineage begin there? */
static struct error *check_branch(const char *run, const struct attempt *a)
{
	if (attempt_passes(a))
		return NULL;
	return error_new(ERROR_REFUSED,
			 "run %s cannot go on from #%lld, which %s: name an "
			 "attempt that passed",
			 run, (long long)a->number,
			 a->measurement ? verdict_line(a->measurement->verdict)
					: "was not measured yet");
}

static struct error *check_resumed(struct evolving *e,
				   const struct evolve_options *o)
{
	const struct entry *record = &e->before.record;
	const struct attempt *a = NULL;

	if (o->from && !o->base)
		a = population_find(&e->before, e->base.hex);
	if (a && a->number) {
		TRY(check_branch(record->run, a));
		e->evolve.branch = a->id;
	} else if ((o->from || o->base) &&
		   !str_eq(record->base.hex, e->base.hex))
		return error_new(ERROR_REFUSED,
				 "run %s began at %.12s and goes on from "
				 "there: another start needs another name "
				 "(--run NAME); --from %s#N goes on from one "
				 "of its attempts",
				 record->run, record->base.hex, record->run);
	if (o->seed && o->seed != record->seed)
		return error_new(ERROR_REFUSED,
				 "run %s has its seed already: leave --seed "
				 "out, or start another run (--run NAME)",
				 record->run);
	return check_same_task(&e->session, &e->before);
}

/* Refuses to begin a run in which the operator has nothing to vary. */
static struct error *check_start(const struct evolving *e)
{
	struct variation_operator *op = e->operator_;
	const struct session *s = &e->session;
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_fileset struct fileset sources = FILESET_INIT;

	if (!op->check)
		return NULL;
	task_source_patterns(&patterns, s->at.task);
	TRY(gitstore_files(&sources, s->git, s->at.commit.hex, &patterns));
	return op->check(op, &sources);
}

/* Locks the first of NAME, NAME-2, NAME-3, ... that is not locked. */
static struct error *lock_any(char run[RUN_NAME_MAX + 1], struct gitstore *g,
			      const char *name)
{
	struct error *err = NULL;

	for (int i = 1; i <= MAX_AUTO_RUNS; i++) {
		error_free(err);
		if (i == 1)
			snprintf(run, RUN_NAME_MAX + 1, "%s", name);
		else
			snprintf(run, RUN_NAME_MAX + 1, "%.*s-%d",
				 RUN_NAME_MAX - 4, name, i);
		err = gitstore_lock_run(g, run);
		if (!error_is(err, ERROR_REFUSED))
			return err;
	}
	return err;
}

static struct error *lock_run(char run[RUN_NAME_MAX + 1], struct gitstore *g,
			      const struct evolve_options *o, const char *name)
{
	if (o->run && str_eq(o->run, "auto"))
		return lock_any(run, g, name);
	TRY(check_run_name(o->run ? o->run : name));
	snprintf(run, RUN_NAME_MAX + 1, "%s", o->run ? o->run : name);
	return o->shared ? gitstore_share_run(g, run)
			 : gitstore_lock_run(g, run);
}

/* Locks the run and reads it if it exists. `name`: that of a run without
 * --run. */
static struct error *take_run(struct evolving *e,
			      const struct evolve_options *o, const char *name)
{
	struct gitstore *g = e->session.git;

	TRY(lock_run(e->evolve.run, g, o, name));
	TRY(gitstore_check_branches(g, e->evolve.run));
	TRY(gitstore_population(&e->before, g, e->evolve.run));
	if (o->keep_before || gitstore_has_others(g) ||
	    !failed_start_is(&e->before))
		return NULL;
	e->anew = true;
	population_release(&e->before);
	population_init(&e->before);
	return NULL;
}

/* Last, when it is sure that another can begin. */
static struct error *remove_failed(const struct evolving *e)
{
	if (!e->anew)
		return NULL;
	TRY(failed_start_remove(e->session.git, e->evolve.run));
	live_hold();
	live_clear();
	fprintf(e->say,
		"run %s failed at its start and had no attempt: it begins "
		"anew\n",
		e->evolve.run);
	fflush(e->say);
	live_go_on();
	return NULL;
}

/* `before` is there only now; it is printed with what else is said of the run. */
static void say_branch(struct evolving *e)
{
	const struct attempt *a;

	if (!*e->evolve.branch.hex && e->going_on_begins &&
	    str_eq(e->operator_->name, "tuner"))
		e->evolve.branch = e->going_on;
	a = population_find(&e->before, e->evolve.branch.hex);
	if (a)
		e->branch_number = a->number;
}

/* Takes the run unless it is taken, and determines its base. */
static struct error *find_run(struct evolving *e,
			      const struct evolve_options *o)
{
	const struct population *before = &e->before;
	struct session *s = &e->session;

	if (!*e->evolve.run)
		TRY(take_run(e, o, s->at.task->name));
	e->resumed = before->has_record;
	if (e->resumed)
		TRY(check_resumed(e, o));
	if (!o->from && !o->as_it_is && !e->named)
		TRY(session_refuse_dirty(s, e->resumed ? DIRTY_TRUSTED
						       : DIRTY_ANY));
	say_branch(e);
	e->evolve.base = e->resumed ? before->record.base : e->base;
	e->attempts_before = e->resumed ? before->n - 1 : 0;
	e->as_before = e->resumed && before->operator_name &&
		       str_eq(before->operator_name, e->operator_->name);
	if (!o->keep_before)
		population_release(&e->before);
	return NULL;
}

static void announce(const struct evolving *e)
{
	const struct session *s = &e->session;
	char base[COMMIT_ID_LEN + 1];

	if (e->choice.instead && !e->as_before)
		fputs(e->choice.instead, e->say);
	if (e->choice.reviewer)
		fprintf(e->say, "a run that stalls is reviewed by %s\n",
			e->choice.advisor->name);
	gitstore_abbreviate(base, s->git, e->evolve.base.hex);
	if (e->own_task)
		fprintf(e->say,
			"run %s goes on with its own task, that of %s: HEAD "
			"has another\n",
			e->evolve.run, base);
	fprintf(e->say, "%s run %s at %s on %s",
		e->resumed ? "resuming" : "starting", e->evolve.run, base,
		e->evolve.evaluator->machine_name(e->evolve.evaluator));
	if (e->far)
		fprintf(e->say, " of launch %s", e->launch);
	if (e->branch_number)
		fprintf(e->say, ", from #%lld on", (long long)e->branch_number);
	if (s->cards)
		fprintf(e->say, ", %zu cards", e->gpus.n);
	if (e->team.how.islands.count > 1)
		fprintf(e->say, ", %zu islands", e->team.how.islands.count);
	if (e->resumed)
		fprintf(e->say, ", %zu attempt%s so far", e->attempts_before,
			e->attempts_before == 1 ? "" : "s");
	putc('\n', e->say);
	fflush(e->say);
}

/* Reads the task of the run at its base, whatever HEAD is. A `file` that is not
 * the run's task file is an error. */
static struct error *read_run_task(struct session *s,
				   const struct entry *record, const char *file)
{
	const char *base = record->base.hex;

	if (file && record->task_path) {
		TRY(session_task(s, base, file));
		if (!str_eq(s->at.task->path, record->task_path))
			return error_new(ERROR_REFUSED,
					 "run %s is of the task %s: leave "
					 "--task out, or name another run "
					 "(--run NAME)",
					 record->run, record->task_path);
		return NULL;
	}
	return committed_task_read(&s->at, s, base, record->task_path);
}

/* A dirty work tree is refused only if HEAD has the run's task: only then can
 * the edits be meant for the run. */
static struct error *compare_with_head(struct evolving *e,
				       const struct evolve_options *o)
{
	struct session *s = &e->session;
	cleanup_committed_task struct committed_task run = s->at;
	cleanup_error struct error *err = NULL;
	struct commit_id head;

	s->at = (struct committed_task){0};
	err = gitstore_resolve(&head, s->git, "HEAD");
	if (!err)
		err = committed_task_read(&s->at, s, head.hex, run.task->path);
	e->own_task = err || !str_eq(s->at.id, run.id);
	if (!e->own_task && !o->as_it_is)
		TRY(session_refuse_dirty(s, DIRTY_TRUSTED));
	committed_task_release(&s->at);
	s->at = run;
	run = (struct committed_task){0};
	return NULL;
}

/* Finds where the run begins and its base. Both are the same commit unless
 * --base names an earlier one. */
static struct error *find_start(struct evolving *e,
				const struct evolve_options *o)
{
	struct session *s = &e->session;
	cleanup_commit_info struct commit_info info = {0};
	struct commit_id from;

	if (o->run && !str_eq(o->run, "auto"))
		TRY(take_run(e, o, NULL));
	e->named = e->before.has_record && !o->from && !o->base;
	if (e->named) {
		TRY(read_run_task(s, &e->before.record, o->task));
		return compare_with_head(e, o);
	}
	TRY(gitstore_resolve(&from, s->git, o->from ? o->from : "HEAD"));
	TRY(session_task(s, from.hex, o->task));
	e->base = from;
	if (!o->base)
		return NULL;
	TRY(base_find(&e->base, s, o->base));
	TRY(gitstore_commit_info(&info, s->git, from.hex));
	e->from_subject = xstrndup(info.message, strcspn(info.message, "\n"));
	e->evolve.from_subject = e->from_subject;
	e->evolve.from = from;
	return NULL;
}

/* A run that exists and began with nothing to vary goes on from what was scored
 * in it by hand. */
static struct error *find_going_on(struct evolving *e,
				   const struct evolve_options *o)
{
	cleanup_population struct population peeked = {0};
	const struct population *p = &e->before;
	struct session *s = &e->session;

	population_init(&peeked);
	if (o->from || o->base || e->operator_)
		return NULL;
	if (!o->run) {
		TRY(check_run_name(s->at.task->name));
		TRY(gitstore_population(&peeked, s->git, s->at.task->name));
		p = &peeked;
	}
	if (!p->has_record || !has_same_task(s, p->record.base.hex))
		return NULL;
	going_on_find(&e->going_on, &e->going_on_begins, s, p);
	return *e->going_on.hex ? going_on_take(s, &e->going_on) : NULL;
}

/* Only for items that this run uses: the tuner, and a client that its user
 * started, use no items of the operator. */
static struct error *require_trust(const struct evolving *e,
				   const struct evolve_options *o)
{
	const struct session *s = &e->session;
	const char *named = choice_named(s->at.task, &o->choice);
	const char *name = named ? named : "llm";

	TRY(session_require_trust(s, TRUST_LAUNCHER, o->task));
	if (e->operator_ || str_eq(name, "tuner") ||
	    (o->choice.replay && !str_eq(name, "command")))
		return NULL;
	return session_require_trust(s, TRUST_OPERATOR, o->task);
}

static struct error *read_money(double *out, const char *text)
{
	char *end;
	double v;

	if (!text)
		return NULL;
	text += *text == '$';
	v = strtod(text, &end);
	if (end == text || *end || !isfinite(v) || !(v > 0))
		return error_new(ERROR_USAGE,
				 "--money takes a number of dollars above 0, "
				 "not '%.40s'",
				 text);
	*out = v;
	return NULL;
}

static struct error *require_comparison(const struct evolving *e)
{
	const struct task *t = e->session.at.task;

	if (task_is_reported(t) && !t->score.ab)
		return error_new(
			ERROR_REFUSED,
			"%s: with score.ab: false nothing is compared, "
			"so no candidate could become champion: leave "
			"it out, or use `avogit score`",
			t->path);
	return NULL;
}

/* An operator that proposes needs no device: another machine measures. */
static struct error *require_device(struct evolving *e)
{
	struct error *err = scorer_require_device(e->session.evaluator);

	if (!err || !e->operator_->proposes)
		return err;
	error_free(err);
	e->evolve.proposes = true;
	return NULL;
}

/* Limits of the command line replace the task's: the attempts and seconds of
 * this call as a pair, the other limits, of the whole run, one by one. */
static struct error *set_budget(struct evolving *e,
				const struct evolve_options *o)
{
	struct budget_limits *b = &e->evolve.budget;

	*b = e->session.at.task->budget;
	if (o->attempts || o->seconds > 0) {
		b->attempts = o->attempts;
		b->seconds = o->seconds;
	}
	if (o->steps)
		b->steps = o->steps;
	if (o->tokens)
		b->tokens = o->tokens;
	if (o->gpu_seconds > 0)
		b->gpu_seconds = o->gpu_seconds;
	return read_money(&b->dollars, o->money);
}

/* Prints the estimated cost before the model is asked. */
static void say_estimate(struct evolving *e)
{
	struct variation_operator *op = e->operator_;
	int64_t n = e->evolve.budget.attempts;
	struct spend one = {0};
	cleanup_free char *text = NULL;

	if (!op->estimate || !op->estimate(op, &one))
		return;
	text = spend_format(&one);
	fprintf(e->say, "estimate: an attempt takes about %s", text);
	if (n > 1 && !one.unpriced)
		fprintf(e->say, "; %lld attempts $%.2f", (long long)n,
			one.dollars * (double)n);
	if (op->price_note)
		fprintf(e->say, " (%s)", op->price_note);
	putc('\n', e->say);
	fflush(e->say);
}

/* A resumed run has its own declarations: faults of later ones are ignored. */
static struct error *say_space(const struct evolving *e)
{
	struct error *err;

	if (!str_eq(e->operator_->name, "tuner"))
		return NULL;
	err = tuning_announce(&e->session, e->say);
	if (!e->resumed)
		return err;
	error_free(err);
	return NULL;
}

static struct error *mend_notes(struct evolving *e)
{
	cleanup_strvec struct strvec unread = STRVEC_INIT;
	size_t restored = 0;

	TRY(gitstore_mend_notes(&restored, &unread, e->session.git));
	if (!unread.n && !restored)
		return NULL;
	live_hold();
	live_clear();
	for (size_t i = 0; i < unread.n; i++)
		fprintf(e->say, "cannot look after %s\n", unread.v[i]);
	if (restored)
		fprintf(e->say, "put back %zu note%s that had vanished\n",
			restored, restored == 1 ? "" : "s");
	live_go_on();
	return NULL;
}

/* Of the agents, where there are several. */
static struct error *make_team(struct evolving *e,
			       const struct evolve_options *o)
{
	const struct team_request request = {
		.agents = (size_t)o->agents,
		.in_order = (size_t)o->in_order,
		.builds = (size_t)o->builds,
		.islands = (size_t)o->islands,
		.choice = &o->choice,
		.budget = &e->evolve.budget,
	};

	TRY(cards_parse(&e->gpus, o->gpus, e->session.at.task));
	TRY(cards_check(&e->gpus, request.agents, request.in_order > 0));
	e->session.gpus = &e->gpus;
	TRY(team_make(&e->team, &e->session, e->operator_, &request));
	e->evolve.agents = e->team.how;
	return NULL;
}

/* A file guides the tuner, and the one that other operators use; without one, an
 * earlier run guides where the tuner is the operator. */
static struct error *take_known(struct evolving *e,
				const struct evolve_options *o)
{
	const struct session *s = &e->session;

	buf_init(&e->known, KNOWN_MAX_BYTES);
	if (o->known)
		TRY(tuning_read_known(&e->known, s, o->known, e->say));
	else if (!o->no_earlier && str_eq(e->operator_->name, "tuner"))
		TRY(earlier_read(&e->known, s, e->evolve.run, e->say));
	if (!e->known.len)
		return NULL;
	tuner_guide(e->tuner ? e->tuner : e->operator_, &e->known);
	for (size_t i = 0; i < e->team.n; i++)
		tuner_guide(e->team.member[i].tuner, &e->known);
	return NULL;
}

/* Here, or where a launch reaches, which checks the task there, too. */
static struct error *open_measuring(struct evolving *e,
				    const struct evolve_options *o)
{
	struct session *s = &e->session;

	TRY(require_comparison(e));
	e->evolve.evaluator = s->cards ? s->cards : s->evaluator;
	if (!o->launch)
		return require_device(e);
	e->elsewhere = o->elsewhere;
	e->launch = o->launch;
	TRY(o->elsewhere->open(&e->far, e, o));
	e->evolve.evaluator = e->far;
	return NULL;
}

struct error *evolving_prepare(struct evolving *e,
			       const struct evolve_options *o)
{
	struct session *s = &e->session;
	const volatile int *stop;

	population_init(&e->population);
	TRY(session_open(s, o->color));
	TRY(find_start(e, o));
	TRY(find_going_on(e, o));
	TRY(require_trust(e, o));
	TRY(set_budget(e, o));
	if (!e->operator_)
		TRY(choice_operator(&e->operator_, &e->choice, s, &o->choice,
				    &e->evolve.budget));
	if (!str_eq(e->operator_->name, "tuner"))
		TRY(tuner_new(&e->tuner, s->at.task));
	TRY(make_team(e, o));
	TRY(find_run(e, o));
	stop = stop_watch();
	TRY(session_scorer(s, e->evolve.base.hex, stop_at_once()));
	TRY(open_measuring(e, o));
	if (!e->resumed)
		TRY(check_start(e));
	announce(e);
	TRY(say_space(e));
	TRY(take_known(e, o));
	say_estimate(e);
	progress_init(&e->progress, &s->color);
	if (!o->json && !o->shared && !e->far)
		progress_show(&e->progress, s->stage, 1 + s->n_other);
	if (!e->far)
		TRY(scorer_check_task(s->evaluator));
	e->evolve.task = s->at.task;
	e->evolve.archive = s->archive;
	e->evolve.sandbox = s->sandbox;
	e->evolve.operator_ = e->operator_;
	e->evolve.tuner = e->tuner;
	e->evolve.supervisor.rules = s->at.task->supervisor;
	e->evolve.supervisor.advisor = e->choice.advisor;
	e->evolve.supervisor.can_profile = task_compiles_cuda(s->at.task) &&
					   !e->far;
	e->evolve.supervisor.searches = str_eq(e->operator_->name, "tuner");
	e->evolve.seed = o->seed;
	e->evolve.stop_requested = stop;
	e->evolve.stop_now = stop_at_once();
	e->evolve.cancel = stop_cancel;
	TRY(mend_notes(e));
	return remove_failed(e);
}

void evolving_print_left(const struct session *s, const struct population *p)
{
	cleanup_free char *name =
		xasprintf("refs/heads/avo/%s/best", p->record.run);
	cleanup_error struct error *err = NULL;
	struct commit_id id;
	char brief[COMMIT_ID_LEN + 1];

	err = gitstore_resolve(&id, s->git, name);
	if (err || !p->champion ||
	    str_eq(id.hex, p->attempt[p->champion].id.hex))
		return;
	gitstore_abbreviate(brief, s->git, id.hex);
	printf("\nthe branch avo/%s/best is checked out and stays at %s: `git "
	       "reset --keep %.12s` in that work tree moves it\n",
	       p->record.run, brief, p->attempt[p->champion].id.hex);
}
