#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/tools/tool.h"

static const char text[] =
	"name: rows\nlanguage: python\nsources: [k.py]\nentry: f\n"
	"arguments:\n"
	"  - {name: x, dtype: f32, shape: [m]}\n"
	"  - {name: y, dtype: f32, shape: [m], direction: out}\n"
	"cases: [{m: 4}]\nflops: m\n"
	"reference: {torch: r.py, entry: f, plain: p}\n"
	"forbidden: {calls: [softmax, 'aten::mm'], modules: [vllm]}\n";

static void a_model_is_told_what_is_forbidden(void **state)
{
	cleanup_task struct task *t = NULL;
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	assert_null(task_parse(&t, "avogit.yaml", text, strlen(text)));
	task_brief(&out, t);
	assert_non_null(strstr(out.data, "forbidden: operators of PyTorch: "
					 "softmax, aten::mm\n"
					 "forbidden: modules: vllm\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_model_is_told_what_is_forbidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
