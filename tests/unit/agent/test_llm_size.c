/* What a step of the operator llm begins with, in bytes, beside what it was
 * before shapes, work, hidden ranges, the machine and the budget were told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "agent/llm/prompt.h"
#include "core/base/file.h"

#define ATTEMPTS 60
#define SUBJECT	 "Pack B once a block of 256 columns, so that L1 holds it"
#define WHY                                                                   \
	"the inner loop waits for loads of B; packed rows are read in order " \
	"and fit into L1, which the figures of #3 say is what limits it"

/* Of a step with the same run on 0.1.0, commit b3f5811: the example matmul with
 * 60 attempts. All tools were listed; `profile` failed. */
#define SYSTEM_BEFORE 1734
#define FIRST_BEFORE  10924
#define TOOLS_BEFORE  4834

struct run {
	struct task *task;
	struct population population;
	struct evaluator evaluator;
	struct allowance allowance;
	struct variation v;
	struct toolbox box;
	struct notes notes;
};

static const char *machine_name(struct evaluator *e UNUSED)
{
	return "AMD EPYC 9555 64-Core Processor, 16 cpus";
}

#ifndef BEFORE
static void machine_about(struct evaluator *e UNUSED, struct buf *out)
{
	buf_adds(out, "instruction sets: sse4_2 avx avx2 fma f16c bmi2 "
		      "avx_vnni avx512f avx512dq avx512bw avx512vl "
		      "avx512_vnni avx512_bf16 avx512_vbmi\n"
		      "caches: L1 48K, L2 1024K, L3 32768K for CPUs 0-7\n");
}

static void left(const struct allowance *a UNUSED, struct buf *out)
{
	buf_adds(out, "140 attempts, 5.2 h, $4.20");
}
#endif

static void add_attempt(struct population *p, int64_t number)
{
	char id[COMMIT_ID_LEN + 1];
	struct attempt *a;

	snprintf(id, sizeof id, "%040d", (int)number + 1);
	a = population_add(p, id);
	a->number = number;
	a->lineage = 1;
	if (number) {
		a->parent = p->attempt[0].id;
		population_set_text(p, &a->subject, SUBJECT);
		population_set_text(p, &a->hypothesis, WHY);
	}
	a->measurement = measurement_new();
	measurement_fail(a->measurement, VERDICT_BUILD_FAILED,
			 "kernel.c:31:9: error: expected expression before "
			 "'}' token");
}

static int setup(void **state)
{
	struct run *r = xcalloc(1, sizeof *r);
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	assert_null(file_read(&text, "examples/matmul/avogit.yaml"));
	assert_null(task_parse(&r->task, "examples/matmul/avogit.yaml",
			       text.data, text.len));
	population_init(&r->population);
	for (int64_t i = 0; i <= ATTEMPTS; i++)
		add_attempt(&r->population, i);
	r->evaluator.machine_name = machine_name;
#ifndef BEFORE
	r->evaluator.machine_about = machine_about;
	r->allowance.left = left;
#endif
	r->v = (struct variation){.task = r->task,
				  .population = &r->population,
				  .lineage = 1,
				  .workspace = "/src/.git/avogit/ws/w27scDk",
				  .allowance = &r->allowance,
				  .evaluator = &r->evaluator};
	toolbox_init(&r->box, &r->v);
	notes_init(&r->notes);
	r->box.notes = &r->notes;
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct run *r = *state;

	notes_release(&r->notes);
	population_release(&r->population);
	task_free(r->task);
	free(r);
	return 0;
}

static size_t tool_bytes(const struct run *r)
{
	size_t n, bytes = 0;
	const struct tool *t = tools(&n);

	(void)r;
	for (size_t i = 0; i < n; i++) {
#ifndef BEFORE
		if (!tool_is_offered(&t[i], &r->v))
			continue;
#endif
		bytes += strlen(t[i].name) + strlen(t[i].description) +
			 strlen(t[i].schema);
	}
	return bytes;
}

static void a_step_begins_with_no_more_than_before(void **state)
{
	const struct fileset own = FILESET_INIT;
	struct run *r = *state;
	cleanup_buf struct buf first = BUF_INIT(BUF_LIMIT_TEXT);
	size_t system = strlen(prompt_text(&own, "system.md"));
	size_t of_tools = tool_bytes(r);

	prompt_first(&first, &own, "step.md", &r->box, 60, NULL);
	printf("# bytes: system %zu (before %d), tools %zu (%d), first message "
	       "%zu (%d), in all %zu (%d)\n",
	       system, SYSTEM_BEFORE, of_tools, TOOLS_BEFORE, first.len,
	       FIRST_BEFORE, system + of_tools + first.len,
	       SYSTEM_BEFORE + TOOLS_BEFORE + FIRST_BEFORE);
	assert_true(system + of_tools + first.len <=
		    SYSTEM_BEFORE + TOOLS_BEFORE + FIRST_BEFORE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_step_begins_with_no_more_than_before, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
