#include "steps.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start_load(void)
{
	pid_t pid = fork();
	cpu_set_t first;

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof first, &first);
	for (;;)
		__asm__ volatile("");
}

static struct error *read_file(struct fileset *into, const char *folder,
			       const char *name)
{
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);
	cleanup_free char *path = xasprintf("%s/%s", folder, name);

	TRY(file_read(&text, path));
	return fileset_put(into, name, text.data, text.len, false);
}

static struct error *read_code(struct fileset *into, const char *folder,
			       const struct trusted_code *code)
{
	for (size_t i = 0; i < code->sources.n; i++)
		TRY(read_file(into, folder, code->sources.v[i]));
	return NULL;
}

struct error *stage_open(struct stage *s, const char *folder)
{
	const struct scorer_options options = {0};
	const struct file_entry *text;

	*s = (struct stage){0};
	signal(SIGPIPE, SIG_IGN);
	TRY(read_file(&s->files, folder, "avogit.yaml"));
	text = fileset_get(&s->files, "avogit.yaml");
	TRY(task_parse(&s->task, "avogit.yaml", text->data, text->len));
	for (size_t i = 0; i < s->task->sources.n; i++)
		TRY(read_file(&s->kernel, folder, s->task->sources.v[i]));
	TRY(read_code(&s->files, folder, &s->task->reference));
	for (size_t i = 0; i < s->task->n_baselines; i++)
		TRY(read_code(&s->files, folder, &s->task->baselines[i]));
	TRY(sandbox_probe(&s->sandbox));
	TRY(scorer_new(&s->scorer, s->task, &s->files, s->sandbox, &options));
	if (s->task->language != LANGUAGE_CUDA)
		s->load = start_load();
	return NULL;
}

void stage_end_load(struct stage *s)
{
	if (s->load > 0) {
		kill(s->load, SIGKILL);
		waitpid(s->load, NULL, 0);
	}
	s->load = 0;
}

void stage_close(struct stage *s)
{
	stage_end_load(s);
	scorer_free(s->scorer);
	sandbox_free(s->sandbox);
	task_free(s->task);
	fileset_release(&s->files);
	fileset_release(&s->kernel);
}

struct error *stage_candidate(struct candidate *out, const struct stage *s,
			      const char *name, const char *what,
			      unsigned value)
{
	const struct file_entry *kernel = &s->kernel.file[0];
	cleanup_free char *text =
		xasprintf("#define %s %u\n%s", what, value, kernel->data);

	*out = (struct candidate){0};
	out->id = commit_id(name);
	TRY(fileset_put(&out->files, kernel->path, text, strlen(text), false));
	fileset_id(out->sources_id, &out->files);
	return NULL;
}
