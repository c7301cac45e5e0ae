/* A client of the MCP server, which may send anything: every line it gets back
 * is a message of JSON-RPC, and no call is lost. The tools are stood in for:
 * each call whose arguments fit its schema answers with them.
 *
 * Blank lines say what the world does meanwhile: an empty one works on the
 * oldest call, a blank lets time pass, a tab lets the other client speak, two
 * tabs let this one go, three have it say its last line over and over. */
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/mcp/internal.h"
#include "agent/tools/internal.h"
#include "core/base/clock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLIENTS	  2
#define LINES_MAX 300 /* of an input */
#define AGAIN	  70 /* times; more than jobs, and four times more than requests */

static void work(struct mcp_server *s)
{
	struct job *job = jobs_next(&s->jobs, 0);
	cleanup_free char *said = NULL;

	if (!job)
		return;
	said = json_print(job->arguments);
	if (tool_check(&job->reply, job->tool->name, job->tool->schema,
		       job->arguments))
		buf_adds(&job->reply.text, said);
	jobs_done(&s->jobs, job);
	mcp_attend(s, clock_seconds());
}

static void check_line(const char *line, size_t len)
{
	cleanup_json struct json *j = NULL;
	cleanup_error struct error *err = json_parse(&j, line, len);
	const char *version = "";

	if (err || !json_get_string(j, "jsonrpc", &version) ||
	    !str_eq(version, "2.0") ||
	    !json_get(j, "result") + !json_get(j, "error") +
			    !json_get(j, "method") !=
		    2)
		abort();
}

/* Nobody reads the socket, so all that was said is still here. */
static void check_output(struct channel *c)
{
	for (size_t at = 0; at < c->output.len;) {
		const char *line = c->output.data + at;
		size_t len = strcspn(line, "\n");

		check_line(line, len);
		at += len + 1;
	}
}

static void let_go(struct mcp_server *s, size_t client)
{
	mcp_forget_client(s, client);
	for (size_t i = 0; i < s->n_requests; i++)
		if (s->request[i].client == client)
			abort();
}

struct said {
	size_t client;
	char *last;
	size_t n;
};

static void say(struct mcp_server *s, struct said *said, const char *line,
		size_t len)
{
	free(said->last);
	said->last = xstrndup(line, len);
	said->n++;
	mcp_message(s, said->client, line, len);
}

static void say_again(struct mcp_server *s, struct said *said)
{
	for (size_t i = 0; said->last && i < AGAIN; i++, said->n++)
		mcp_message(s, said->client, said->last, strlen(said->last));
}

static void take(struct mcp_server *s, struct said *said, const char *line,
		 size_t len)
{
	if (len == 0)
		work(s);
	else if (len == 1 && *line == ' ')
		mcp_attend(s, clock_seconds() + 100);
	else if (len == 1 && *line == '\t')
		said->client = (said->client + 1) % CLIENTS;
	else if (len == 2 && memcmp(line, "\t\t", 2) == 0)
		let_go(s, said->client);
	else if (len == 3 && memcmp(line, "\t\t\t", 3) == 0)
		say_again(s, said);
	else
		say(s, said, line, len);
	if (s->n_requests && mcp_next_due(s, clock_seconds()) < 0)
		abort();
}

static void converse(struct mcp_server *s, struct channel *in)
{
	struct said said = {0};
	const char *line;
	size_t len;
	bool too_long;

	while (!in->ended) {
		channel_fill(in);
		while (said.n < LINES_MAX &&
		       (line = channel_line(&len, &too_long, in)))
			take(s, &said, line, len);
	}
	free(said.last);
	while (s->n_requests) {
		size_t before = s->n_requests;

		work(s);
		mcp_attend(s, clock_seconds() + 4000);
		if (s->n_requests >= before)
			abort();
	}
}

/* A socket that takes nothing more. */
static void fill(int fd)
{
	static const char page[4096];

	while (send(fd, page, sizeof page, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		;
	while (send(fd, page, 1, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int full[2] = {-1, -1}, text = -1;
	cleanup_free struct mcp_server *s = xcalloc(1, sizeof *s);
	cleanup_channel struct channel in;

	if (text < 0) {
		text = memfd_create("input", MFD_CLOEXEC);
		if (text < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, full) < 0)
			abort();
		fill(full[0]);
	}
	if (ftruncate(text, 0) < 0 || lseek(text, 0, SEEK_SET) < 0 ||
	    pwrite(text, data, size, 0) != (ssize_t)size)
		abort();
	channel_init(&in, text, -1, false);
	pthread_mutex_init(&s->files_lock, NULL);
	if (jobs_init(&s->jobs))
		abort();
	for (size_t i = 0; i < CLIENTS; i++) {
		channel_init(&s->client[i], -1, full[0], false);
		s->connected[i] = true;
	}
	converse(s, &in);
	for (size_t i = 0; i < CLIENTS; i++) {
		check_output(&s->client[i]);
		channel_release(&s->client[i]);
	}
	jobs_release(&s->jobs);
	pthread_mutex_destroy(&s->files_lock);
	return 0;
}
