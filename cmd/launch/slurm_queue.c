#include "cmd/launch/slurm_queue.h"

#include "cmd/ui/out.h"
#include "core/sandbox/process.h"

#define OUTPUT_MAX	((size_t)16 << 20)
#define SUBMIT_SECONDS	300
#define LISTING_SECONDS 60

void slurm_settings_release(struct slurm_settings *s)
{
	free(s->partition);
	free(s->gres);
	free(s->time);
	free(s->options);
	free(s->folder);
	*s = (struct slurm_settings){.jobs = 0};
}

void queue_release(struct queue *q)
{
	free(q->job);
	*q = (struct queue){.n = 0};
}

/* ---- a command ----------------------------------------------------------- */

#define POLICY "Job violates accounting/QOS policy"

/* The name of the limit that a job violates, a word such as
 * QOSMaxWallDurationPerJobLimit; NULL: older versions do not say it. free()
 * disposes. */
static char *find_limit(const char *text)
{
	static const char *const begins[] = {"error: QOS", "error: Assoc",
					     "error: Max"};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		const char *at = strstr(text, begins[i]);

		if (at)
			return xstrndup(at + strlen("error: "),
					strcspn(at + strlen("error: "), " \n"));
	}
	return NULL;
}

/* Does a limit refuse this job for ever? One on the number of jobs that are
 * submitted does not. */
static bool refusing_limit(const char *text)
{
	cleanup_free char *limit = find_limit(text);

	return limit && !strstr(limit, "Submit");
}

/* What Slurm says when it may do later what it did not do now. */
static bool is_passing(const char *text)
{
	static const char *const passing[] = {
		"Unable to contact",	"Connection refused",
		"Connection timed out", "connect failure",
		"Socket timed out",	"timed out on send",
		"Zero Bytes were",	"temporarily",
		"standby mode",		"maximum number of jobs",
	};

	for (size_t i = 0; i < ARRAY_SIZE(passing); i++)
		if (strstr(text, passing[i]))
			return true;
	return strstr(text, POLICY) && !refusing_limit(text);
}

/* A refusal by policy is named in a line before the last. */
static void add_why(struct buf *out, const char *text)
{
	cleanup_free char *limit = strstr(text, POLICY) ? find_limit(text)
							: NULL;

	if (limit) {
		out_clean_line(out, limit);
		buf_adds(out, ": ");
	}
	out_clean_last_line(out, text);
}

static struct error *run_slurm(struct buf *out, const char *command,
			       double seconds, const volatile int *stop)
{
	const char *argv[] = {"/bin/sh", "-c", command, NULL};
	const struct process_spec spec = {
		.argv = argv,
		.limits = {.wall_seconds = seconds},
		.die_with_parent = true,
		.stop_now = stop,
	};
	cleanup_process_result struct process_result ran = {0};
	cleanup_buf struct buf why = BUF_INIT(BUF_LIMIT_TEXT);

	TRY(process_run(&ran, &spec, OUTPUT_MAX));
	if (ran.stopped)
		return error_new(ERROR_INTERRUPTED, "it was stopped");
	if (ran.timed_out)
		return error_new(ERROR_MOVED, "%.6s does not end", command);
	if (ran.exit_code != 0) {
		add_why(&why, ran.output.data);
		return error_new(is_passing(ran.output.data) ? ERROR_MOVED
							     : ERROR_REFUSED,
				 "%s", why.data);
	}
	buf_add_text(out, ran.output.data, ran.output.len);
	return NULL;
}

/* ---- sbatch --------------------------------------------------------------- */

static void add_option(struct buf *out, const char *option, const char *value)
{
	cleanup_free char *word = NULL;

	if (!value)
		return;
	word = xasprintf("%s=%s", option, value);
	buf_addc(out, ' ');
	buf_add_quoted(out, word);
}

/* `sbatch --parsable` prints NUMBER or NUMBER;CLUSTER, perhaps after warnings. */
static bool find_number(char array[SLURM_ID_MAX + 1], const char *text)
{
	for (const char *at = text; at && *at;) {
		size_t n = strspn(at, "0123456789");

		if (n && n <= SLURM_ID_MAX &&
		    (at[n] == '\n' || at[n] == ';' || !at[n])) {
			memcpy(array, at, n);
			array[n] = '\0';
			return true;
		}
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return false;
}

struct error *queue_submit(char array[SLURM_ID_MAX + 1],
			   const struct slurm_settings *s, const char *name,
			   const char *folder, const char *script, size_t n,
			   const volatile int *stop)
{
	cleanup_buf struct buf command = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf said = BUF_INIT(OUTPUT_MAX);
	cleanup_free char *log = xasprintf("%s/slurm.%%A.%%a", folder);
	cleanup_free char *range = xasprintf("0-%zu", n - 1);

	buf_adds(&command, "sbatch --parsable --requeue --open-mode=append");
	add_option(&command, "--job-name", name);
	add_option(&command, "--array", range);
	add_option(&command, "--output", log);
	add_option(&command, "--partition", s->partition);
	add_option(&command, "--gres", s->gres);
	add_option(&command, "--time", s->time);
	if (s->options)
		buf_addf(&command, " %s", s->options);
	buf_addc(&command, ' ');
	buf_add_quoted(&command, script);
	TRY(run_slurm(&said, command.data, SUBMIT_SECONDS, stop));
	if (!find_number(array, said.data))
		return error_new(ERROR_REFUSED,
				 "sbatch does not say the job's number");
	return NULL;
}

/* ---- squeue --------------------------------------------------------------- */

static bool copy_word(char out[SLURM_WORD_MAX + 1], const char *word)
{
	size_t n = word ? strlen(word) : 0;

	if (n > SLURM_WORD_MAX)
		return false;
	memcpy(out, word ? word : "", n + 1);
	return true;
}

static bool parse_number(int64_t *out, const char *word)
{
	char *end = NULL;

	if (!word || !*word || strspn(word, "0123456789") != strlen(word) ||
	    strlen(word) > 9)
		return false;
	*out = strtol(word, &end, 10);
	return true;
}

/* False if it is not a line of ARRAY_INDEX, STATE, RESTARTS, REASON, and the node
 * if it has one. */
static bool parse_line(struct queued *out, const char *line)
{
	cleanup_free char *copy = xstrdup(line);
	char *word[5] = {NULL}, *rest = copy, *index;
	struct queued q = {.index = 0};

	for (size_t i = 0; i < ARRAY_SIZE(word); i++)
		word[i] = strtok_r(rest ? rest : NULL, " \t\n", &rest);
	index = word[0] ? strchr(word[0], '_') : NULL;
	if (!index || (size_t)(index - word[0]) > SLURM_ID_MAX)
		return false;
	memcpy(q.array, word[0], (size_t)(index - word[0]));
	if (!parse_number(&q.index, index + 1) || !word[1] ||
	    !copy_word(q.state, word[1]) ||
	    !parse_number(&q.restarts, word[2]) ||
	    !copy_word(q.reason, word[3]) || !copy_word(q.node, word[4]))
		return false;
	*out = q;
	return true;
}

struct error *queue_list(struct queue *out, const char *name,
			 const volatile int *stop)
{
	cleanup_buf struct buf command = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf said = BUF_INIT(OUTPUT_MAX);
	cleanup_queue struct queue q = {.n = 0};
	char *rest = NULL;

	buf_adds(&command, "squeue --noheader --array --states=all");
	add_option(&command, "--name", name);
	buf_adds(&command, " --Format=JobArrayID:48,State:32,RestartCnt:12,"
			   "Reason:64,NodeList:64");
	TRY(run_slurm(&said, command.data, LISTING_SECONDS, stop));
	for (char *line = strtok_r(said.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		GROW(q.job, q.n, q.cap);
		if (parse_line(&q.job[q.n], line))
			q.n++;
	}
	*out = q;
	q = (struct queue){.n = 0};
	return NULL;
}

bool queued_is_over(const struct queued *job)
{
	static const char *const over[] = {
		"COMPLETED", "FAILED",	      "TIMEOUT",   "CANCELLED",
		"NODE_FAIL", "PREEMPTED",     "BOOT_FAIL", "DEADLINE",
		"REVOKED",   "OUT_OF_MEMORY",
	};

	for (size_t i = 0; i < ARRAY_SIZE(over); i++)
		if (str_eq(job->state, over[i]))
			return true;
	return false;
}

/* ---- scancel -------------------------------------------------------------- */

struct error *queue_cancel(const char *name, bool waiting)
{
	cleanup_buf struct buf command = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_buf struct buf said = BUF_INIT(OUTPUT_MAX);

	buf_adds(&command, "scancel --quiet");
	add_option(&command, "--name", name);
	if (waiting)
		buf_adds(&command, " --state=PENDING");
	return run_slurm(&said, command.data, LISTING_SECONDS, NULL);
}
