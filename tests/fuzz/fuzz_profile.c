/* What a profiler and a disassembler print of another person's kernel. */
#include "scorer/inspect/profile.h"
#include "scorer/inspect/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_counters(const char *text, size_t size)
{
	cleanup_capture struct profile_capture c = {0};
	cleanup_profile struct profile p = {0};
	cleanup_bottlenecks struct bottlenecks b = {0};
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_json struct json *j = NULL;
	cleanup_free char *printed = NULL;
	cleanup_error struct error *err = capture_parse(&c, text, size);

	if (err || (err = profile_read(&p, NULL, &c)))
		return;
	profile_judge(&b, &p);
	profile_table(&out, &p);
	profile_print_bottlenecks(&out, &b);
	j = profile_to_json(&p, &b);
	printed = json_print(j);
}

static void show(const struct sass *s, size_t kernel)
{
	cleanup_sass_loop struct sass_loop loop = sass_hot_loop(s, kernel);
	cleanup_buf struct buf out = BUF_INIT(BUF_LIMIT_TEXT);

	for (size_t i = 0; i < loop.n; i++)
		if (loop.line[i] >= s->n_lines ||
		    (i && loop.line[i] <= loop.line[i - 1]))
			abort();
	sass_mix(&out, s, &loop);
	sass_print(&out, s, &loop);
}

static void read_code(const char *text, size_t size)
{
	cleanup_sass struct sass s = {0};
	cleanup_error struct error *err = sass_parse(&s, text, size);

	if (err)
		return;
	show(&s, SIZE_MAX);
	for (size_t k = 0; k < MIN(s.n_kernels, 4u); k++)
		show(&s, k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* One NUL after it and not a byte more. */
	cleanup_free char *text = xcalloc(size + 1, 1);

	if (size)
		memcpy(text, data, size);
	read_counters(text, size);
	read_code(text, size);
	return 0;
}
