/* What the server says, and to whom: see README.md for the format. */
#ifndef MODEL_SERVER_SCRIPT_H
#define MODEL_SERVER_SCRIPT_H

#include "core/base/json.h"

enum part_kind { PART_TEXT, PART_THINKING, PART_CALL, PART_ERROR, PART_RAW };

struct part {
	enum part_kind kind;
	char *name; /* of a call's tool; an error's type */
	char *text; /* a call's arguments: text of a JSON object */
};

struct want {
	char *path, *value;
	bool contains, absent;
};

enum quirk {
	QUIRK_NO_INDEX = 1,	    /* calls without their index */
	QUIRK_NO_ID = 2,	    /* calls without an id */
	QUIRK_OBJECT_ARGUMENTS = 4, /* arguments as an object */
	QUIRK_STOP = 8,		    /* "stop" although there are calls */
	QUIRK_COMMENTS = 16,	    /* comment lines between events */
	QUIRK_CRLF = 32,
	QUIRK_NO_DONE = 64,
	QUIRK_NO_SPACE = 128, /* "data:" and no blank */
	QUIRK_WHOLE = 256,    /* never streams */
	QUIRK_GZIP = 512,     /* compressed, though not asked */
};

struct exchange {
	struct want wants[16];
	size_t n_wants;
	struct part parts[32];
	size_t n_parts;
	int status; /* 0: 200 with the parts */
	char *headers[8];
	size_t n_headers;
	char *body; /* instead of the parts; NULL: the parts */
	char *down; /* no exchange: the server is down until this file exists */
	char *stop; /* the word of the script; NULL: as the parts have it */
	int64_t usage[4]; /* input, read, written, output */
	unsigned quirks;
	size_t split;	 /* bytes of text in one event; 0: all */
	int64_t cut;	 /* bytes of the body before the connection ends */
	int64_t end;	 /* the same, with a proper end of the body */
	int64_t stall;	 /* the same, then silence */
	size_t pieces;	 /* bytes of one write; 0: all */
	long drip_ms;	 /* between writes */
	char endless[8]; /* "header", "line" or "" */
	long left;	 /* times to serve it; -1: for ever */
};

/* A request is refused that has a value at the path, or one above `most`. */
struct refusal {
	char *path, *body;
	int64_t most; /* -1: any value */
};

struct script {
	struct refusal refusals[8];
	size_t n_refusals;
	struct exchange *exchanges;
	size_t n, cap;
	size_t next;   /* served in order */
	bool by_turns; /* instead: as many as the request has replies */
};

struct error *script_read(struct script *s, const char *path) MUST_CHECK;
void script_release(struct script *s);
/* If the server is to be down now: until there is this file; else NULL.
 * Borrowed. script_up goes on after it. */
const char *script_down(struct script *s);
void script_up(struct script *s);
/* The exchange for this request; NULL if the script has no more. */
struct exchange *script_next(struct script *s, const struct json *request);
/* The body of the error if the script's server refuses it; else NULL. */
const char *script_refuses(const struct script *s, const struct json *request);
/* NULL if the request is what was wanted; else why not. */
char *script_complaint(const struct exchange *e, const struct json *request);

#endif
