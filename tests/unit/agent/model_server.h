/* Starts the scripted model server (tests/model-server) beside this test's
 * own program. */
#ifndef TESTS_MODEL_SERVER_H
#define TESTS_MODEL_SERVER_H

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"

extern char **environ;

struct model_server {
	pid_t pid;
	int to;
	char url[64];
	char script[64], log[64];
};

static char *server_program(void)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *up;

	assert_true(n > 0);
	self[n] = '\0';
	for (int i = 0; i < 3; i++) {
		up = strrchr(self, '/');
		assert_non_null(up);
		*up = '\0';
	}
	return xasprintf("%s/model-server/model-server", self);
}

static int model_server_temp(char *path, const char *text)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return close(fd);
}

static void model_server_start(struct model_server *s, const char *script)
{
	cleanup_free char *program = server_program();
	char *argv[] = {program, s->script, s->log, NULL}, port[16] = "";
	posix_spawn_file_actions_t actions;
	int in[2], out[2];

	*s = (struct model_server){.script = "/tmp/avogit-script.XXXXXX",
				   .log = "/tmp/avogit-log.XXXXXX"};
	model_server_temp(s->script, script);
	model_server_temp(s->log, "");
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	assert_int_equal(posix_spawn(&s->pid, program, &actions, NULL, argv,
				     environ),
			 0);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	s->to = in[1];
	assert_true(read(out[0], port, sizeof port - 1) > 1);
	close(out[0]);
	snprintf(s->url, sizeof s->url, "http://127.0.0.1:%.5s", port);
	s->url[strcspn(s->url, "\n")] = '\0';
}

/* Whether all requests were wanted and the script was played to its end. */
static bool model_server_stop(struct model_server *s)
{
	int status = -1;

	close(s->to);
	assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
	unlink(s->script);
	unlink(s->log);
	return status == 0;
}

#endif
