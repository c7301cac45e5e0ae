/* Shared by the files of the llm operator. Only this module includes it. */
#ifndef AGENT_LLM_INTERNAL_H
#define AGENT_LLM_INTERNAL_H

#include "agent/llm/llm.h"
#include "agent/llm/price.h"
#include "agent/provider/provider.h"
#include "agent/llm/transcript.h"
#include "core/base/hash.h"
#include "core/run/supervisor.h"

/* ---- settings.c ---------------------------------------------------------- */

/* Where a model is asked, and with which key; NULL: not said. */
struct server_settings {
	char *protocol, *base_url; /* the first as it was said */
	char *key_env, *key_command;
};

/* A role of the operator, as far as it differs from the operator. */
struct role_settings {
	bool there; /* it is named: what it does is done by a talk of its own */
	/* By the task and by the user. Where either says something, nothing of
	 * the operator's server is the role's. */
	struct server_settings server, user;
	char *model, *effort;	     /* NULL: the operator's */
	struct budget_limits budget; /* of one step: steps, tokens, dollars */
};

struct llm_settings {
	enum protocol protocol;
	struct server_settings server;
	char *model, *fallback_model, *effort;
	char *prompts; /* folder from the top of the repository, with '/' */
	char *replay;  /* file from the top of the repository */
	int64_t max_tokens;
	int64_t steps;	 /* most replies in a variation step */
	int64_t context; /* above this many tokens old results are cleared */
	double silence;	 /* seconds without a byte before a retry; 0: default */
	bool streaming, has_temperature;
	double temperature;
	struct role_settings role[ROLE_COUNT];
	struct price *prices; /* the array and its names are owned */
	size_t n_prices, prices_cap;
};
/* Merges the user's settings with the task's, for the model of a role.
 * ERROR_TASK or ERROR_USAGE names a wrong value. */
struct error *llm_settings_read(struct llm_settings *out,
				const struct task *task,
				const struct llm_options *o,
				enum role role) MUST_CHECK;
void llm_settings_release(struct llm_settings *s);
DEFINE_RELEASE(llm_settings, struct llm_settings, llm_settings_release)
#define cleanup_llm_settings CLEANUP(llm_settings)
/* As key_find, with the settings' protocol, key_env and key_command. */
struct error *llm_find_key(struct api_key *out,
			   const struct llm_settings *s) MUST_CHECK;
/* Says in words where the user can put a key. free() disposes. */
char *llm_key_place(const struct llm_settings *s) MUST_CHECK;

/* ---- model.c ------------------------------------------------------------- */

/* A configured model: its provider, its prompts and what it spent. */
struct model {
	struct llm_settings settings;
	struct provider *provider;
	struct api_key key; /* kept to remove it from text */
	struct fileset prompts;
	bool borrows_recorder;
	struct budget_limits budget;
	struct spend counted; /* part of the spending already reported */
};
/* Makes the provider, live or from a recording, and records it if `o` says so.
 * model_free disposes. */
struct error *model_new(struct model **out, const struct task *task,
			const struct llm_options *o, enum role role) MUST_CHECK;
/* Adds limits that its talks are held to: ERROR_USAGE if they are of money and
 * its price is unknown. */
struct error *model_limit(struct model *m,
			  const struct budget_limits *b) MUST_CHECK;
void model_free(struct model *m);
/* "claude-sonnet-5", or "the recording". Borrowed. */
const char *model_name(const struct model *m);
bool model_is_replay(const struct model *m);
struct price_table model_prices(const struct model *m);
DEFINE_CLEANUP(model, struct model, model_free)
#define cleanup_model CLEANUP(model)

/* ---- talk.c -------------------------------------------------------------- */

/* A conversation with a model: its role, its messages, its transcript and its
 * spending. The caller that begins it decides what replies are for: a step
 * (step.c) or a review (review.c). Several talks can be open at a time and can
 * share a model. */
struct talk {
	struct model *model;
	struct allowance *allowance;
	const char *doing; /* shown while a reply is pending: "thinking" */
	struct conversation c;
	struct transcript transcript;
	struct spend spend;
	int64_t turns;	   /* replies so far */
	size_t cleared_at; /* its bytes after the last clearing */
	/* By the server's count of the last prompt; 0: not known. */
	double bytes_a_token;
	char *words; /* text of the newest reply that has any */
	char *end;   /* why it ended, in words; NULL: not ended */
};
/* `role` names the prompt that is the system text ("system.md"). Borrows all
 * pointers. talk_release disposes. */
void talk_init(struct talk *t, struct model *model, struct allowance *allowance,
	       const char *role, const char *doing);
/* Adds `first` as the first message and opens the transcript KIND-TIME-NUMBER.
 * `begin` (taken) holds more members for the transcript's first event. */
struct error *talk_begin(struct talk *t, struct archive *archive,
			 const char *run, const char *kind, uint32_t number,
			 const char *first, struct json *begin) MUST_CHECK;
/* The same for a conversation that is there already: an event says so. */
struct error *talk_resume(struct talk *t, struct archive *archive,
			  const char *run, const char *kind,
			  uint32_t number) MUST_CHECK;
/* Adds a text of the user's side to the conversation and the transcript. */
struct error *talk_say(struct talk *t, const char *text) MUST_CHECK;
/* Clears old tool results if the conversation has become long. */
struct error *talk_make_room(struct talk *t) MUST_CHECK;
/* Clears all tool results but the newest, after the reply `full` said that the
 * context is full; ends the talk in its words if there are none. */
struct error *talk_clear_all(struct talk *t,
			     const struct reply *full) MUST_CHECK;
/* Asks for a reply, counts its cost and removes the key from it; talk_take adds
 * it to the conversation. Errors are the provider's (ERROR_INTERRUPTED: the run
 * is over), and ERROR_REFUSED if the budget cannot be kept. */
struct error *talk_ask(struct talk *t, struct reply *r) MUST_CHECK;
/* Adds the reply to the conversation. A reply that gives no turn (a refusal, a
 * context that is full, a request that the server rejected) ends the talk;
 * returns false then. */
bool talk_take(struct talk *t, struct reply *r);
/* Ends the talk; the text says why. A talk ends once: the first text stays. */
void talk_end(struct talk *t, const char *fmt, ...) PRINTF(2, 3);
/* For an error of talk_ask: ends the talk where the run stops or a recording
 * has no more replies; returns any other error. */
struct error *talk_end_after(struct talk *t, struct error *err) MUST_CHECK;
/* The run was asked to stop in the middle of the talk, and goes on with it. A
 * recording begins again. */
bool talk_is_interrupted(const struct talk *t);
/* As spend_reached, for this talk: its replies are its steps. */
const char *talk_reached(const struct talk *t,
			 const struct budget_limits *limits);
/* Writes `text`, the outcome, as the transcript's last event and stores the
 * transcript with the run. */
struct error *talk_keep(struct talk *t, const char *text) MUST_CHECK;
void talk_release(struct talk *t);
DEFINE_RELEASE(talk, struct talk, talk_release)
#define cleanup_talk CLEANUP(talk)

/* ---- answer.c ------------------------------------------------------------ */

/* The answer that a talk is for: one call of one tool. */
struct answer_form {
	const char *tool, *description, *schema;
	/* Takes the call, if it is a valid answer; else returns what is wrong
	 * with it. free() disposes. */
	char *(*heed)(void *arg, const struct tool_call *call);
	const char *again; /* said after a reply that calls nothing */
	struct budget_limits limits;
	/* Why the talk ended: at the limits (NULL: what was wrong last, and how
	 * many replies were), and with the run. */
	const char *spent, *stopped;
};
/* Asks until there is an answer or the talk ends: t->end says which. The caller
 * has begun the talk, with answer_offer before. Errors are talk_ask's. */
struct error *answer_get(struct talk *t, const struct answer_form *form,
			 void *arg) MUST_CHECK;
struct error *answer_offer(struct talk *t,
			   const struct answer_form *form) MUST_CHECK;

/* ---- review.c ------------------------------------------------------------ */

/* The model as the supervisor's advisor. */
struct reviewer {
	struct advisor advisor; /* first: the callback casts back */
	struct model *model;	/* the operator's; its own: reviewer_new */
};
void reviewer_init(struct reviewer *r, struct model *model);

/* ---- llm.c --------------------------------------------------------------- */

struct llm {
	struct variation_operator operator_; /* first: cast back */
	struct model *model;
	/* The model of each role; NULL: no talk of its own. Its own, or
	 * `model`. */
	struct model *role_model[ROLE_COUNT];
	struct reviewer reviewer;
	struct tool_knowledge *knowledge;
	struct notes notes;
	bool restored, exhausted, has_roles;
	unsigned rejected; /* steps in a row that the server ended */
	char *assisted_by, *price_note;
};

/* ---- step.c -------------------------------------------------------------- */

#define REPEATS_MAX 64

/* How often a call gave the same result since the sources last changed; `id` is
 * the hash of both. */
struct repeat {
	char id[HASH_HEX_LEN + 1];
	unsigned n;
};

/* What the talks of one step share, where the operator has roles. */
struct role_state {
	char *plan;	       /* for the writer; NULL: there is none */
	bool planned, written; /* these talks are over */
	struct commit_id plan_entry, review_entry; /* in the journal */
	unsigned refusals; /* of the reviewer, in this step */
	/* Ids of sources: that the reviewer allowed last, and refused last. */
	char allowed[FILESET_ID_LEN + 1], refused[FILESET_ID_LEN + 1];
	struct commit_id failed; /* attempt for the debugger; "": none */
	char links[2 * COMMIT_ID_LEN + 2]; /* variation.artefacts */
};
void role_state_release(struct role_state *r);
DEFINE_RELEASE(role_state, struct role_state, role_state_release)

/* A variation step: a workspace, its tools, and the talk that works in it. With
 * roles there is one for each talk. */
struct step {
	struct llm *llm;
	enum role role;
	struct role_state *roles; /* borrowed */
	struct step *outer;	  /* the writer's; for the debugger only */
	bool resumes;		  /* from what was saved */
	bool debugger_resumes;
	struct toolbox box;
	struct talk talk;
	struct repeat repeat[REPEATS_MAX];
	size_t n_repeats;
	char sources[FILESET_ID_LEN + 1]; /* id after the last call */
	unsigned cut; /* replies in a row cut at the length limit */
	bool nudged;
	bool rejected; /* the server ended it: talk.end has its words */
};

/* Begins the talk, or goes on with the one that was saved (s->resumes). The
 * caller has set all but the talk. */
struct error *step_begin(struct step *s) MUST_CHECK;
/* Scores changed sources that have no score; adds the result to the remark. */
struct error *step_judge(struct buf *remark, struct step *s) MUST_CHECK;
void step_release(struct step *s);
DEFINE_RELEASE(step, struct step, step_release)
/* Runs the talk until it is over. */
struct error *step_converse(struct step *s) MUST_CHECK;

/* ---- roles.c ------------------------------------------------------------- */

/* Makes the models of the roles that the settings name. */
struct error *roles_new(struct llm *l, const struct task *task,
			const struct llm_options *o) MUST_CHECK;
void roles_free(struct llm *l);
/* The limits of a role's talk in one step. */
struct budget_limits role_limits(const struct llm *l, enum role role);
/* The texts of a role: its system text, and its first message. */
const char *role_prompt(enum role role);
const char *role_first(enum role role);
const char *role_doing(enum role role); /* "planning" */
bool role_has_tool(enum role role, const struct tool *t,
		   const struct variation *v);
/* Adds what a role's first message has of its own. */
struct error *role_evidence(struct buf *out, struct step *s) MUST_CHECK;
/* Writes what a role made to the journal: "MODEL: LINE; SPENT". Sets *id (may
 * be NULL). */
struct error *role_keep(struct step *s, const struct talk *t, enum role role,
			struct commit_id *id, const char *line,
			const char *text, const char *about) MUST_CHECK;
/* The next attempts follow these entries. */
void roles_link(struct role_state *r, struct variation *v);
/* The planner's or the searcher's talk is over: keeps what it made. */
struct error *role_conclude(struct step *s) MUST_CHECK;
/* Lets the debugger mend an attempt of the writer's that failed. */
struct error *step_debug(struct step *s) MUST_CHECK;

/* ---- diff_review.c -------------------------------------------------------- */

/* Asks the reviewer, if there is one, whether the sources may be scored.
 * *refusal is its reason for a no, else NULL. free() disposes. */
struct error *step_review(struct step *s, char **refusal, const char *subject,
			  const char *hypothesis) MUST_CHECK;

/* ---- saved.c ------------------------------------------------------------- */

/* Saves the step as it is. Called after each reply and each call. */
struct error *step_save(struct step *s) MUST_CHECK;
/* Takes what was saved of this step: the conversation and all counts. */
struct error *step_restore(struct step *s) MUST_CHECK;
/* The role whose talk is saved; ROLE_COUNT: none is. Fills what they share. */
enum role step_saved_role(struct role_state *out, const struct variation *v);

/* ---- calls.c ------------------------------------------------------------- */

/* Runs and answers the calls of the last turn that have no answer, until the
 * talk or run ends. */
struct error *step_run_calls(struct step *s) MUST_CHECK;

/* ---- spend.c ------------------------------------------------------------- */

/* Reports to the run what the model spent since the last call of this function,
 * and adds it to *sum. */
void model_count(struct model *m, struct allowance *a, struct spend *sum);
/* Estimates the cost of an attempt; false for a recording, which is free. */
bool llm_estimate(struct variation_operator *self, struct spend *out);

#endif
