/* Whole scorings of small kernels, through the real compiler, sandbox and
 * clock. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scorer/host/buffers.h"
#include "core/base/clock.h"
#include "scorer/scorer.h"
#include "scorer/scoring.h"
#include "scorer/wire/set.h"

#define SEED 4242

/* A task under construction; task_free disposes of it. */
static struct expr *expression(const char *text)
{
	struct expr *e = NULL;

	assert_null(expr_parse(&e, text));
	return e;
}

static struct argument *add_argument(struct task *t, const char *name,
				     enum argument_kind kind)
{
	struct argument *a = &t->argument[t->n_arguments++];

	a->name = xstrdup(name);
	a->kind = kind;
	a->alignment = 64;
	return a;
}

static struct argument *add_tensor(struct task *t, const char *name,
				   enum dtype dtype, enum direction direction,
				   const char *rows, const char *columns)
{
	struct argument *a = add_argument(t, name, ARGUMENT_TENSOR);

	a->dtype = dtype;
	a->direction = direction;
	a->fill = dtype_is_float(dtype) ? FILL_MIXED : FILL_SMALL_INTS;
	a->shape[a->n_dims++] = expression(rows);
	if (columns)
		a->shape[a->n_dims++] = expression(columns);
	return a;
}

static void add_member(struct argument *a, const char *name, enum dtype dtype,
		       const char *value)
{
	struct scalar *s;

	a->members = xrealloc(a->members, a->n_members + 1, sizeof *s);
	s = &a->members[a->n_members++];
	*s = (struct scalar){.name = xstrdup(name), .dtype = dtype};
	s->value = expression(value);
}

static void add_scalar(struct task *t, const char *name)
{
	struct argument *a = add_argument(t, name, ARGUMENT_SCALAR);

	add_member(a, name, DTYPE_I64, name);
}

static struct task *new_task(bool rows)
{
	struct task *t = xcalloc(1, sizeof *t);

	t->path = xstrdup("avogit.yaml");
	t->prefix = xstrdup("");
	t->name = xstrdup("test");
	t->entry = xstrdup("kernel");
	strvec_push(&t->sources, "kernel.c");
	strvec_pushl(&t->symbols, "m", "n", NULL);
	t->metric = METRIC_LATENCY;
	t->batch = 1;
	t->threads = 1;
	t->cache = CACHE_WARM;
	t->reference.name = xstrdup("reference");
	t->reference.entry = xstrdup("reference");
	strvec_push(&t->reference.sources, "reference.c");
	t->reference_rows = rows;
	t->plain = xstrdup("plain");
	t->compiler = xstrdup("cc");
	strvec_push(&t->flags, "-O2");
	t->tolerance.factor = 2;
	t->timeout_seconds = 1;
	t->memory_bytes = (uint64_t)64 << 20;
	t->bytes = expression("8 * m * n");
	t->operator_name = xstrdup("tuner");
	t->operator_settings = xstrdup("{}");
	return t;
}

static void add_case(struct task *t, int64_t m, int64_t n)
{
	struct task_case *c;

	GROW(t->cases, t->n_cases, t->cap_cases);
	c = &t->cases[t->n_cases++];
	*c = (struct task_case){.weight = 1};
	c->value = xcalloc(2, sizeof *c->value);
	c->value[0] = m;
	c->value[1] = n;
	c->name = xasprintf("m=%lld n=%lld", (long long)m, (long long)n);
}

static void add_hidden(struct task *t, int64_t low, int64_t high)
{
	t->hidden = xcalloc(2, sizeof *t->hidden);
	t->hidden[0] = t->hidden[1] = (struct hidden_range){low, high, 1};
	t->hidden_count = 3;
}

/* One scoring and what it needs. */
struct bench {
	struct task *task;
	struct fileset base;
	struct sandbox *sandbox;
	struct evaluator *evaluator;
};

/* `seconds` at most for a comparison. */
static void bench_open_for(struct bench *b, struct task *t,
			   const char *reference, double seconds)
{
	const struct scorer_options options = {.comparison_seconds = seconds,
					       .seed = SEED};

	*b = (struct bench){.task = t};
	assert_null(fileset_put(&b->base, "reference.c", reference,
				strlen(reference), false));
	assert_null(sandbox_probe(&b->sandbox));
	assert_null(
		scorer_new(&b->evaluator, t, &b->base, b->sandbox, &options));
}

static void bench_open(struct bench *b, struct task *t, const char *reference)
{
	bench_open_for(b, t, reference, 1);
}

static void bench_close(struct bench *b)
{
	scorer_free(b->evaluator);
	sandbox_free(b->sandbox);
	fileset_release(&b->base);
	task_free(b->task);
}

static void make_candidate(struct candidate *c, const char *source)
{
	*c = (struct candidate){0};
	assert_null(fileset_put(&c->files, "kernel.c", source, strlen(source),
				false));
	fileset_id(c->sources_id, &c->files);
	c->id = commit_id(c->sources_id);
}

static void no_error(struct error *err)
{
	if (err)
		print_error("%s\n", error_message(err));
	assert_null(err);
}

static struct measurement *score(struct bench *b, const char *source)
{
	cleanup_candidate struct candidate c;
	struct score_request r = {.candidate = &c};
	struct measurement *m = NULL;

	make_candidate(&c, source);
	no_error(b->evaluator->score(b->evaluator, &m, &r));
	return m;
}

static void expect(struct bench *b, const char *source, enum verdict verdict)
{
	cleanup_measurement struct measurement *m = score(b, source);

	if (m->verdict != verdict)
		print_error("%s: %s\n%s\n", verdict_name(m->verdict), m->why,
			    source);
	assert_int_equal(m->verdict, verdict);
	assert_true((m->why == NULL) == (verdict == VERDICT_PASS));
	assert_true((m->score > 0) == (verdict == VERDICT_PASS));
}

/* The task of most tests: every row of y is that of x divided by the sum of
 * its squares. */
#define HEADS "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n"
#define KERNEL \
	HEADS  \
	"void kernel(int64_t m, int64_t n, const float *x, float *y)\n"
#define RIGHT                                                \
	"{ for (int64_t i = 0; i < m; i++) { float s = 1;\n" \
	"  for (int64_t j = 0; j < n; j++)\n"                \
	"    s += x[i * n + j] * x[i * n + j];\n"            \
	"  for (int64_t j = 0; j < n; j++)\n"                \
	"    y[i * n + j] = x[i * n + j] / s; } %s }\n"

static const char rows_reference[] = HEADS
	"#define BODY(T) for (int64_t i = lo; i < hi; i++) { T s = 1;\\\n"
	"  for (int64_t j = 0; j < n; j++)\\\n"
	"    s += (T)x[i * n + j] * x[i * n + j];\\\n"
	"  for (int64_t j = 0; j < n; j++) y[i * n + j] = x[i * n + j] / s; }\n"
	"void reference(int64_t m, int64_t n, const float *x, double *y,\n"
	"  int64_t lo, int64_t hi) { BODY(double) }\n"
	"void plain(int64_t m, int64_t n, const float *x, float *y,\n"
	"  int64_t lo, int64_t hi) { BODY(float) }\n";

static struct task *rows_task(void)
{
	struct task *t = new_task(true);

	add_scalar(t, "m");
	add_scalar(t, "n");
	add_tensor(t, "x", DTYPE_F32, DIRECTION_IN, "m", "n");
	add_tensor(t, "y", DTYPE_F32, DIRECTION_OUT, "m", "n");
	add_case(t, 40, 33);
	add_case(t, 16, 100);
	add_hidden(t, 3, 50);
	return t;
}

/* RIGHT with something more at the end. */
static char *and_then(const char *more)
{
	cleanup_free char *body = xasprintf(RIGHT, more);

	return xasprintf("%s%s", KERNEL, body);
}

static void expect_after_right(struct bench *b, const char *more,
			       enum verdict verdict)
{
	cleanup_free char *source = and_then(more);

	expect(b, source, verdict);
}

static void gives_every_failure_its_verdict(void **state)
{
	static const struct {
		const char *more;
		enum verdict verdict;
	} endings[] = {
		{"", VERDICT_PASS},
		{"y[m * n - 1] *= 1.001f;", VERDICT_WRONG},
		{"y[0] = 0.0f / (float)(m - m);", VERDICT_WRONG},
		{"if (n % 2) y[n - 1] *= 1.001f;", VERDICT_WRONG},
		{"*(volatile int *)16 = 1;", VERDICT_CRASHED},
		{"exit(0);", VERDICT_CRASHED},
		{"for (volatile int i = 0;; i++) ;", VERDICT_TIMED_OUT},
		{"((float *)x)[0] = 1;", VERDICT_CRASHED},
		{"y[-1] = 1;", VERDICT_OUT_OF_BOUNDS},
		{"y[0] = undeclared;", VERDICT_BUILD_FAILED},
	};
	struct bench b;

	(void)state;
	bench_open(&b, rows_task(), rows_reference);
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		expect_after_right(&b, endings[i].more, endings[i].verdict);
	expect(&b, KERNEL "{ }", VERDICT_WRONG);
	expect(&b, "void other(void) { }", VERDICT_BUILD_FAILED);
	bench_close(&b);
}

/* A step past the end faults or leaves a trace, by placement. */
static void sees_one_element_past_the_end(void **state)
{
	cleanup_free char *writes = and_then("y[m * n] = 1;");
	struct bench b;

	(void)state;
	bench_open(&b, rows_task(), rows_reference);
	for (int i = 0; i < 3; i++) {
		cleanup_measurement struct measurement *m = score(&b, writes);

		assert_true(m->verdict == VERDICT_OUT_OF_BOUNDS ||
			    m->verdict == VERDICT_CRASHED);
		assert_non_null(strstr(m->why, "`y`"));
	}
	bench_close(&b);
}

static void trusts_no_message_of_a_candidate(void **state)
{
	static const char forged[] =
		"#include <sys/socket.h>\n" KERNEL
		"{ char done[8] = {6, 0, 0, 0, 3, 0, 0, 0};\n"
		"  for (int i = 0; i < 100; i++) { done[4] = (char)i;\n"
		"    send(11, done, 8, 0); } }\n";
	static const char closed[] = "#include <unistd.h>\n" KERNEL
				     "{ close(11); for (;;) ; }\n";
	struct bench b;

	(void)state;
	bench_open(&b, rows_task(), rows_reference);
	for (int i = 0; i < 2; i++) {
		cleanup_measurement struct measurement *m =
			score(&b, i ? closed : forged);

		assert_true(m->verdict != VERDICT_PASS);
		assert_true(m->score <= 0);
	}
	bench_close(&b);
}

static void keeps_what_a_crash_printed(void **state)
{
	cleanup_free char *source = and_then(
		"write(2, \"lost my way\\n\", 12); *(volatile int *)16 = 1;");
	cleanup_free char *whole = xasprintf("#include <unistd.h>\n%s", source);
	cleanup_measurement struct measurement *m = NULL;
	struct bench b;

	(void)state;
	bench_open(&b, rows_task(), rows_reference);
	m = score(&b, whole);
	assert_int_equal(m->verdict, VERDICT_CRASHED);
	assert_non_null(m->log);
	assert_non_null(strstr(m->log, "lost my way"));
	bench_close(&b);
}

static void measures_what_a_note_needs(void **state)
{
	cleanup_free char *source = and_then("");
	cleanup_measurement struct measurement *m = NULL;
	struct bench b;

	(void)state;
	bench_open(&b, rows_task(), rows_reference);
	m = score(&b, source);
	assert_int_equal(m->verdict, VERDICT_PASS);
	assert_int_equal(m->trust, TRUST_ISOLATED);
	assert_true(m->rate_is_bytes);
	assert_int_equal(m->n_cases, 2);
	for (size_t i = 0; i < m->n_cases; i++) {
		assert_true(m->cases[i].seconds > 0);
		/* One a round, of four rounds at least, where the first of them
		 * were too slow for series. */
		assert_true(m->cases[i].launches >= 4);
		assert_true(m->cases[i].rate > 0);
		assert_true(m->cases[i].error <= 1);
		assert_true(m->cases[i].overhead + m->cases[i].fixed > 0);
		assert_true(m->cases[i].overhead + m->cases[i].fixed < 1);
	}
	/* The cases are of microseconds. */
	assert_non_null(measurement_get(m, "fixed"));
	assert_non_null(measurement_get(m, "compiler"));
	assert_non_null(measurement_get(m, "sandbox"));
	assert_non_null(measurement_get(m, "overhead"));
	assert_true(m->seconds_timed > 0 && m->seconds_judge > 0);
	assert_true(m->seconds_timed < m->seconds_total);
	assert_string_equal(m->identity.scorer, SCORER_VERSION);
	bench_close(&b);
}

/* Each case computed so many times. */
static char *repeated(int times)
{
	cleanup_free char *body = xasprintf(RIGHT, "");

	return xasprintf("%s{ for (volatile int t = 0; t < %d; t++) %s }\n",
			 KERNEL, times, body);
}

static void tells_a_faster_kernel_and_confirms_it(void **state)
{
	cleanup_free char *once = repeated(1), *often = repeated(300);
	cleanup_candidate struct candidate fast, slow;
	struct rival_request rival = {RIVAL_INCUMBENT, &slow};
	struct score_request r = {.candidate = &fast,
				  .rivals = &rival,
				  .n_rivals = 1,
				  .confirm = true};
	cleanup_measurement struct measurement *m = NULL, *back = NULL;
	struct bench b;

	(void)state;
	make_candidate(&fast, once);
	make_candidate(&slow, often);
	/* time enough on a machine that is busy, too */
	bench_open_for(&b, rows_task(), rows_reference, 20);
	no_error(b.evaluator->score(b.evaluator, &m, &r));
	assert_int_equal(m->verdict, VERDICT_PASS);
	assert_int_equal(m->n_comparisons, 1);
	assert_int_equal(m->comparisons[0].decision, DECISION_FASTER);
	/* Or the machine was too busy for it, which is then said. */
	assert_true(m->comparisons[0].confirmed ||
		    measurement_get(m, "unsteady"));
	assert_true(m->comparisons[0].ratio > 1);
	assert_int_equal(m->comparisons[0].n_cases, 2);
	r.candidate = &slow;
	rival.candidate = &fast;
	no_error(b.evaluator->score(b.evaluator, &back, &r));
	assert_int_not_equal(back->comparisons[0].decision, DECISION_FASTER);
	/* What is fixed in a launch of microseconds widens the interval, at
	 * most to 1 (see widen()). */
	assert_true(back->comparisons[0].ratio < 1);
	assert_true(back->comparisons[0].ratio95.hi <= 1);
	assert_false(back->comparisons[0].confirmed);
	bench_close(&b);
}

/* Nothing would decide it before 128 rounds. */
static void what_has_no_time_left_ends_with_what_it_has_seen(void **state)
{
	cleanup_free char *once = repeated(40);
	cleanup_candidate struct candidate one, other;
	struct rival_request rival = {RIVAL_INCUMBENT, &other};
	struct score_request r = {.candidate = &one,
				  .rivals = &rival,
				  .n_rivals = 1,
				  .confirm = true};
	cleanup_measurement struct measurement *m = NULL;
	struct bench b;

	(void)state;
	make_candidate(&one, once);
	make_candidate(&other, once);
	bench_open_for(&b, rows_task(), rows_reference, 20);
	r.until = clock_seconds();
	no_error(b.evaluator->score(b.evaluator, &m, &r));
	assert_int_equal(m->verdict, VERDICT_PASS);
	assert_true(m->comparisons[0].blocks < 100);
	assert_false(m->comparisons[0].confirmed);
	assert_true(score_is_late(m, &r));
	assert_string_equal(measurement_get(m, "unsteady"),
			    "the time was up before the gain was confirmed");
	bench_close(&b);
}

/* The first contest of a search has no twin. */
static void a_search_knows_the_noise_of_what_it_confirms(void **state)
{
	cleanup_free char *once = repeated(1), *often = repeated(300);
	cleanup_candidate struct candidate fast, slow;
	struct rival_request rival = {RIVAL_INCUMBENT, &slow};
	struct score_request r = {.candidate = &fast,
				  .rivals = &rival,
				  .n_rivals = 1,
				  .winners_only = true,
				  .confirm = true};
	cleanup_measurement struct measurement *won = NULL, *lost = NULL,
					       *asked = NULL;
	struct bench b;

	(void)state;
	make_candidate(&fast, once);
	make_candidate(&slow, often);
	bench_open_for(&b, rows_task(), rows_reference, 20);
	no_error(b.evaluator->score(b.evaluator, &won, &r));
	assert_int_equal(won->comparisons[0].decision, DECISION_FASTER);
	assert_true(won->noise > 0);
	r.candidate = &slow;
	rival.candidate = &fast;
	no_error(b.evaluator->score(b.evaluator, &lost, &r));
	assert_int_not_equal(lost->comparisons[0].decision, DECISION_FASTER);
	assert_true(lost->noise == 0);
	r.confirm = false;
	no_error(b.evaluator->score(b.evaluator, &asked, &r));
	assert_true(asked->noise > 0);
	bench_close(&b);
}

static void a_wrong_rival_is_an_error(void **state)
{
	cleanup_free char *right = and_then("");
	cleanup_candidate struct candidate good, bad;
	struct rival_request rival = {RIVAL_CHAMPION, &bad};
	struct score_request r = {
		.candidate = &good, .rivals = &rival, .n_rivals = 1};
	cleanup_error struct error *err = NULL;
	struct measurement *m = NULL;
	struct bench b;

	(void)state;
	make_candidate(&good, right);
	make_candidate(&bad, KERNEL "{ }");
	bench_open(&b, rows_task(), rows_reference);
	err = b.evaluator->score(b.evaluator, &m, &r);
	assert_true(error_is(err, ERROR_TASK));
	assert_non_null(strstr(error_message(err), "it fails itself"));
	assert_null(m);
	bench_close(&b);
}

static void throughput_hands_over_a_batch(void **state)
{
	struct task *t = rows_task();
	struct bench b;

	(void)state;
	t->metric = METRIC_THROUGHPUT;
	t->batch = 8;
	t->cache = CACHE_COLD;
	bench_open(&b, t, rows_reference);
	expect_after_right(&b, "", VERDICT_PASS);
	/* Right for the first of a batch only. */
	expect_after_right(
		&b, "static int calls; if (calls++ % 8) memset(y, 0, 4);",
		VERDICT_WRONG);
	bench_close(&b);
}

/* All that a signature may hold: y += s.alpha * x in place, with gaps between
 * rows, through a workspace, and a count of what is positive. */
#define MANY  \
	HEADS \
	"struct scale { float alpha; int32_t sign; };\n"
#define MANY_ARGS(T)                                              \
	"(int64_t n, struct scale s, const float *x, " T " *y,\n" \
	" int32_t *positive, double *room, int64_t m"
#define MANY_BODY(lo, hi, T, scratch)                                  \
	"{ for (int64_t i = " lo "; i < " hi "; i++) {\n"              \
	"  int32_t count = 0;\n"                                       \
	"  for (int64_t j = 0; j < n; j++) {\n"                        \
	"    " scratch ";\n"                                           \
	"    y[i * (n + 3) + j] += (" T ")s.sign * (" T ")s.alpha *\n" \
	"      (" T ")x[j * m + i];\n"                                 \
	"    count += x[j * m + i] > 0; }\n"                           \
	"  positive[i] = count; } }\n"

static const char many_reference[] = MANY
	"void reference" MANY_ARGS("double") ")" MANY_BODY(
		"0", "m", "double",
		"") "void plain" MANY_ARGS("float") ")" MANY_BODY("0", "m",
								  "float", "");

static struct task *many_task(void)
{
	struct task *t = new_task(false);
	struct argument *a;

	add_scalar(t, "n");
	a = add_argument(t, "s", ARGUMENT_STRUCT);
	add_member(a, "alpha", DTYPE_F32, "3");
	add_member(a, "sign", DTYPE_I32, "0 - 1");
	a = add_tensor(t, "x", DTYPE_F32, DIRECTION_IN, "m", "n");
	a->stride[0] = expression("1");
	a->stride[1] = expression("m");
	a->has_strides = true;
	a = add_tensor(t, "y", DTYPE_F32, DIRECTION_INOUT, "m", "n");
	a->stride[0] = expression("n + 3");
	a->stride[1] = expression("1");
	a->has_strides = true;
	add_tensor(t, "positive", DTYPE_I32, DIRECTION_OUT, "m", NULL);
	a = add_argument(t, "room", ARGUMENT_WORKSPACE);
	a->bytes = expression("8 * n");
	a->zeroed = true;
	add_scalar(t, "m");
	add_case(t, 30, 20);
	return t;
}

static void passes_every_kind_of_argument(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, many_task(), many_reference);
	expect(&b,
	       MANY "void kernel" MANY_ARGS("float") ")" MANY_BODY(
		       "0", "m", "float",
		       "if (i == 0 && room[j] != 0) count = 99; room[j] = 1"),
	       VERDICT_PASS);
	/* The last count is off by one; a gap between rows; the workspace's
	 * end. */
	expect(&b,
	       MANY "void kernel" MANY_ARGS("float") ")" MANY_BODY(
		       "0", "m", "float", "if (i == m - 1 && !j) count = 1"),
	       VERDICT_WRONG);
	expect(&b,
	       MANY "void kernel" MANY_ARGS(
		       "float") ")" MANY_BODY("0", "m", "float", "y[n] = 0"),
	       VERDICT_OUT_OF_BOUNDS);
	expect(&b,
	       MANY "void kernel" MANY_ARGS("float") ")" MANY_BODY(
		       "0", "m", "float", "room[-1] = 0"),
	       VERDICT_OUT_OF_BOUNDS);
	bench_close(&b);
}

/* y[i] = x[index[i]], where only the task's own generator knows what an index
 * may be. */
#define GATHER(T)                                                              \
	"(int64_t m, int64_t n, const float *x, const int32_t *index, " T " *" \
	"y)"
#define GATHER_BODY " { for (int64_t i = 0; i < m; i++) y[i] = x[index[i]]; }\n"

static void takes_inputs_from_a_generator(void **state)
{
	static const char reference[] = HEADS "void reference" GATHER("double")
		GATHER_BODY "void plain" GATHER("float") GATHER_BODY
		"void indices(int32_t *data, uint64_t seed, int64_t m, int64_t "
		"n)\n"
		"{ for (int64_t i = 0; i < m; i++, seed = seed * 48271 % "
		"2147483647)\n"
		"    data[i] = (int32_t)(seed % (uint64_t)n); }\n";
	struct task *t = new_task(false);
	struct argument *a;
	struct bench b;

	(void)state;
	add_scalar(t, "m");
	add_scalar(t, "n");
	add_tensor(t, "x", DTYPE_F32, DIRECTION_IN, "n", NULL);
	a = add_tensor(t, "index", DTYPE_I32, DIRECTION_IN, "m", NULL);
	a->fill = FILL_GENERATOR;
	a->generator = xstrdup("indices");
	add_tensor(t, "y", DTYPE_F32, DIRECTION_OUT, "m", NULL);
	add_case(t, 300, 1000);
	bench_open(&b, t, reference);
	no_error(scorer_check_task(b.evaluator));
	expect(&b, HEADS "void kernel" GATHER("float") GATHER_BODY,
	       VERDICT_PASS);
	expect(&b,
	       HEADS "void kernel" GATHER("float") " { for (int64_t i = 0; i < "
						   "m; i++) y[i] = x[i]; }\n",
	       VERDICT_WRONG);
	bench_close(&b);
}

static void threads_work_where_the_task_allows_them(void **state)
{
	static const char head[] =
		"#include <pthread.h>\n" HEADS
		"static const float *in; static float *out; static int64_t M, "
		"N;\n"
		"static void *half(void *p) {\n"
		"  for (int64_t i = p ? M / 2 : 0; i < (p ? M : M / 2); i++) "
		"{\n"
		"    float s = 1;\n"
		"    for (int64_t j = 0; j < N; j++) s += in[i*N+j] * "
		"in[i*N+j];\n"
		"    for (int64_t j = 0; j < N; j++) out[i*N+j] = in[i*N+j] / "
		"s; }\n"
		"  return 0; }\n"
		"void kernel(int64_t m, int64_t n, const float *x, float *y)\n"
		"{ pthread_t t; in = x; out = y; M = m; N = n;\n"
		"  if (pthread_create(&t, 0, half, (void *)1)) return;\n"
		"  half(0); ";
	cleanup_free char *joined = xasprintf("%spthread_join(t, 0); }", head);
	struct task *two = rows_task();
	struct bench b;

	(void)state;
	two->threads = 2;
	bench_open(&b, two, rows_reference);
	expect(&b, joined, VERDICT_PASS);
	bench_close(&b);
	bench_open(&b, rows_task(), rows_reference);
	expect(&b, joined, VERDICT_WRONG);
	bench_close(&b);
}

static void lint(struct task *t, const char *reference, const char *word)
{
	cleanup_error struct error *err = NULL;
	struct bench b;

	bench_open(&b, t, reference);
	err = scorer_check_task(b.evaluator);
	if (word) {
		assert_true(error_is(err, ERROR_TASK));
		assert_non_null(strstr(error_message(err), word));
	} else {
		no_error(err);
	}
	bench_close(&b);
}

#define ROWS_PAIR(reference_body, plain_body)                               \
	HEADS                                                               \
	"void reference(int64_t m, int64_t n, const float *x, double *y,\n" \
	" int64_t lo, int64_t hi) { for (int64_t i = lo * n; i < hi * n;"   \
	" i++) " reference_body " }\n"                                      \
	"void plain(int64_t m, int64_t n, const float *x, float *y,\n"      \
	" int64_t lo, int64_t hi) { for (int64_t i = lo * n; i < hi * n;"   \
	" i++) " plain_body " }\n"

static void refuses_a_task_that_cannot_tell_right_from_wrong(void **state)
{
	(void)state;
	lint(rows_task(), rows_reference, NULL);
	lint(rows_task(), ROWS_PAIR("y[i] = 1;", "y[i] = 1;"), "hardly");
	lint(rows_task(), ROWS_PAIR("y[i] = x[i];", "y[i] = -x[i];"),
	     "plain version");
	lint(rows_task(), ROWS_PAIR("if (i % 2) y[i] = x[i];", "y[i] = x[i];"),
	     "unwritten");
	lint(rows_task(), ROWS_PAIR("{ }", "{ }"), "unwritten");
}

/* A plain version that is off by nearly a tenth allows so much that no other set
 * differs by more. It is in the first set in one of the two. */
static void refuses_no_task_for_its_first_set(void **state)
{
	(void)state;
	lint(rows_task(),
	     ROWS_PAIR("y[i] = x[i];", "y[i] = x[i] * (x[0] > 0 ? 1.09f : 1);"),
	     NULL);
	lint(rows_task(),
	     ROWS_PAIR("y[i] = x[i];", "y[i] = x[i] * (x[0] < 0 ? 1.09f : 1);"),
	     NULL);
}

#define DRAWS 64

/* What no kernel can know before: where things lie, and what is in them. */
static void every_launch_is_laid_out_and_filled_anew(void **state)
{
	struct task *t = rows_task();
	struct chacha_key key[DRAWS];
	uint64_t at[DRAWS];
	size_t at_page_end = 0;
	struct secret_random secret;
	struct layout_random layout;

	(void)state;
	secret_random_repeat(&secret, SEED);
	layout_random_repeat(&layout, SEED);
	for (size_t i = 0; i < DRAWS; i++) {
		cleanup_input_set struct input_set s = INPUT_SET_INIT;
		const struct tensor_layout *x;

		assert_null(set_init(&s, t, &t->cases[0], FILL_NORMAL, 1,
				     &secret, &layout));
		x = &s.call.layout.arg[2].tensor;
		at_page_end += x->offset > x->begin + LAYOUT_GUARD;
		key[i] = s.recipe.key;
		at[i] = buffers_inputs_at(&layout);
		for (size_t k = 0; k < i; k++)
			assert_true(memcmp(&key[k], &key[i], sizeof *key) &&
				    at[k] != at[i]);
	}
	assert_in_range(at_page_end, DRAWS / 4, DRAWS - DRAWS / 4);
	task_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_every_failure_its_verdict),
		cmocka_unit_test(sees_one_element_past_the_end),
		cmocka_unit_test(trusts_no_message_of_a_candidate),
		cmocka_unit_test(keeps_what_a_crash_printed),
		cmocka_unit_test(measures_what_a_note_needs),
		cmocka_unit_test(tells_a_faster_kernel_and_confirms_it),
		cmocka_unit_test(
			what_has_no_time_left_ends_with_what_it_has_seen),
		cmocka_unit_test(a_search_knows_the_noise_of_what_it_confirms),
		cmocka_unit_test(a_wrong_rival_is_an_error),
		cmocka_unit_test(throughput_hands_over_a_batch),
		cmocka_unit_test(passes_every_kind_of_argument),
		cmocka_unit_test(takes_inputs_from_a_generator),
		cmocka_unit_test(threads_work_where_the_task_allows_them),
		cmocka_unit_test(
			refuses_a_task_that_cannot_tell_right_from_wrong),
		cmocka_unit_test(refuses_no_task_for_its_first_set),
		cmocka_unit_test(every_launch_is_laid_out_and_filled_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
