/* Inside the llm operator. Only llm*.c includes it. */
#ifndef AGENT_LLM_INTERNAL_H
#define AGENT_LLM_INTERNAL_H

#include "agent/llm.h"
#include "agent/price.h"
#include "agent/provider.h"
#include "agent/transcript.h"
#include "core/hash.h"

/* ---- llm_settings.c ------------------------------------------------------ */

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

/* ---- llm.c --------------------------------------------------------------- */

struct llm {
	struct variation_operator operator_; /* first: cast back */
	struct llm_settings settings;
	struct provider *provider;
	struct key key; /* to take it out of text */
	struct fileset prompts;
	struct tool_knowledge *knowledge;
	struct budget_limits budget;
	struct notes notes;
	bool restored, exhausted;
	struct spend counted; /* of what the provider took, told so far */
	char *assisted_by;
};

/* ---- llm_step.c ---------------------------------------------------------- */

#define REPEATS_MAX 64

/* A call, by the hash of itself and its result, since the sources last
 * changed. */
struct repeat {
	char id[HASH_HEX_LEN + 1];
	unsigned n;
};

/* A variation step. One conversation; more of them, with a model and a role
 * each, would share all the rest. */
struct step {
	struct llm *llm;
	struct toolbox box;
	struct conversation c;
	struct transcript transcript;
	struct repeat repeat[REPEATS_MAX];
	size_t n_repeats;
	char sources[FILESET_ID_LEN + 1]; /* after the last call */
	int64_t turns;
	size_t cleared_at; /* bytes of the conversation then */
	unsigned cut;	   /* replies in a row that the length limit cut */
	bool nudged;
	char *words; /* the last that was said */
	char *end;   /* why it is over, in words; NULL: it goes on */
};

/* Runs the conversation until s->end is set. */
struct error *step_converse(struct step *s) MUST_CHECK;
void step_end(struct step *s, const char *fmt, ...) PRINTF(2, 3);

/* ---- llm_calls.c --------------------------------------------------------- */

/* Answers every call of the last turn. */
struct error *step_run_calls(struct step *s) MUST_CHECK;

/* ---- llm_spend.c --------------------------------------------------------- */

/* Tells the run what was spent since the last time. */
void llm_count(struct llm *l, struct variation *v);
/* One attempt's, about; false where it costs nothing. */
bool llm_estimate(struct variation_operator *self, struct spend *out);
struct price_table llm_prices(const struct llm_settings *s);

#endif
