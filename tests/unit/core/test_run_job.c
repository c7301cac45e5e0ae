#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/run/job.h"

#define FIRST  "0123456789012345678901234567890123456789"
#define SECOND "1123456789012345678901234567890123456789"

static void make_job(struct score_job *job)
{
	const struct commit_id first = commit_id(FIRST);
	const struct commit_id second = commit_id(SECOND);

	job_init(job, "00112233445566aa");
	job_add(job, "gemm", &first);
	job_add(job, "gemm", &second);
}

/* Adds a line of an answer for the i-th candidate. */
static void add_line(struct buf *text, const struct score_job *job,
		     int64_t restart, size_t i)
{
	cleanup_measurement struct measurement *m = measurement_new();
	cleanup_free char *line = NULL;

	m->verdict = VERDICT_BUILD_FAILED;
	line = job_answer_line(job, restart, &job->candidate[i], m);
	buf_addf(text, "%s\n", line);
}

static void add_end(struct buf *text, const struct score_job *job,
		    int64_t restart, size_t count)
{
	cleanup_free char *line = job_end_line(job, restart, count, NULL);

	buf_addf(text, "%s\n", line);
}

static void a_job_is_read_back(void **state)
{
	cleanup_job struct score_job job = {.n = 0}, read = {.n = 0};
	cleanup_free char *line = NULL;

	(void)state;
	make_job(&job);
	line = job_print(&job);
	assert_null(strchr(line, '\n'));
	assert_null(job_parse(&read, line, strlen(line)));
	assert_string_equal(read.id, job.id);
	assert_string_equal(read.from, "00112233445566aa");
	assert_int_equal(read.n, 2);
	assert_string_equal(read.candidate[1].run, "gemm");
	assert_string_equal(read.candidate[1].id.hex, SECOND);
}

static void a_damaged_job_is_refused(void **state)
{
	cleanup_job struct score_job job = {.n = 0};
	cleanup_free char *line = NULL;

	(void)state;
	make_job(&job);
	line = job_print(&job);
	for (size_t len = 0; len < strlen(line); len++) {
		cleanup_job struct score_job read = {.n = 0};
		cleanup_error struct error *err = job_parse(&read, line, len);

		assert_non_null(err);
	}
	/* The name of a folder is made of it. */
	memcpy(strstr(line, "00112233"), "../../..", 8);
	{
		cleanup_job struct score_job read = {.n = 0};
		cleanup_error struct error *err =
			job_parse(&read, line, strlen(line));

		assert_non_null(err);
	}
}

static void an_answer_is_read_back(void **state)
{
	cleanup_job struct score_job job = {.n = 0};
	cleanup_job_answer struct job_answer a = {.n = 0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	make_job(&job);
	add_line(&text, &job, 0, 1);
	add_line(&text, &job, 0, 0);
	add_end(&text, &job, 0, 2);
	assert_null(job_answer_read(&a, &job, text.data, text.len));
	assert_true(a.ended);
	assert_int_equal(a.n, 2);
	assert_ptr_equal(a.result[0].of, &job.candidate[1]);
	assert_int_equal(a.result[1].measurement->verdict,
			 VERDICT_BUILD_FAILED);
}

/* Wherever it is cut: whole lines count, the rest does not. */
static void a_cut_answer_has_its_whole_lines(void **state)
{
	cleanup_job struct score_job job = {.n = 0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	size_t first, second;

	(void)state;
	make_job(&job);
	add_line(&text, &job, 0, 0);
	first = text.len;
	add_line(&text, &job, 0, 1);
	second = text.len;
	add_end(&text, &job, 0, 2);
	for (size_t len = 0; len < text.len; len++) {
		cleanup_job_answer struct job_answer a = {.n = 0};

		assert_null(job_answer_read(&a, &job, text.data, len));
		assert_int_equal(a.n, (len >= first) + (len >= second));
		assert_false(a.ended);
	}
}

static void the_last_start_counts(void **state)
{
	cleanup_job struct score_job job = {.n = 0};
	cleanup_job_answer struct job_answer a = {.n = 0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	make_job(&job);
	add_line(&text, &job, 0, 0);
	add_line(&text, &job, 1, 0);
	/* A process of a node that was given up goes on writing. */
	add_line(&text, &job, 0, 1);
	add_end(&text, &job, 0, 2);
	add_line(&text, &job, 1, 1);
	add_end(&text, &job, 1, 2);
	assert_null(job_answer_read(&a, &job, text.data, text.len));
	assert_int_equal(a.n, 2);
	assert_int_equal(a.restart, 1);
	assert_int_equal(a.left_out, 3);
	assert_true(a.ended);
}

static void assert_refused(const struct score_job *job, const struct buf *text)
{
	cleanup_job_answer struct job_answer a = {.n = 0};
	cleanup_error struct error *err =
		job_answer_read(&a, job, text->data, text->len);

	assert_non_null(err);
	assert_int_equal(a.n, 0);
}

static void what_is_not_its_answer_is_refused(void **state)
{
	cleanup_job struct score_job job = {.n = 0}, other = {.n = 0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	make_job(&job);
	make_job(&other);
	add_line(&text, &job, 0, 0);
	add_line(&text, &other, 0, 1);
	assert_refused(&job, &text);
	buf_clear(&text);
	add_line(&text, &job, 0, 0);
	add_line(&text, &job, 0, 0);
	assert_refused(&job, &text);
	buf_clear(&text);
	add_line(&text, &job, 0, 0);
	add_end(&text, &job, 0, 2);
	assert_refused(&job, &text);
	buf_clear(&text);
	add_end(&text, &job, 0, 0);
	add_line(&text, &job, 0, 0);
	assert_refused(&job, &text);
	buf_clear(&text);
	add_line(&text, &job, -1, 0);
	assert_refused(&job, &text);
	buf_clear(&text);
	buf_adds(&text, "\n");
	assert_refused(&job, &text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_is_read_back),
		cmocka_unit_test(a_damaged_job_is_refused),
		cmocka_unit_test(an_answer_is_read_back),
		cmocka_unit_test(a_cut_answer_has_its_whole_lines),
		cmocka_unit_test(the_last_start_counts),
		cmocka_unit_test(what_is_not_its_answer_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
