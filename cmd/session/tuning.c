#include "cmd/session/tuning.h"

#include "agent/tuner/known.h"
#include "cmd/ui/out.h"
#include "core/base/file.h"

struct error *tuning_sources(struct fileset *out, const struct session *s,
			     const char *commit)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;

	task_source_patterns(&patterns, s->at.task);
	return gitstore_files(out, s->git, commit, &patterns);
}

struct error *tuning_read(struct tunables *out, const struct session *s)
{
	return tuning_read_at(out, s, s->at.commit.hex);
}

struct error *tuning_read_at(struct tunables *out, const struct session *s,
			     const char *commit)
{
	cleanup_fileset struct fileset sources = FILESET_INIT;

	TRY(tuning_sources(&sources, s, commit));
	return tunables_read(out, &sources, s->at.task);
}

static void say_odd(const struct tunables *t)
{
	for (size_t i = 0; i < t->odd.n; i++) {
		cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

		out_clean_line(&line, t->odd.v[i]);
		buf_adds(&line,
			 ": this declares nothing and is not varied; what "
			 "does begins with '// avogit: ', '// avogit-flags: ' "
			 "or '// avogit-require: '");
		out_error(line.data);
	}
}

static void say_excluded(const struct tunables *t, const char *required)
{
	size_t point[TUNABLES_MAX];
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < t->n; i++)
		point[i] = t->tunable[i].current;
	if (tunables_allowed(t, point))
		return;
	buf_adds(&line, "the values in force do not meet avogit-require: ");
	out_clean_line(&line, required);
	out_error(line.data);
}

/* Its values would be measured, one by one, to be the same code. */
static void say_unused(FILE *say, const struct tunables *t,
		       const struct fileset *sources)
{
	for (size_t i = 0; i < t->n; i++)
		if (tunable_is_unused(&t->tunable[i], sources))
			fprintf(say,
				"%s is used nowhere in the sources: unless a "
				"header uses it, its values make no "
				"difference\n",
				t->tunable[i].name);
}

struct error *tuning_announce(const struct session *s, FILE *say)
{
	cleanup_tunables struct tunables t = {0};
	cleanup_fileset struct fileset sources = FILESET_INIT;
	cleanup_free char *required = NULL, *summary = NULL;
	cleanup_buf struct buf line = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(tuning_sources(&sources, s, s->at.commit.hex));
	TRY(tunables_read(&t, &sources, s->at.task));
	say_odd(&t);
	if (!t.n)
		return NULL;
	required = tunables_requirements(&t);
	if (!tunables_count(&t))
		return error_new(ERROR_REFUSED,
				 "nothing is left to vary: no choice of the "
				 "declared values meets avogit-require: %s",
				 required);
	say_excluded(&t, required);
	summary = tunables_summary(&t);
	out_clean_line(&line, summary);
	fprintf(say, "the tuner varies: %s\n", line.data);
	say_unused(say, &t, &sources);
	fflush(say);
	return NULL;
}

struct error *tuning_read_known(struct buf *out, const struct session *s,
				const char *path, FILE *say)
{
	cleanup_tunables struct tunables space = {0};
	cleanup_known struct known_gains k = {0};
	cleanup_buf struct buf clean = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(tuning_read(&space, s));
	TRY(file_read(out, path));
	TRY(error_wrap(known_read(&k, &space, out->data, out->len), "%s",
		       path));
	if (!k.n)
		return error_new(ERROR_REFUSED,
				 "%s: none of its %zu measurements is a point "
				 "of these sources: names and values must be "
				 "those that they declare",
				 path, k.other);
	out_clean_line(&clean, path);
	fprintf(say, "%zu measurements of %s guide the tuner", k.n, clean.data);
	if (k.other)
		fprintf(say, "; %zu are no points of these sources", k.other);
	putc('\n', say);
	return NULL;
}
