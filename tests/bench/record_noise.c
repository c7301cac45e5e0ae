/*
 * Records what the scorer's blocks say when a kernel is compared with itself:
 * the log ratios, in order, of many long comparisons beside a fixed load. For
 * interval_bench, which needs the noise of a real machine.
 *
 *     record_noise FOLDER COMPARISONS > tests/data/noise.csv
 */
#include <math.h>

#include "core/base/clock.h"
#include "scorer/scoring.h"
#include "steps.h"

#define MAX_SECONDS 60

/* A quick kernel, where the handling of launches is in the noise, and one of
 * some milliseconds. */
static const unsigned rounds[] = {60, 1400};

static struct error *compare(const struct contender **out,
			     struct contest **contest, struct stage *s,
			     struct contenders *f, unsigned n_rounds)
{
	struct scorer *scorer = (struct scorer *)s->scorer;
	cleanup_score_outcome struct score_outcome o = SCORE_OUTCOME_INIT;
	cleanup_candidate struct candidate c = {0};

	TRY(stage_candidate(&c, s, "candidate", "ROUNDS", n_rounds));
	scorer_reseed(scorer, 0);
	TRY(scorer_need_judge(scorer));
	TRY(build_candidate(&f->candidate, scorer->builder, &c.files));
	TRY(build_candidate(&f->rival[0], scorer->builder, &c.files));
	*contest = contenders_contest(f, 1, 0);
	(*contest)->twinless = true;
	/* To the last block, whatever it looks like. */
	(*contest)->design.precision = 0;
	(*contest)->design.alpha = 0;
	TRY(contest_run(&o, *contest, MAX_SECONDS));
	if (o.verdict != VERDICT_PASS)
		return error_new(ERROR_INTERNAL, "the kernel fails: %s", o.why);
	*out = &(*contest)->contender[1];
	return NULL;
}

static struct error *record(struct stage *s, unsigned n_rounds)
{
	cleanup_candidate struct candidate c = {0};
	cleanup_contest struct contest *contest = NULL;
	cleanup_contenders struct contenders f;
	struct rival_request rival = {RIVAL_INCUMBENT, &c};
	struct score_request request = {
		.candidate = &c, .rivals = &rival, .n_rivals = 1};
	const struct contender *who = NULL;

	contenders_init(&f, (struct scorer *)s->scorer, &request);
	TRY(compare(&who, &contest, s, &f, n_rounds));
	printf("%u", n_rounds);
	for (size_t i = 0; i < who->n; i++)
		printf(",%.6f", who->log_ratio[i]);
	putchar('\n');
	fflush(stdout);
	return NULL;
}

static struct error *record_all(struct stage *s, size_t n)
{
	printf("# Log ratios of the blocks of comparisons of a kernel with "
	       "itself, one comparison\n"
	       "# a line, beside a load on another CPU; first the rounds of "
	       "the kernel.\n"
	       "# Made by: record_noise tests/bench/steps %zu\n"
	       "# On: %s\n",
	       n, s->scorer->machine_name(s->scorer));
	for (size_t i = 0; i < n; i++)
		TRY(record(s, rounds[i % ARRAY_SIZE(rounds)]));
	return NULL;
}

int main(int argc, char **argv)
{
	size_t n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct stage s;
	struct error *err;

	if (!n)
		return 2;
	err = stage_open(&s, argv[1]);
	if (!err)
		err = record_all(&s, n);
	stage_close(&s);
	if (err)
		fprintf(stderr, "record_noise: %s\n", error_message(err));
	return err != NULL;
}
