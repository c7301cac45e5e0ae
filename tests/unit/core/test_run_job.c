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

static char *long_text(size_t len)
{
	char *text = xcalloc(len + 1, 1);

	memset(text, 'x', len);
	return text;
}

static char *line_with_long_texts(const struct score_job *job, size_t why,
				  size_t log, size_t setting)
{
	cleanup_measurement struct measurement *m = measurement_new();
	cleanup_free char *value = long_text(setting);

	m->verdict = VERDICT_BUILD_FAILED;
	m->why = long_text(why);
	m->log = long_text(log);
	measurement_set(m, "cpu", value);
	return job_answer_line(job, 0, &job->candidate[0], m);
}

static void long_texts_of_an_answer_are_cut(void **state)
{
	cleanup_job struct score_job job = {.n = 0};
	cleanup_job_answer struct job_answer a = {.n = 0};
	cleanup_buf struct buf text = BUF_INIT((size_t)32 << 20);
	cleanup_free char *line = NULL, *end = NULL, *why = NULL;

	(void)state;
	make_job(&job);
	why = long_text(3000000);
	line = line_with_long_texts(&job, 3000000, 3000000, 10);
	end = job_end_line(&job, 0, 1, why);
	buf_addf(&text, "%s\n%s\n", line, end);
	assert_null(job_answer_read(&a, &job, text.data, text.len));
	assert_int_equal(a.n, 1);
	assert_int_equal(strlen(a.result[0].measurement->why),
			 MEASUREMENT_WHY_MAX);
	assert_int_equal(strlen(a.result[0].measurement->log),
			 MEASUREMENT_LOG_MAX);
	assert_int_equal(strlen(a.why), MEASUREMENT_WHY_MAX);
}

static void what_no_journal_can_hold_is_refused(void **state)
{
	cleanup_job struct score_job job = {.n = 0};
	cleanup_job_answer struct job_answer a = {.n = 0};
	cleanup_buf struct buf text = BUF_INIT((size_t)32 << 20);
	cleanup_error struct error *err = NULL;
	cleanup_free char *line = NULL;

	(void)state;
	make_job(&job);
	line = line_with_long_texts(&job, 10, 10, JOURNAL_ENTRY_MAX);
	buf_addf(&text, "%s\n", line);
	err = job_answer_read(&a, &job, text.data, text.len);
	assert_true(error_is(err, ERROR_REFUSED));
	assert_non_null(strstr(error_message(err), "more than the 983040"));
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

/* ---- orders ---------------------------------------------------------------- */

static void make_order(struct score_job *job)
{
	const struct commit_id first = commit_id(FIRST);

	job_init(job, "00112233445566aa");
	job_add(job, "gemm", &first);
	job->order = (struct score_order){
		.task = xstrdup("sub/avogit.yaml"),
		.base = commit_id(SECOND),
		.rival = {{RIVAL_CHAMPION, commit_id(SECOND)},
			  {RIVAL_INCUMBENT, commit_id(FIRST)}},
		.n_rivals = 2,
		.winners_only = true,
		.confirm = true,
		.sanitizers = 5,
	};
}

static void an_order_is_read_back(void **state)
{
	cleanup_job struct score_job job = {.n = 0}, read = {.n = 0};
	cleanup_free char *line = NULL;

	(void)state;
	make_order(&job);
	line = job_print(&job);
	assert_null(job_parse(&read, line, strlen(line)));
	assert_string_equal(read.order.task, "sub/avogit.yaml");
	assert_string_equal(read.order.base.hex, SECOND);
	assert_int_equal(read.order.n_rivals, 2);
	assert_int_equal(read.order.rival[1].as, RIVAL_INCUMBENT);
	assert_string_equal(read.order.rival[0].id.hex, SECOND);
	assert_true(read.order.winners_only && read.order.confirm);
	assert_false(read.order.baselines || read.order.about ||
		     read.order.thorough || read.order.patient);
	assert_int_equal(read.order.sanitizers, 5);
}

static void assert_no_order(const char *line, const char *what,
			    const char *instead)
{
	const char *at = strstr(line, what);
	cleanup_job struct score_job read = {.n = 0};
	cleanup_error struct error *err = NULL;
	cleanup_free char *other = NULL;

	assert_non_null(at);
	other = xasprintf("%.*s%s%s", (int)(at - line), line, instead,
			  at + strlen(what));
	err = job_parse(&read, other, strlen(other));
	if (!err)
		fail_msg("taken: %s", other);
}

static void an_order_that_is_not_one_is_refused(void **state)
{
	cleanup_job struct score_job job = {.n = 0};
	cleanup_free char *line = NULL;

	(void)state;
	make_order(&job);
	line = job_print(&job);
	assert_no_order(line, "sub/avogit.yaml", "");
	assert_no_order(line, "\"base\":\"1", "\"base\":\"x");
	assert_no_order(line, "\"as\":\"champion\"", "\"as\":\"friend\"");
	assert_no_order(line, "\"confirm\":true", "\"confirm\":1");
	assert_no_order(line, "\"rivals\":[", "\"rivals\":[{},");
	assert_no_order(line, "\"sanitizers\":[", "\"sanitizers\":[\"all\",");
	assert_no_order(line, "\"order\":", "\"other\":");
	assert_no_order(line, "\"avogit_job\":2", "\"avogit_job\":3");
	for (size_t len = 0; len < strlen(line); len++) {
		cleanup_job struct score_job read = {.n = 0};
		cleanup_error struct error *err = job_parse(&read, line, len);

		assert_non_null(err);
	}
}

static void read_one(struct job_answer *out, const struct score_job *job,
		     const char *line)
{
	cleanup_free char *text = xasprintf("%s\n", line);

	assert_null(job_answer_read(out, job, text, strlen(text)));
}

static void an_order_is_answered_in_four_ways(void **state)
{
	cleanup_job struct score_job job = {.n = 0};
	cleanup_job_answer struct job_answer failed = {.n = 0}, is = {.n = 0},
					     missing = {.n = 0};
	char why[] = "off by one", name[] = "a card", about[] = "fast";
	const struct rival_failure f = {true, 1, VERDICT_WRONG, why, 2.5};
	const struct far_machine m = {"0123456789abcdef", name, about};
	cleanup_free char *one = NULL, *two = NULL, *three = NULL;

	(void)state;
	make_order(&job);
	one = job_failure_line(&job, 0, &f);
	read_one(&failed, &job, one);
	assert_int_equal(failed.n, 1);
	assert_null(failed.result[0].measurement);
	assert_true(failed.result[0].failure.failed);
	assert_int_equal(failed.result[0].failure.rival, 1);
	assert_string_equal(failed.result[0].failure.why, "off by one");
	three = job_missing_line(&job, 0);
	read_one(&missing, &job, three);
	assert_true(missing.ended && missing.missing && !missing.n);
	job.order.about = true;
	two = job_machine_line(&job, 0, &m);
	read_one(&is, &job, two);
	assert_string_equal(is.result[0].machine.kind, "0123456789abcdef");
	assert_string_equal(is.result[0].machine.name, "a card");
}

static void assert_line_refused(const struct score_job *job, char *line)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	buf_addf(&text, "%s\n", line);
	free(line);
	assert_refused(job, &text);
}

static void what_an_order_did_not_ask_is_refused(void **state)
{
	cleanup_job struct score_job job = {.n = 0}, plain = {.n = 0};
	char why[] = "no such rival", name[] = "a card", nothing[] = "";
	struct rival_failure f = {true, 2, VERDICT_WRONG, why, 0};
	const struct far_machine m = {"0123456789abcdef", name, nothing};
	const struct far_machine nameless = {"0123456789abcdef", nothing,
					     nothing};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	make_order(&job);
	assert_line_refused(&job, job_failure_line(&job, 0, &f));
	f.rival = 0;
	f.verdict = VERDICT_PASS;
	assert_line_refused(&job, job_failure_line(&job, 0, &f));
	f.verdict = VERDICT_WRONG;
	f.gpu_seconds = -1;
	assert_line_refused(&job, job_failure_line(&job, 0, &f));
	assert_line_refused(&job, job_machine_line(&job, 0, &m));
	job.order.about = true;
	add_line(&text, &job, 0, 0);
	assert_refused(&job, &text);
	assert_line_refused(&job, job_machine_line(&job, 0, &nameless));
	/* Nor is one of these an answer to a job without an order. */
	make_job(&plain);
	f.gpu_seconds = 0;
	assert_line_refused(&plain, job_failure_line(&plain, 0, &f));
}

static void a_long_reason_of_a_failed_rival_is_cut(void **state)
{
	cleanup_job struct score_job job = {.n = 0};
	cleanup_job_answer struct job_answer failed = {.n = 0};
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *line = NULL;

	(void)state;
	make_order(&job);
	while (why.len < 20000)
		buf_adds(&why, "off by one, ");
	line = job_failure_line(&job, 0,
				&(const struct rival_failure){
					true, 0, VERDICT_WRONG, why.data, 1});
	read_one(&failed, &job, line);
	assert_int_equal(failed.n, 1);
	assert_int_equal(strlen(failed.result[0].failure.why), 8192);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_reason_of_a_failed_rival_is_cut),
		cmocka_unit_test(a_job_is_read_back),
		cmocka_unit_test(a_damaged_job_is_refused),
		cmocka_unit_test(an_answer_is_read_back),
		cmocka_unit_test(a_cut_answer_has_its_whole_lines),
		cmocka_unit_test(the_last_start_counts),
		cmocka_unit_test(what_is_not_its_answer_is_refused),
		cmocka_unit_test(long_texts_of_an_answer_are_cut),
		cmocka_unit_test(what_no_journal_can_hold_is_refused),
		cmocka_unit_test(an_order_is_read_back),
		cmocka_unit_test(an_order_that_is_not_one_is_refused),
		cmocka_unit_test(an_order_is_answered_in_four_ways),
		cmocka_unit_test(what_an_order_did_not_ask_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
