/* Inside the llm operator. Only this module includes it. */
#ifndef AGENT_LLM_INTERNAL_H
#define AGENT_LLM_INTERNAL_H

#include "agent/llm/llm.h"
#include "agent/llm/price.h"
#include "agent/provider/provider.h"
#include "agent/llm/transcript.h"
#include "core/base/hash.h"
#include "core/run/supervisor.h"

/* ---- settings.c ---------------------------------------------------------- */

struct llm_settings {
	enum protocol protocol;
	char *base_url, *model, *fallback_model, *effort;
	char *key_env, *key_command;
	char *prompts; /* folder from the top of the repository, with '/' */
	char *replay;  /* file, likewise */
	int64_t max_tokens;
	int64_t steps;	 /* replies in a variation step */
	int64_t context; /* tokens at which old results are cleared */
	double silence;	 /* seconds without a byte: asked again; 0: usual */
	bool streaming, has_temperature;
	double temperature;
	struct price *prices; /* their names are owned */
	size_t n_prices, prices_cap;
};
struct error *llm_settings_read(struct llm_settings *out,
				const struct task *task,
				const struct llm_options *o) MUST_CHECK;
void llm_settings_release(struct llm_settings *s);
DEFINE_RELEASE(llm_settings, struct llm_settings, llm_settings_release)
#define cleanup_llm_settings CLEANUP(llm_settings)
struct error *llm_find_key(struct api_key *out,
			   const struct llm_settings *s) MUST_CHECK;
/* Where to put a key that was not found, in words. Owned. */
char *llm_key_place(const struct llm_settings *s) MUST_CHECK;

/* ---- model.c ------------------------------------------------------------- */

/* A model as it is configured: the provider that is asked, what it is told,
 * what it used. */
struct model {
	struct llm_settings settings;
	struct provider *provider;
	struct api_key key; /* to take it out of text */
	struct fileset prompts;
	struct budget_limits budget;
	struct spend counted; /* of what the provider took, told so far */
};
struct error *model_new(struct model **out, const struct task *task,
			const struct llm_options *o) MUST_CHECK;
void model_free(struct model *m);
/* "claude-sonnet-5", or "the recording". */
const char *model_name(const struct model *m);
bool model_is_replay(const struct model *m);
struct price_table model_prices(const struct model *m);
DEFINE_CLEANUP(model, struct model, model_free)
#define cleanup_model CLEANUP(model)

/* ---- talk.c -------------------------------------------------------------- */

/* A conversation with a model: its role, what was said, its transcript, and
 * what it used. The caller that begins one decides what a reply is for: a step
 * (step.c), a review (review.c). Several may go on at a time, each with a model
 * of its own or with the same. */
struct talk {
	struct model *model;
	struct allowance *allowance;
	const char *doing; /* while it is waited for: "thinking" */
	struct conversation c;
	struct transcript transcript;
	struct spend spend;
	int64_t turns;	   /* replies */
	size_t cleared_at; /* bytes of the conversation then */
	char *words;	   /* the last that was said */
	char *end;	   /* why it is over, in words; NULL: it goes on */
};
/* `role` is the prompt that it begins with ("system.md"). Borrows model and
 * allowance. talk_release disposes. */
void talk_init(struct talk *t, struct model *model, struct allowance *allowance,
	       const char *role, const char *doing);
/* Says the first message. The transcript is called KIND-TIME-NUMBER; `begin`
 * (taken) is what else its first event holds. */
struct error *talk_begin(struct talk *t, struct archive *archive,
			 const char *run, const char *kind, uint32_t number,
			 const char *first, struct json *begin) MUST_CHECK;
struct error *talk_say(struct talk *t, const char *text) MUST_CHECK;
/* Clears old results where the conversation has become long. */
struct error *talk_make_room(struct talk *t) MUST_CHECK;
/* The same in need: all but the newest. Where there are none, it is over. */
struct error *talk_clear_all(struct talk *t) MUST_CHECK;
/* A reply, counted and without the key; the conversation does not have it
 * yet. Errors are the provider's (ERROR_INTERRUPTED: the run is over), and
 * ERROR_REFUSED where the budget cannot be kept. */
struct error *talk_ask(struct talk *t, struct reply *r) MUST_CHECK;
/* Takes it into the conversation; ends the talk where it is a refusal. False
 * where no turn came of it: a refusal, or a context that is full. */
bool talk_take(struct talk *t, struct reply *r);
void talk_end(struct talk *t, const char *fmt, ...) PRINTF(2, 3);
/* `text` is what came of it: the transcript's last event; it is kept. */
struct error *talk_keep(struct talk *t, const char *text) MUST_CHECK;
void talk_release(struct talk *t);
DEFINE_RELEASE(talk, struct talk, talk_release)
#define cleanup_talk CLEANUP(talk)

/* ---- review.c ------------------------------------------------------------ */

/* The model as the supervisor's advisor. */
struct reviewer {
	struct advisor advisor; /* first: cast back */
	struct model *model;	/* the operator's; or its own: reviewer_new */
};
void reviewer_init(struct reviewer *r, struct model *model);

/* ---- llm.c --------------------------------------------------------------- */

struct llm {
	struct variation_operator operator_; /* first: cast back */
	struct model *model;
	struct reviewer reviewer;
	struct tool_knowledge *knowledge;
	struct notes notes;
	bool restored, exhausted;
	char *assisted_by;
};

/* ---- step.c -------------------------------------------------------------- */

#define REPEATS_MAX 64

/* A call, by the hash of itself and its result, since the sources last
 * changed. */
struct repeat {
	char id[HASH_HEX_LEN + 1];
	unsigned n;
};

/* A variation step: a workspace with its tools, and who works there. One talk
 * today; others, each with a role and a model, would stand beside it. */
struct step {
	struct llm *llm;
	struct toolbox box;
	struct talk talk;
	struct repeat repeat[REPEATS_MAX];
	size_t n_repeats;
	char sources[FILESET_ID_LEN + 1]; /* after the last call */
	unsigned cut; /* replies in a row that the length limit cut */
	bool nudged;
};

/* Runs the talk until it is over. */
struct error *step_converse(struct step *s) MUST_CHECK;

/* ---- calls.c ------------------------------------------------------------- */

/* Answers every call of the last turn. */
struct error *step_run_calls(struct step *s) MUST_CHECK;

/* ---- spend.c ------------------------------------------------------------- */

/* What was spent since the last time: tells the run, and adds it to *sum. */
void model_count(struct model *m, struct allowance *a, struct spend *sum);
/* One attempt's, about; false where it costs nothing. */
bool llm_estimate(struct variation_operator *self, struct spend *out);

#endif
