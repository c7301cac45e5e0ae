#include "cmd/dispatch/dispatch.h"

#include "cmd/dispatch/join.h"
#include "cmd/dispatch/strip.h"

#define MADE_BY "Made by `avogit best --points`"

/* ---- one attempt's source ---------------------------------------------------- */

struct point_source {
	char *path;
	struct buf text;     /* without marks */
	struct strvec flags; /* that it chooses */
	char *label;
	struct join_point point;
	struct strvec parameters;
	bool is_joined; /* made here, or from what was */
	/* Why it cannot stand beside others (a static string); NULL: it can. */
	const char *why_not;
};

static void point_source_release(struct point_source *s)
{
	free(s->path);
	buf_release(&s->text);
	strvec_release(&s->flags);
	strvec_release(&s->parameters);
	scanned_release(&s->point.scanned);
	free(s->label);
}
DEFINE_RELEASE(point_source, struct point_source, point_source_release)

static struct error *scan(struct point_source *out, const struct task *t)
{
	bool is_cxx = t->language != LANGUAGE_C;

	out->point.text = out->text.data;
	out->is_joined = strstr(out->text.data, MADE_BY);
	if (out->is_joined) {
		out->why_not = "it holds several points already";
		return NULL;
	}
	TRY(scan_source(&out->point.scanned, out->text.data, t->entry, is_cxx));
	if (!out->point.scanned.has_entry)
		out->why_not = "it has no definition of the entry at the "
			       "file's scope";
	else if (!join_parameters(&out->parameters, &out->point.scanned))
		out->why_not = "a parameter of the entry has no name that is "
			       "found";
	return NULL;
}

static struct error *read_source(struct point_source *out, struct session *s,
				 const struct attempt *a)
{
	cleanup_strvec struct strvec patterns = STRVEC_INIT;
	cleanup_fileset struct fileset files = FILESET_INIT;
	const struct task *t = s->at.task;
	char id[COMMIT_ID_LEN + 1];
	size_t line;

	*out = (struct point_source){.text = BUF_INIT(FILESET_MAX_BYTES)};
	task_source_patterns(&patterns, t);
	TRY(gitstore_files(&files, s->git, a->id.hex, &patterns));
	if (files.n != 1) {
		out->why_not = "it has more than one source file";
		return NULL;
	}
	if (strlen(files.file[0].data) != files.file[0].len) {
		out->why_not = "it has a NUL byte";
		return NULL;
	}
	if (!task_chosen_flags(&out->flags, &line, t, &files))
		strvec_release(&out->flags);
	out->path = xstrdup(files.file[0].path);

	strip_marks(&out->text, files.file[0].data, files.file[0].len);
	gitstore_abbreviate(id, s->git, a->id.hex);
	out->label = xasprintf("#%lld, %s", (long long)a->number, id);
	out->point.label = out->label;
	return scan(out, t);
}

/* ---- which attempts ------------------------------------------------------------ */

static struct error *check_task(const struct task *t)
{
	if (t->language == LANGUAGE_RUNNER || task_is_reported(t))
		return error_new(ERROR_REFUSED,
				 "best: points are joined in C, C++ and CUDA "
				 "only");
	if (t->prepare || t->setup)
		return error_new(ERROR_REFUSED,
				 "best: the task has a `%s`, which each point "
				 "would need its own of: points are not joined",
				 t->prepare ? "prepare" : "setup");
	return NULL;
}

static struct error *refuse_first(const struct point_source *first,
				  const struct attempt *a)
{
	if (!first->why_not)
		return NULL;
	return error_new(ERROR_REFUSED,
			 "best: #%lld cannot stand beside another in one file: "
			 "%s",
			 (long long)a->number, first->why_not);
}

/* Of the attempts that passed, those that cannot stand beside the first. */
static struct error *leave_out(bool *left_out, struct session *s,
			       const struct population *p, size_t first)
{
	CLEANUP(point_source) struct point_source best = {0};

	TRY(read_source(&best, s, &p->attempt[first]));
	TRY(refuse_first(&best, &p->attempt[first]));
	for (size_t i = 0; i < p->n; i++) {
		CLEANUP(point_source) struct point_source other = {0};
		cleanup_error struct error *err = NULL;

		if (i == first || !attempt_passes(&p->attempt[i]))
			continue;
		err = read_source(&other, s, &p->attempt[i]);
		left_out[i] = err || other.why_not ||
			      !str_eq(other.path, best.path) ||
			      !strvec_equal(&other.flags, &best.flags) ||
			      !join_includes_agree(&other.point.scanned,
						   &best.point.scanned);
	}
	return NULL;
}

/* The run's own task, wherever the command stands. */
static struct error *read_task(struct session *s, const struct population *p,
			       const char *commit)
{
	TRY(session_run_task(s, commit, p->record.task_path));
	return check_task(s->at.task);
}

/* The best attempt that is not several already, which are left out. */
static struct error *find_first(size_t *first, bool *left_out,
				struct session *s, const struct population *p)
{
	for (;;) {
		CLEANUP(point_source) struct point_source source = {0};
		const struct attempt *a;
		struct points best;

		points_choose(&best, p, 1, left_out);
		if (!best.n)
			return error_new(
				ERROR_REFUSED,
				"best: no attempt of the run (but what "
				"`best -o` wrote) was timed in every "
				"case");
		*first = best.attempt[0];
		a = &p->attempt[*first];
		committed_task_release(&s->at);
		TRY(read_task(s, p, a->id.hex));
		TRY(error_wrap(read_source(&source, s, a), "#%lld",
			       (long long)a->number));
		if (!source.is_joined)
			return NULL;
		left_out[*first] = true;
	}
}

static struct error *choose(struct points *out, struct session *s,
			    const struct population *p, size_t most)
{
	cleanup_free bool *left_out = xcalloc(p->n + 1, sizeof *left_out);
	size_t first = 0;

	TRY(find_first(&first, left_out, s, p));
	TRY(leave_out(left_out, s, p, first));
	points_choose(out, p, most, left_out);
	if (out->n < 2)
		return error_new(ERROR_REFUSED,
				 "best: no attempt that can stand beside #%lld "
				 "in one file (one source, the same flags) "
				 "brings 5 %%: there is nothing to choose by "
				 "shape",
				 (long long)p->attempt[out->attempt[0]].number);
	return NULL;
}

/* ---- which of them where --------------------------------------------------------- */

struct size_table {
	struct split_table t;
	int64_t *value;
	double *seconds, *weight;
	size_t parameter[TASK_MAX_ARGS]; /* of each value */
};

static void size_table_release(struct size_table *t)
{
	free(t->value);
	free(t->seconds);
	free(t->weight);
}
DEFINE_RELEASE(size_table, struct size_table, size_table_release)

/* Sizes that the entry is handed as whole numbers. */
static bool is_size(const struct argument *a)
{
	return a->kind == ARGUMENT_SCALAR && a->members[0].value &&
	       !dtype_is_float(a->members[0].dtype);
}

static struct error *find_case(const struct task_case **out,
			       const struct task *t, const char *name)
{
	for (size_t i = 0; i < t->n_cases; i++)
		if (str_eq(t->cases[i].name, name)) {
			*out = &t->cases[i];
			return NULL;
		}
	return error_new(ERROR_REFUSED,
			 "best: the task has no case %s any more, of which the "
			 "attempts have times",
			 name);
}

static struct error *fill_values(struct size_table *table, const struct task *t,
				 const struct measurement *m)
{
	const struct split_table *s = &table->t;

	for (size_t c = 0; c < m->n_cases; c++) {
		const struct task_case *here = NULL;
		size_t v = 0;

		TRY(find_case(&here, t, m->cases[c].name));
		for (size_t i = 0; i < t->n_arguments; i++)
			if (is_size(&t->argument[i]))
				TRY(task_eval(
					&table->value[c * s->n_values + v++],
					t->argument[i].members[0].value, t,
					here));
	}
	return NULL;
}

static struct error *fill_table(struct size_table *table, const struct task *t,
				const struct population *p,
				const struct points *points)
{
	const struct measurement *m =
		p->attempt[points->attempt[0]].measurement;
	struct split_table *s = &table->t;
	size_t parameter = 0;

	for (size_t i = 0; i < t->n_arguments; i++) {
		if (is_size(&t->argument[i]))
			table->parameter[s->n_values++] = parameter;
		parameter += t->argument[i].passing == PASSED_AS_POINTER;
	}
	s->n_cases = m->n_cases;
	s->n_points = points->n;
	table->value = xcalloc(s->n_cases * s->n_values + 1, sizeof(int64_t));
	table->seconds = xcalloc(s->n_cases * s->n_points, sizeof(double));
	table->weight = xcalloc(s->n_cases, sizeof(double));
	s->value = table->value;
	s->seconds = table->seconds;
	s->weight = table->weight;
	for (size_t c = 0; c < s->n_cases; c++) {
		table->weight[c] = m->cases[c].weight;
		for (size_t i = 0; i < points->n; i++)
			table->seconds[c * s->n_points + i] =
				p->attempt[points->attempt[i]]
					.measurement->cases[c]
					.seconds;
	}
	return fill_values(table, t, m);
}

/* Does some case lead to every point? */
static struct error *check_tree(const struct split *tree,
				const struct split_table *t)
{
	for (size_t p = 0; p < t->n_points; p++) {
		size_t c = 0;

		while (c < t->n_cases &&
		       split_point(tree, t->value + c * t->n_values) != p)
			c++;
		if (c == t->n_cases)
			return error_new(ERROR_REFUSED,
					 "best: no whole number that the entry "
					 "is handed tells the cases apart that "
					 "have different fastest attempts");
	}
	return NULL;
}

/* ---- the source ------------------------------------------------------------------ */

static void add_rule(struct dispatch *out, const struct population *p,
		     const struct join *j, size_t at)
{
	const struct split *s = &j->tree[at];
	bool nests;

	if (s->is_leaf) {
		buf_addf(&out->rule, "#%lld",
			 (long long)p->attempt[out->points.attempt[s->point]]
				 .number);
		return;
	}
	nests = !j->tree[s->below].is_leaf;
	buf_addf(&out->rule, "%s <= %lld: %s", j->value_names->v[s->value],
		 (long long)s->most, nests ? "(" : "");
	add_rule(out, p, j, s->below);
	buf_addf(&out->rule, "%s, else ", nests ? ")" : "");
	add_rule(out, p, j, s->above);
}

static void add_head(struct buf *out, const struct point_source *s)
{
	buf_adds(out, "// " MADE_BY ": some attempts of a run, and which of "
		      "them a\n// launch takes by its shape.\n");
	if (!s->flags.n)
		return;
	buf_adds(out, "// avogit-flags:");
	for (size_t i = 0; i < s->flags.n; i++)
		buf_addf(out, " %s", s->flags.v[i]);
	buf_addc(out, '\n');
}

static struct error *write_source(struct dispatch *out,
				  const struct population *p,
				  const struct task *t,
				  const struct point_source *source,
				  const struct size_table *table)
{
	const struct point_source *last = &source[out->points.n - 1];
	struct join_point point[POINTS_MAX];
	cleanup_strvec struct strvec names = STRVEC_INIT;
	cleanup_free struct split *tree = NULL;
	size_t nodes;
	struct join j = {
		.entry = t->entry,
		.is_cxx = t->language != LANGUAGE_C,
		.point = point,
		.n = out->points.n,
		.value_names = &names,
	};

	for (size_t i = 0; i < j.n; i++)
		point[i] = source[i].point;
	for (size_t v = 0; v < table->t.n_values; v++) {
		if (table->parameter[v] >= last->parameters.n)
			return error_new(ERROR_REFUSED,
					 "best: the entry has fewer parameters "
					 "than the task has arguments");
		strvec_push(&names, last->parameters.v[table->parameter[v]]);
	}
	tree = split_make(&nodes, &table->t);
	TRY(check_tree(tree, &table->t));
	j.tree = tree;
	out->of_case = xcalloc(table->t.n_cases, sizeof *out->of_case);
	for (size_t c = 0; c < table->t.n_cases; c++)
		out->of_case[c] = split_point(
			tree, table->t.value + c * table->t.n_values);
	add_head(&out->text, last);
	join_write(&out->text, &j, &last->parameters);
	add_rule(out, p, &j, 0);
	out->path = xstrdup(last->path);
	return NULL;
}

static struct error *make(struct dispatch *out, struct point_source *source,
			  struct session *s, const struct population *p,
			  size_t most)
{
	CLEANUP(size_table) struct size_table table = {0};

	TRY(choose(&out->points, s, p, most));
	for (size_t i = 0; i < out->points.n; i++)
		TRY(read_source(&source[i], s,
				&p->attempt[out->points.attempt[i]]));
	TRY(fill_table(&table, s->at.task, p, &out->points));
	return write_source(out, p, s->at.task, source, &table);
}

struct error *dispatch_make(struct dispatch *out, struct session *s,
			    const struct population *p, size_t most)
{
	struct point_source source[POINTS_MAX] = {{0}};
	struct error *err;

	*out = (struct dispatch){.text = BUF_INIT(FILESET_MAX_BYTES),
				 .rule = BUF_INIT(BUF_LIMIT_TEXT)};
	err = make(out, source, s, p, most);
	for (size_t i = 0; i < POINTS_MAX; i++)
		point_source_release(&source[i]);
	return err;
}

void dispatch_release(struct dispatch *d)
{
	free(d->path);
	free(d->of_case);
	buf_release(&d->text);
	buf_release(&d->rule);
}
