/* A folder, a task and a variation that scores nothing: what tools of the
 * workspace need. Included by the tests of tools, after cmocka.h. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/tools/tool.h"
#include "core/base/file.h"

struct world {
	struct task task;
	struct population population;
	struct attempt start;
	struct variation v;
	struct toolbox box;
	struct notes notes;
	char *dir;
	struct tool_reply reply;
};

static void world_init(struct world *w)
{
	char path[] = "/tmp/avogit-tool-XXXXXX";

	*w = (struct world){0};
	assert_non_null(mkdtemp(path));
	w->dir = xstrdup(path);
	w->task.prefix = (char *)(uintptr_t) "";
	strvec_pushl(&w->task.sources, "kernel.c", "src/", NULL);
	w->population.attempt = &w->start;
	w->population.n = 1;
	w->v.task = &w->task;
	w->v.population = &w->population;
	w->v.workspace = w->dir;
	toolbox_init(&w->box, &w->v);
	notes_init(&w->notes);
	w->box.notes = &w->notes;
	tool_reply_init(&w->reply);
}

static void world_release(struct world *w)
{
	assert_null(dir_remove(w->dir));
	tool_reply_release(&w->reply);
	notes_release(&w->notes);
	strvec_release(&w->task.sources);
	free(w->dir);
}

UNUSED static void put(struct world *w, const char *name, const char *text)
{
	cleanup_free char *path = xasprintf("%s/%s", w->dir, name);

	assert_null(file_write(path, text, strlen(text), false));
}

UNUSED static char *get(struct world *w, const char *name)
{
	cleanup_free char *path = xasprintf("%s/%s", w->dir, name);
	cleanup_buf struct buf b = BUF_INIT(TOOL_WHOLE_MAX);

	assert_null(file_read(&b, path));
	return buf_take(&b);
}

/* The text of the reply; borrowed until the next. */
UNUSED static const char *call(struct world *w, const char *name,
			       const char *arguments)
{
	cleanup_json struct json *j = NULL;

	assert_null(json_parse(&j, arguments, strlen(arguments)));
	tool_reply_release(&w->reply);
	tool_reply_init(&w->reply);
	assert_null(tool_call(&w->reply, &w->box, tool_find(name), j));
	return w->reply.text.data;
}
