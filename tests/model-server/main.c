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

static int listen_somewhere(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) < 0 ||
	    listen(fd, 64) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &len) < 0)
		return -1;
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
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

static void serve(struct server *s, int listener)
{
	struct connection *all[MAX_CONNECTIONS];
	struct pollfd fds[MAX_CONNECTIONS + 2];
	size_t n = 0;

	for (;;) {
		long wait = -1;
		size_t polled = n;

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
	int listener;
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
	listener = listen_somewhere();
	if (listener < 0) {
		perror("model-server");
		return 2;
	}
	serve(&s, listener);
	close(listener);
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
