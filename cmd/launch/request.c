#include "cmd/launch/request.h"

#include <fcntl.h>
#include <unistd.h>

#include "cmd/ui/out.h"
#include "core/base/file.h"

#define ANSWER_MAX ((size_t)256 << 20)

struct error *request_write(int *out, const char *folder,
			    const struct score_job *job)
{
	cleanup_free char *bundle = xasprintf("%s/bundle", folder);
	cleanup_free char *request = xasprintf("%s/request", folder);
	cleanup_free char *line = job_print(job);
	cleanup_fd int from = -1, to = -1;
	char chunk[65536];
	ssize_t n;

	from = open(bundle, O_RDONLY | O_CLOEXEC);
	to = open(request, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (from < 0 || to < 0)
		return error_errno("cannot write %s", request);
	TRY(write_all(to, line, strlen(line)));
	TRY(write_all(to, "\n", 1));
	while ((n = read(from, chunk, sizeof chunk)) > 0)
		TRY(write_all(to, chunk, (size_t)n));
	if (n < 0 || lseek(to, 0, SEEK_SET) < 0)
		return error_errno("cannot read %s", bundle);
	*out = steal_fd(&to);
	return NULL;
}

extern char **environ;

/* The command's stdin is the request, its stderr this process's own. */
static struct error *run_command(struct process_result *out,
				 const char *command, int request,
				 const struct score_job *job,
				 const volatile int *stop)
{
	cleanup_free char *script =
		xasprintf("exec <&3 3<&- 2>&4 4>&-\n%s", command);
	const char *argv[] = {"/bin/sh", "-c", script, "avogit-launch", NULL};
	cleanup_strvec struct strvec env = STRVEC_INIT;
	const struct process_spec spec = {
		.argv = argv,
		.inherit = {{request, 3}, {STDERR_FILENO, 4}},
		.n_inherit = 2,
		.die_with_parent = true,
		.stop_now = stop,
	};
	struct process_spec own = spec;

	for (char **e = environ; *e; e++)
		if (!starts_with(*e, "AVOGIT_JOB="))
			strvec_push(&env, *e);
	strvec_pushf(&env, "AVOGIT_JOB=%s", job->id);
	own.env = (const char *const *)env.v;
	return process_run(out, &own, ANSWER_MAX);
}

struct error *request_send(struct process_result *ran, struct job_answer *out,
			   const char *command, int request,
			   const struct score_job *job,
			   const volatile int *stop)
{
	TRY(run_command(ran, command, request, job, stop));
	if (ran->output.truncated)
		return error_new(ERROR_TOO_BIG,
				 "the answer has over %zu MiB, and none of it "
				 "is believed",
				 ANSWER_MAX >> 20);
	return error_wrap(job_answer_read(out, job, ran->output.data,
					  ran->output.len),
			  "nothing of it is believed");
}

void request_unanswered(struct buf *why, const struct job_answer *a,
			const struct process_result *ran)
{
	if (a->ended)
		out_clean_line(why, a->why ? a->why : "it does not say why");
	else if (ran->signal)
		buf_addf(why, "a signal (%d) ended its command", ran->signal);
	else
		buf_addf(why,
			 "its command ended, exit code %d, without the "
			 "answer's last line",
			 ran->exit_code);
}
