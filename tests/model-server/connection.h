/* One client: reads requests, answers them as the script says, with its
 * faults. */
#ifndef MODEL_SERVER_CONNECTION_H
#define MODEL_SERVER_CONNECTION_H

#include "tests/model-server/script.h"

struct server {
	struct script script;
	size_t served, complaints;
	FILE *log; /* requests, one JSON line each; or NULL */
};

struct connection {
	int fd;
	struct buf in, out;
	size_t sent;
	size_t pieces;
	long drip_ms;
	double next_write; /* clock_seconds() */
	bool silent;	   /* when all is sent: nothing more, open */
	bool last;	   /* when all is sent: close */
	bool endless;	   /* when all is sent: more of the same */
	bool over;
};

struct connection *connection_new(int fd) MUST_CHECK;
void connection_free(struct connection *c);
/* Whether it has bytes to send now, and if not, in how many ms. */
bool connection_wants_write(const struct connection *c, long *ms);
void connection_read(struct connection *c, struct server *s);
void connection_write(struct connection *c);

#endif
