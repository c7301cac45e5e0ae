/*
 * A function that could be an entry: its parameters, and for pointers what they
 * point to. For C and C++ a compiler says it (debug_info.h), and its loops are
 * looked at (loops.h). For CUDA the source is read here, well enough for the
 * first version of a task file: the source is not preprocessed, so the user has to
 * fill in a type that comes from a macro or from the source's own typedef.
 */
#ifndef CORE_TASK_PROTOTYPE_H
#define CORE_TASK_PROTOTYPE_H

#include "core/task/task.h"

/* How an object that a shim makes has it. */
enum held {
	HELD_PLAIN, /* as it is: a number or an address */
	HELD_STATE, /* a number, of which the argument is the address */
	HELD_VECTOR, /* as what a std::vector has; the next parameter is its count */
	HELD_COUNT,
	HELD_ARRAY, /* an array within it, of which the argument is the address */
	HELD_AFTER, /* a number, whose value after the call is the argument's */
	HELD_OPAQUE /* what no argument can be */
};

#define STATE_MAX_DIMS	     4
#define PARAMETER_MAX_VALUES 12
#define STATE_MAX_ELEMENTS   (1 << 20)

struct parameter {
	char *name;
	/* C, C++: it points to one structure, whose members are behind the
	 * parameters. */
	bool has_members;
	/* Such a member's own name, and 1 + the number of the parameter that it
	 * belongs to; `name` is that of both, "image_width". NULL, 0: it is a
	 * parameter. */
	char *member;
	size_t owner;
	/* Of a member in C: "size.w". */
	char *path;
	/* C: known as an array of structures of one integer type, but maybe it
	 * points to one: the members are there, too, until the source was read. */
	bool may_be_one;
	/* It points to a structure that a struct of a task cannot be. */
	bool by_shim;
	uint64_t whole_bytes; /* that structure */
	/* 1 + the structure of the prototype's `state` that it is a part of; 0:
	 * of none. */
	size_t state;
	/* 1 + where it is in the object that a shim makes; 0: in none. */
	uint64_t place;
	enum held held;
	uint64_t held_dim[STATE_MAX_DIMS]; /* of HELD_ARRAY */
	size_t n_held;
	/* What values it has, as far as the source says it: "0", "n - 1"; NULL:
	 * it does not. */
	char *low, *high;
	char *fault; /* why a shim does not make what it points to, or NULL */
	char *type;  /* without qualifiers, stars and dimensions */
	/* C, C++: the typedef that the elements, or the value, are declared
	 * with; NULL: none. */
	char *alias;
	bool is_nested; /* it points to arrays */
	/* C, C++: the whole type as C has it, for a declaration of its own. */
	char *declared;
	bool known; /* dtype says what the type is */
	enum dtype dtype;
	/* C: it points to structures of so many numbers, all of `dtype`; 0: to
	 * numbers. */
	size_t members;
	/* C++, of a method's object: what its class says it is at first; NULL:
	 * nothing. */
	char *initial;
	/* Such a structure's body, "{ float x; float y; }"; NULL: it has arrays. */
	char *layout;
	/* Its members that are arrays, " x  in ": each once for a dimension. */
	char *arrays;
	bool is_pointer, is_const;
	/* From the loops: "m, k", and "ld, 1" where it is not dense; NULL: not
	 * found. */
	char *shape, *strides;
	char *extent; /* elements from the first to the last */
	bool has_direction;
	enum direction direction;
	bool shape_unsure; /* some access is not known */
	/* Its name goes to another array in a loop, as where two are read and
	 * written in turns: the direction is a guess. */
	bool is_swapped;
	/* What is written depends on what arrays hold: the rest stays. */
	bool is_partial;
	/* What it reads may be what it wrote itself in the same launch. */
	bool is_reread;
	bool is_guarded; /* the furthest one is under an `if` */
	bool is_ahead;	 /* some in a loop may go a few elements further */
	bool is_size;	 /* some shape or loop depends on it */
	int64_t size;	 /* what it must be, for declared shapes; 0: any */
	/* Of a number, from the source: the values that it compares it with, in
	 * their order; 0: it is not one of a few. Is something done for others,
	 * too? */
	int64_t value[PARAMETER_MAX_VALUES];
	size_t n_values;
	bool any_value;
	/* From the loops, of a size: what it must be a multiple of, and at
	 * least; 0: not known. */
	int64_t multiple, least;
	/* From the loops, of integers that index others, or bound a loop: the
	 * symbol that is the greatest of them; NULL: they do not. */
	char *contents;
	bool ascends; /* they bound a loop */
	/* They index an array that has a size of its own: `low` and `high` are what
	 * fits there. */
	bool indexes;
	/* C, C++, from the loops: all that is done with the elements is known,
	 * and none of them has to be small, as an index or a shift would. */
	bool elements_seen, elements_small;
	bool elements_bits; /* their bits are used, or they may carry */
	/* Some index, divide, end a loop, or go to a function that is not seen. */
	bool elements_limited;
	bool elements_ordered;	/* compared with each other or what is kept */
	bool elements_searched; /* the library takes them to be in order */
	bool elements_summed;	/* signed ones may overflow */
	/* C, C++, of floats: comparing what is computed of them chooses an
	 * integer. */
	bool decides;
	bool returns; /* what it holds decides whether a loop returns early */
};

/* A structure that a shim makes, of parameters that are its members. */
struct kernel_state {
	char *name, *type; /* "st", "struct b64" */
	uint64_t bytes;
};

struct prototype {
	enum language language;
	char *name;	 /* as the source has it; C++: "ns::axpy<float>" */
	char *symbol;	 /* as the object has it; NULL: the same */
	char *result;	 /* its type; NULL: void, or not known */
	bool has_result; /* a value of result_dtype */
	enum dtype result_dtype;
	/* C, C++: constants, of which the sizes say which it is: `return -1;` where
	 * they are wrong. */
	bool is_status;
	bool is_static;
	bool is_method; /* its first parameter is `this`, named `self` */
	bool is_constructor;
	/* Of a method in C++: all that its class has (object.h). Where that is used,
	 * the members are parameters and `self` is none. NULL: it is no method. */
	struct method_object *object;
	struct kernel_state state[TASK_MAX_ARGS];
	size_t n_states;
	size_t line; /* of the definition; 0: not known */
	struct parameter parameter[TASK_MAX_ARGS];
	size_t n;
	size_t n_members; /* behind the n parameters: of structures */
	bool too_many;	  /* parameters; the first ones are there */
	/* From the loops; NULL: not found. */
	char *bytes, *flops;
	/* Of the largest tensor and of the innermost loop: 2 for m * n. */
	size_t tensor_degree, work_degree;
	size_t work_counts; /* in the work: prototype_is_count */
};

/* CUDA: finds the function `entry`. If entry is NULL: the only one that can be
 * called from outside, or the one named as `path` is. That is a host function
 * with C linkage and a cudaStream_t as its last parameter, which is left out of
 * `out`. `path` is for messages. */
struct error *prototype_read(struct prototype *out, const char *path,
			     const char *source, const char *entry) MUST_CHECK;
/* Is the function named as the file is, "lib/gemm.c"? */
bool prototype_is_named_like(const char *name, size_t len, const char *path);
void prototype_release(struct prototype *p);
void parameter_release(struct parameter *p);
/* Parameters and members of structures. */
static inline size_t prototype_all(const struct prototype *p)
{
	return p->n + p->n_members;
}
/* Of a size: does no array have it as a dimension or a stride, where one has another
 * size? Then it says how often something is done (`rounds`, `order`). */
bool prototype_is_count(const struct prototype *p, const struct parameter *a);
/* How many such are among the tokens of an expression. */
size_t prototype_counts_in(const struct prototype *p, const char *text);
/* Has one of them this name? */
bool prototype_has(const struct prototype *p, const char *name);

DEFINE_RELEASE(prototype, struct prototype, prototype_release)
#define cleanup_prototype CLEANUP(prototype)

#endif
