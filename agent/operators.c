#include "agent/operators.h"

#include "agent/command/command.h"
#include "agent/tuner/tuner.h"

struct error *operator_new(struct variation_operator **out,
			   const struct task *task, const char *name,
			   const struct llm_options *o)
{
	struct llm_options options = *o;

	if (!name)
		name = task->operator_name;
	if (str_eq(name, "tuner"))
		return tuner_new(out, task);
	if (str_eq(name, "command"))
		return command_new(out, task, o->knowledge);
	options.plays = str_eq(name, "replay");
	if (options.plays || str_eq(name, "llm"))
		return llm_new(out, task, &options);
	return error_new(ERROR_USAGE,
			 "the operator '%s' is not one avogit has: there is "
			 "'tuner', which varies the tunables a source "
			 "declares, 'llm', a model with tools, 'command', an "
			 "agent the task names, and 'replay', a recording",
			 name);
}

void operator_free(struct variation_operator *o)
{
	if (o)
		o->free(o);
}
