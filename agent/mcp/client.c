/* Helpers for clients: the text that registers the server, and a relay to its
 * socket from inside a sandbox. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/mcp/mcp.h"
#include "core/base/file.h"

/* ---- registration -------------------------------------------------------- */

/* Clients whose configuration is JSON, each with what it calls things. */
static const struct client {
	const char *name;
	const char *servers; /* the member with the servers by name */
	const char *type;    /* of a server on stdin and stdout; NULL: unsaid */
	bool one_list;	     /* program and arguments are one list */
	const char *more;    /* other members of the server's, as JSON */
	const char *schema;
} clients[] = {
	/* All tools at once, not behind a search for tools. */
	{"claude", "mcpServers", "stdio", false, "{\"alwaysLoad\":true}", NULL},
	{"cursor", "mcpServers", NULL, false, "{}", NULL},
	/* Without trust it offers no tool where its user cannot be asked. */
	{"gemini", "mcpServers", NULL, false,
	 "{\"timeout\":120000,\"trust\":true}", NULL},
	{"opencode", "mcp", "local", true,
	 "{\"enabled\":true,\"timeout\":120000}",
	 "https://opencode.ai/config.json"},
	{"vscode", "servers", "stdio", false, "{}", NULL},
};

static struct json *server_entry(const struct client *c,
				 const char *const *words)
{
	struct json *e = json_object(), *args = json_array();
	cleanup_json struct json *more = NULL;

	error_free(json_parse(&more, c->more, strlen(c->more)));
	json_set_string(e, "type", c->type);
	if (!c->one_list)
		json_set_string(e, "command", *words++);
	for (; *words; words++)
		json_push_string(args, *words);
	json_set(e, c->one_list ? "command" : "args", args);
	for (size_t i = 0; i < json_len(more); i++) {
		const struct json *member = json_at(more, i);

		json_set(e, json_key(member), json_dup(member));
	}
	return e;
}

static void add_json(struct buf *out, const struct client *c,
		     const char *const *words)
{
	cleanup_json struct json *j = json_object();
	struct json *servers = json_object();
	cleanup_free char *text = NULL;

	json_set_string(j, "$schema", c->schema);
	json_set(servers, "avogit", server_entry(c, words));
	json_set(j, c->servers, servers);
	text = json_print_pretty(j);
	buf_addf(out, "%s\n", text);
}

/* Adds s as a TOML basic string. */
static void add_toml_string(struct buf *out, const char *s)
{
	buf_addc(out, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_addc(out, '\\');
		if ((unsigned char)*s < ' ')
			buf_addf(out, "\\u%04x", (unsigned)*s);
		else
			buf_addc(out, *s);
	}
	buf_addc(out, '"');
}

struct error *mcp_print_config(struct buf *out, const char *client,
			       const char *const *words)
{
	for (size_t i = 0; i < ARRAY_SIZE(clients); i++)
		if (str_eq(clients[i].name, client)) {
			add_json(out, &clients[i], words);
			return NULL;
		}
	if (!str_eq(client, "codex"))
		return error_new(ERROR_USAGE,
				 "'%s' is not a client avogit knows the "
				 "configuration of: claude, codex, cursor, "
				 "gemini, opencode or vscode",
				 client);
	buf_adds(out, "[mcp_servers.avogit]\ncommand = ");
	add_toml_string(out, *words++);
	buf_adds(out, "\nargs = [");
	for (const char *gap = ""; *words; gap = ", ") {
		buf_adds(out, gap);
		add_toml_string(out, *words++);
	}
	buf_adds(out, "]\ntool_timeout_sec = 120\n");
	return NULL;
}

/* ---- the relay ----------------------------------------------------------- */

static struct error *connect_to(int *out, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	cleanup_fd int fd = -1;

	if (strlen(path) >= sizeof address.sun_path)
		return error_new(ERROR_USAGE, "%s: too long for a socket",
				 path);
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_errno("socket");
	if (connect(fd, (const struct sockaddr *)&address, sizeof address) < 0)
		return error_errno("%s", path);
	*out = steal_fd(&fd);
	return NULL;
}

/* Copies the available bytes; sets *open to false at the end of input. */
static struct error *copy(bool *open, int from, int to)
{
	char chunk[65536];
	ssize_t n = read(from, chunk, sizeof chunk);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return NULL;
	*open = n > 0;
	return n > 0 ? write_all(to, chunk, (size_t)n) : NULL;
}

struct error *mcp_relay(const char *socket_path, int in_fd, int out_fd)
{
	cleanup_fd int fd = -1;
	bool asking = true, answering = true;

	TRY(connect_to(&fd, socket_path));
	while (answering) {
		struct pollfd p[2] = {{fd, POLLIN, 0},
				      {asking ? in_fd : -1, POLLIN, 0}};

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return error_errno("poll");
		if (p[0].revents)
			TRY(copy(&answering, fd, out_fd));
		if (!p[1].revents)
			continue;
		TRY(copy(&asking, in_fd, fd));
		/* Keep reading: the server still sends its last answers. */
		if (!asking)
			shutdown(fd, SHUT_WR);
	}
	return NULL;
}
