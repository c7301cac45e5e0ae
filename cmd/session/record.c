#include "cmd/session/record.h"

#include "gitstore/run/quoted.h"

#define TRAILER_RUN "\nAvogit-Run: "

void record_release(struct candidate_record *r)
{
	commit_info_release(&r->commit);
	free(r->subject);
	free(r->hypothesis);
	measurement_free(r->measurement);
	measurement_free(r->others);
	measurement_free(r->winning);
	measurement_free(r->crowning);
	free(r->artefacts);
	for (size_t i = 0; i < r->n_notes; i++) {
		free(r->note[i].line);
		free(r->note[i].text);
	}
	free(r->note);
	*r = (struct candidate_record){0};
}

static void keep_attempt(struct candidate_record *r, const struct entry *e)
{
	memcpy(r->run, e->run, sizeof r->run);
	r->after = e->after;
	r->number = e->number;
	free(r->subject);
	free(r->hypothesis);
	r->subject = xstrdup_null(e->subject);
	r->hypothesis = xstrdup_null(e->hypothesis);
	free(r->artefacts);
	r->artefacts = xstrdup_null(e->artefacts);
}

/* The commit that a person wrote on the base is the run's first attempt, or, where
 * that failed, a later one. */
static void keep_from(struct candidate_record *r, const struct entry *e)
{
	keep_attempt(r, e);
	r->number = MAX(e->number, 1);
}

/* A measurement whose clock was ahead is older than any other. Among such ones
 * the later entry is newer, because journals are in order of writing. */
static bool is_newer(const struct measurement *a, const struct measurement *b)
{
	bool ahead = measurement_is_ahead(a);

	if (ahead != measurement_is_ahead(b))
		return !ahead;
	return !ahead && a->time_us > b->time_us;
}

static void keep_measurement(struct candidate_record *r, const struct entry *e)
{
	if (!e->measurement ||
	    (r->measurement && is_newer(r->measurement, e->measurement)))
		return;
	if (r->only && !str_eq(r->only, e->measurement->identity.machine))
		return;
	measurement_free(r->measurement);
	r->measurement = measurement_dup(e->measurement);
	r->accepted = r->accepted || e->accepted;
	if (!*r->run)
		memcpy(r->run, e->run, sizeof r->run);
}

const struct comparison *record_crown_rival(const struct measurement *m)
{
	const struct comparison *c =
		measurement_against(m, RIVAL_CHAMPION, NULL);

	return c ? c : measurement_against(m, RIVAL_INCUMBENT, NULL);
}

/* A champion is measured again, with the start: what crowned it is older. */
static void keep_win(struct candidate_record *r, const struct entry *e)
{
	const struct measurement *m = e->measurement;
	const struct comparison *c = m ? record_crown_rival(m) : NULL;

	if (!c || m->verdict != VERDICT_PASS ||
	    c->decision != DECISION_FASTER ||
	    (r->only && !str_eq(r->only, m->identity.machine)))
		return;
	measurement_free(r->winning);
	r->winning = measurement_dup(m);
}

static void keep_crown(struct candidate_record *r, const struct entry *e)
{
	if (r->only && *e->machine && !str_eq(r->only, e->machine))
		return;
	r->crowned = true;
	if (!r->winning)
		return;
	measurement_free(r->crowning);
	r->crowning = steal(&r->winning);
}

static void add_entry(void *arg, const struct entry *e)
{
	struct candidate_record *r = arg;

	if (!str_eq(e->candidate.hex, r->commit.id.hex))
		return;
	if (e->kind == ENTRY_ATTEMPT)
		keep_attempt(r, e);
	else if (e->kind == ENTRY_RUN && str_eq(e->from.hex, r->commit.id.hex))
		keep_from(r, e);
	else if (e->kind == ENTRY_MEASUREMENT) {
		keep_measurement(r, e);
		keep_win(r, e);
	} else if (e->kind == ENTRY_CROWN)
		keep_crown(r, e);
}

struct error *record_runs(struct strvec *out, struct gitstore *g,
			  const char *message)
{
	const char *at = strstr(message, TRAILER_RUN);

	if (!at)
		return gitstore_runs(out, g);
	at += strlen(TRAILER_RUN);
	strvec_pushf(out, "%.*s", (int)strcspn(at, "\n"), at);
	return NULL;
}

/* The journals that may know the commit: the named run's, else those of its
 * runs; in addition the one of scores outside runs. */
static struct error *journals(struct strvec *out, struct gitstore *g,
			      const char *message, const char *run)
{
	if (*run)
		strvec_push(out, run);
	else
		TRY(record_runs(out, g, message));
	strvec_push(out, "@");
	return NULL;
}

struct error *record_read(struct candidate_record *out, struct gitstore *g,
			  const char *id, const char *run)
{
	return record_read_on(out, g, id, run, NULL);
}

struct error *record_read_on(struct candidate_record *out, struct gitstore *g,
			     const char *id, const char *run, const char *kind)
{
	cleanup_record struct candidate_record r = {.only = kind};
	cleanup_strvec struct strvec runs = STRVEC_INIT;

	TRY(gitstore_commit_info(&r.commit, g, id));
	snprintf(r.run, sizeof r.run, "%s", run);
	TRY(journals(&runs, g, r.commit.message, run));
	/* Unless a run was named, the note replaces a damaged journal. */
	for (size_t i = 0; i < runs.n; i++) {
		struct error *err =
			gitstore_read_about(g, runs.v[i], id, add_entry, &r);

		TRY(*run ? err : gitstore_pass_over(err));
	}
	if (!r.measurement && !kind)
		TRY(gitstore_note_own(&r.measurement, &r.others, g, id, NULL));
	*out = r;
	memset(&r, 0, sizeof r);
	return NULL;
}

/* ---- roles --------------------------------------------------------------- */

static void add_note(void *arg, const struct entry *e)
{
	struct candidate_record *r = arg;
	enum role role = role_find(e->trigger);

	if (e->kind != ENTRY_REMARK || role == ROLE_COUNT)
		return;
	GROW(r->note, r->n_notes, r->cap_notes);
	r->note[r->n_notes++] = (struct role_note){
		.role = role,
		.line = xstrdup(e->reason ? e->reason : ""),
		.text = xstrdup_null(e->direction),
		.spend = e->role_spend,
	};
}

struct error *record_read_roles(struct candidate_record *r, struct gitstore *g)
{
	const char *const about[] = {r->after.hex, r->commit.id.hex};
	const char *id = r->artefacts;

	/* Made before it. */
	for (; id && strlen(id) >= COMMIT_ID_LEN; id += COMMIT_ID_LEN) {
		cleanup_entry struct entry e = {.kind = ENTRY_STOP};
		char hex[COMMIT_ID_LEN + 1];
		struct error *err;

		id += *id == ' ';
		snprintf(hex, sizeof hex, "%.*s", COMMIT_ID_LEN, id);
		if (strlen(hex) < COMMIT_ID_LEN)
			break;
		err = gitstore_entry(&e, g, hex);
		add_note(r, &e);
		TRY(gitstore_pass_over(err));
	}
	/* About what it was edited on, and about itself. */
	for (size_t i = 0; i < ARRAY_SIZE(about) && *r->run; i++)
		if (*about[i])
			TRY(gitstore_pass_over(gitstore_read_about(
				g, r->run, about[i], add_note, r)));
	return NULL;
}

struct error *record_start(struct commit_id *out, struct gitstore *g,
			   const struct measurement *m, const char *run)
{
	for (size_t i = 0; m && i < m->n_comparisons; i++) {
		struct commit_id id = commit_id(m->comparisons[i].name);
		enum rival kind = m->comparisons[i].rival;
		cleanup_record struct candidate_record rival = {0};

		if (kind != RIVAL_CHAMPION && kind != RIVAL_INCUMBENT)
			continue;
		/* A note that came along may name anything. */
		if (!commit_id_is(id.hex))
			continue;
		TRY(record_read(&rival, g, id.hex, run));
		if (!rival.number)
			*out = id;
	}
	return NULL;
}

struct error *record_keep(struct gitstore *g, const char *id,
			  const struct measurement *m)
{
	cleanup_commit_info struct commit_info info = {0};
	cleanup_entry struct entry attempt, measured;

	entry_init(&attempt, ENTRY_ATTEMPT, "@");
	entry_init(&measured, ENTRY_MEASUREMENT, "@");
	TRY(gitstore_commit_info(&info, g, id));
	attempt.candidate = commit_id(id);
	if (info.n_parents)
		attempt.parent = info.parents[0];
	attempt.subject = xstrndup(info.message, strcspn(info.message, "\n"));
	TRY(gitstore_append(g, &attempt));
	measured.candidate = commit_id(id);
	measured.measurement = measurement_dup(m);
	return gitstore_append(g, &measured);
}
