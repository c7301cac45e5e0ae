#include "cmd/session/portable.h"

#include <math.h>

#include "cmd/ui/report.h"
#include "core/base/text.h"
#include "core/run/kinds.h"

void portable_release(struct portable *p)
{
	strvec_release(&p->words);
	free(p->kinds);
	free(p->why);
	*p = (struct portable){.number = 0};
}

/* ---- the task's words ------------------------------------------------------ */

static struct error *words_at(struct strvec *out, struct session *s,
			      const char *commit, const char *path)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_task struct task *t = NULL;

	TRY(gitstore_file(&text, s->git, commit, path));
	/* held: a task of its own, into which nothing points yet */
	TRY(task_parse(&t, path, text.data, text.len));
	strvec_extend(out, &t->portable);
	return NULL;
}

/* A task that cannot be read asks for nothing: what there is is still shown. */
static void read_words(struct strvec *out, struct session *s,
		       const struct entry *record)
{
	const char *path = record->task_path;
	struct commit_id head;
	struct error *err;

	if (!path)
		return;
	err = gitstore_resolve(&head, s->git, "HEAD");
	if (!err)
		err = words_at(out, s, head.hex, path);
	if (err) {
		error_free(err);
		err = words_at(out, s, record->base.hex, path);
	}
	error_free(err);
}

/* ---- the winner ------------------------------------------------------------ */

/* NULL, or why a word names no kind; free() disposes. */
static char *find_kinds(size_t kind[TASK_MAX_PORTABLE],
			const struct strvec *words, const struct population *p)
{
	for (size_t i = 0; i < words->n; i++) {
		cleanup_error struct error *err =
			kinds_choose(&kind[i], p, words->v[i]);

		if (err)
			return xstrdup(error_message(err));
	}
	return NULL;
}

static char *speeds(const struct population *p, const struct attempt *a,
		    const size_t *kind, size_t n)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < n; i++) {
		const struct machine_kind *m = &p->machine[kind[i] - 1];
		char ratio[32];

		report_format_ratio(ratio, sizeof ratio,
				    exp(kinds_gain(p, a, kind[i])));
		buf_addf(&out, "%s%s on ", i ? ", " : "", ratio);
		text_add_line(&out, m->name, strlen(m->name));
		buf_addf(&out, " (%s)", m->id);
	}
	return xstrdup(out.data);
}

static char *no_winner(const struct strvec *words)
{
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	buf_adds(&out, "no kept attempt is faster than the start on each of: ");
	for (size_t i = 0; i < words->n; i++) {
		buf_adds(&out, i ? ", " : "");
		text_add_line(&out, words->v[i], strlen(words->v[i]));
	}
	return xstrdup(out.data);
}

static void find_winner(struct portable *out, const struct population *p)
{
	size_t kind[TASK_MAX_PORTABLE], n = out->words.n;
	const struct attempt *a;

	out->why = find_kinds(kind, &out->words, p);
	if (out->why)
		return;
	a = &p->attempt[kinds_portable(p, kind, n)];
	if (a->number == 0) {
		out->why = no_winner(&out->words);
		return;
	}
	out->id = a->id;
	out->number = a->number;
	out->speedup = exp(kinds_worst_gain(p, a, kind, n));
	out->kinds = speeds(p, a, kind, n);
}

void portable_find(struct portable *out, struct session *s,
		   const struct population *p)
{
	*out = (struct portable){.words = STRVEC_INIT};
	if (p->has_record)
		read_words(&out->words, s, &p->record);
	if (out->words.n)
		find_winner(out, p);
}

/* Most tasks do not ask for such a winner: then the newest attempt is enough. */
struct error *portable_read(struct portable *out, struct session *s,
			    const char *run)
{
	cleanup_population struct population p = {0};

	*out = (struct portable){.words = STRVEC_INIT};
	TRY(gitstore_recent(&p, s->git, run, 1));
	if (p.has_record)
		read_words(&out->words, s, &p.record);
	if (!out->words.n)
		return NULL;
	TRY(gitstore_population(&p, s->git, run));
	find_winner(out, &p);
	return NULL;
}

void portable_json_add(struct json *j, const struct portable *p)
{
	struct json *one;

	if (!p->words.n)
		return;
	one = json_object();
	json_set(one, "kinds", json_strings(&p->words));
	if (*p->id.hex) {
		json_set_string(one, "commit", p->id.hex);
		json_set_int(one, "attempt", p->number);
		json_set_double(one, "speedup", p->speedup);
	}
	json_set_string(one, "why", p->why);
	json_set(j, "portable", one);
}
