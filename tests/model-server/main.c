/*
 * A model server that says what a script says: README.md.
 *
 *     model-server SCRIPT [LOG]
 *
 * prints its port, serves until its stdin ends, and exits 1 if a request was
 * not what the script wanted or the script was not played to its end.
 */
#include "tests/model-server/connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CONNECTIONS 64

/* Milliseconds between two looks for the file that ends `down`. */
#define DOWN_MS 10

/* A socket on this port; 0: on a free one, which *port is then. Several sockets
 * may be on one port: connections are refused while none of them listens, and
 * no other program gets the port. */
static int bind_port(in_port_t *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int one = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address.sin_port = *port;
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) < 0 ||
	    bind(fd, (struct sockaddr *)&address, len) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &len) < 0)
		return -1;
	*port = address.sin_port;
	return fd;
}

static int listen_at(in_port_t port)
{
	int fd = bind_port(&port);

	return fd < 0 || listen(fd, 64) < 0 ? -1 : fd;
}

static void take_connection(struct connection **all, size_t *n, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int one = 1;

	if (fd < 0)
		return;
	if (*n == MAX_CONNECTIONS) {
		close(fd);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	all[(*n)++] = connection_new(fd);
}

static void drop_ended(struct connection **all, size_t *n)
{
	for (size_t i = *n; i-- > 0;)
		if (all[i]->over) {
			connection_free(all[i]);
			all[i] = all[--*n];
		}
}

static bool all_is_sent(struct connection *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i]->sent < all[i]->out.len)
			return false;
	return true;
}

/* Is down as long as the script wants. False: stdin has ended. */
static bool stay_down(struct server *s, const char *until, int *listener,
		      in_port_t port)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	close(*listener);
	while (access(until, F_OK) < 0)
		if (poll(&in, 1, DOWN_MS) != 0)
			return false;
	*listener = listen_at(port);
	script_up(&s->script);
	return *listener >= 0;
}

static void serve(struct server *s, int listener, in_port_t port)
{
	struct connection *all[MAX_CONNECTIONS];
	struct pollfd fds[MAX_CONNECTIONS + 2];
	size_t n = 0;

	for (;;) {
		long wait = -1;
		size_t polled;
		const char *down = script_down(&s->script);

		if (down && all_is_sent(all, n)) {
			while (n)
				connection_free(all[--n]);
			if (!stay_down(s, down, &listener, port))
				break;
			continue;
		}
		polled = n;
		fds[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
		fds[1] = (struct pollfd){.fd = listener, .events = POLLIN};
		for (size_t i = 0; i < n; i++) {
			long ms = -1;
			bool out = connection_wants_write(all[i], &ms);

			fds[i + 2] = (struct pollfd){
				.fd = all[i]->fd,
				.events =
					(short)(POLLIN | (out ? POLLOUT : 0))};
			if (ms >= 0 && (wait < 0 || ms < wait))
				wait = ms;
		}
		if (poll(fds, n + 2, (int)wait) < 0)
			break;
		if (fds[0].revents)
			break;
		for (size_t i = 0; i < polled; i++) {
			if (fds[i + 2].revents & (POLLIN | POLLHUP | POLLERR))
				connection_read(all[i], s);
			if (!all[i]->over && fds[i + 2].revents & POLLOUT)
				connection_write(all[i]);
		}
		if (fds[1].revents)
			take_connection(all, &n, listener);
		drop_ended(all, &n);
	}
	for (size_t i = 0; i < n; i++)
		connection_free(all[i]);
	close(listener);
}

/* Exchanges that were never asked for. */
static size_t left_over(const struct script *s)
{
	size_t n = 0;

	for (size_t i = s->next; !s->by_turns && i < s->n; i++)
		n += s->exchanges[i].left > 0;
	return n;
}

int main(int argc, char **argv)
{
	struct server s = {0};
	struct error *err;
	int listener, holder;
	in_port_t port = 0;
	bool ok;

	if (argc < 2) {
		fprintf(stderr, "usage: model-server SCRIPT [LOG]\n");
		return 2;
	}
	err = script_read(&s.script, argv[1]);
	if (err) {
		fprintf(stderr, "model-server: %s\n", error_message(err));
		error_free(err);
		return 2;
	}
	s.log = argc > 2 ? fopen(argv[2], "ae") : NULL;
	holder = bind_port(&port);
	listener = holder < 0 ? -1 : listen_at(port);
	if (listener < 0) {
		perror("model-server");
		return 2;
	}
	printf("%d\n", ntohs(port));
	fflush(stdout);
	serve(&s, listener, port);
	close(holder);
	ok = !s.complaints && !left_over(&s.script);
	if (left_over(&s.script))
		fprintf(stderr,
			"model-server: %zu exchanges were not asked "
			"for\n",
			left_over(&s.script));
	if (s.log)
		fclose(s.log);
	script_release(&s.script);
	return !ok;
}
