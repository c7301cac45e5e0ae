/*
 * Inside loops.c, its statements (walk_statement.c, walk_loops.c, walk_branch.c),
 * expressions (walk_expression.c, walk_cast.c, walk_operators.c, walk_member.c,
 * walk_object.c) and calls (walk_call.c, walk_lambda.c, walk_algorithm.c): a walk through the body of a function, statement by
 * statement, that keeps what the names stand for. It is not a compiler: what it
 * does not understand counts as unknown, and the walk goes on after it.
 */
#ifndef CORE_TASK_WALK_H
#define CORE_TASK_WALK_H

#include "core/task/access.h"
#include "core/task/prototype.h"
#include "core/task/source.h"
#include "core/task/state.h"
#include "core/task/token.h"

#define WALK_NAMES     512
#define WALK_NEST      256 /* of brackets, statements and calls */
#define WALK_STEPS     ((size_t)1 << 16)
#define WALK_LOOKS     ((size_t)64 << 20) /* at tokens, for what names stand for */
#define WALK_MULTIPLES 64

/* An integer, or an address within a tensor. */
struct value {
	struct poly p; /* offset in elements for an address */
	int tensor;    /* -1: an integer */
	size_t object; /* 1 + the parameter that is a structure; 0: none */
	/* Of it, the member that is one itself, as the names of its own members
	 * begin: "state". Without a character: it is the whole. */
	struct token path;
	size_t place;	 /* 1 + the member of such that it is; 0: none */
	size_t inner;	 /* an array of arrays: subscripts before an element */
	size_t binding;	 /* that it was read from; SIZE_MAX: none */
	bool is_element; /* the contents of a tensor at p */
	bool is_member;	 /* a part of that, which is a structure */
	size_t left;	 /* subscripts before that part is a number */
	/* Whose elements it grows with, by sums and products; a bit for each
	 * tensor. */
	uint32_t of;
	/* Whose elements said where a loop ended that it comes from: that is none
	 * of what they hold. */
	uint32_t ended_by;
	bool chosen;  /* what arrays hold says how often it was counted */
	bool ring;    /* where a ring goes on: it wraps, and stays within */
	bool carried; /* an address that an earlier turn may have set */
	bool moved;   /* by a loop that counted, how far is in no offset */
	size_t rest;  /* of a loop that is over: struct walk's, plus 1; or 0 */
	/* 1 + the bracket of the parameters, or of the body, of a function or a
	 * lambda; 0: it is none. The names [seen_from, seen_to) of others are known
	 * in it, too. */
	size_t callee, seen_from, seen_to;
	bool is_order; /* std::less and the like */
};

#define WALK_RESTS 16

struct binding {
	struct token name;
	struct value v;
	/* Changed step by step in the loops around it: by `step` a turn, and by
	 * `total` until the end. */
	bool walks, by_one;
	bool counted; /* total is known from another name that is counted down */
	bool fixed;   /* a loop says what it is: no statement changes it */
	struct poly step, total;
};

/* A symbol that has to be a multiple of `of`, since a loop takes so many at a
 * time, and no other takes the rest. */
struct multiple {
	size_t atom;
	int64_t of;
	/* Only if an index goes on by as many for each of this quotient: of
	 * n / 4 in x[4 * i], and not in x[i - n / 2]. */
	bool waits;
	size_t quotient;
};

struct algorithm;

struct walk_limits {
	bool has_below, has_above;
	uint32_t of;	   /* of struct value, of both sides */
	size_t rest;	   /* the same */
	struct poly below; /* the name is less than it */
	struct poly above; /* the name is greater than it */
	size_t end;	   /* of what says so, without the && after it */
	/* Another one ends it, too, maybe earlier, that is not known. */
	bool doubt;
};

#define WALK_GUARDS 8

/* The condition [from, to), the names that it narrows, and the loop variables
 * that they are within it. */
struct walk_guard {
	size_t from, to;
	size_t name[WALK_GUARDS], atom[WALK_GUARDS], n;
	bool doubt; /* of the walk, before it */
	/* What leaves a turn of a loop by the contents of arrays: which tensors
	 * were written for sure before it, and which are by all that leave. */
	bool left_by_contents;
	uint32_t sure, sure_of_left;
};

/* A function that is walked, and the one that called it. */
struct walk_frame {
	size_t body;
	const struct walk_frame *outer;
};

struct walk {
	const struct token *token;
	const size_t *partner; /* of a bracket; else 0 */
	size_t n_tokens, at, end;
	const struct function_body *definition;
	size_t n_definitions;
	struct binding *binding;
	size_t n, cap, scope;	   /* names before `scope` are the caller's */
	size_t seen_from, seen_to; /* of those the ones that a lambda sees */
	const struct walk_frame *frame; /* the functions that are called here */
	struct poly_table atoms;
	struct accesses access[TASK_MAX_ARGS];
	/* The greatest element of an array of integers: 255 of bytes, else a
	 * symbol; not ok: unknown. Do they bound a loop? */
	struct poly contents[TASK_MAX_ARGS];
	uint32_t unchanged; /* not `const`, but nothing writes it */
	/* Where what it indexes has a size of its own: contents is that then. */
	bool settled[TASK_MAX_ARGS];
	bool bounds[TASK_MAX_ARGS];
	/* Of whose elements some are an index that is not known to fit, a shift
	 * or a bound; a bit for each tensor. */
	uint32_t narrow;
	/* Of whose elements single bits count: shifted, xored, or in a sum or a
	 * product, which may carry or overflow; of whose some divide or are added
	 * to an address, so that not all fit. */
	uint32_t bits, bounded;
	/* Of whose elements some are compared for their order with another's, or
	 * with what the function keeps; of whose some are handed, as numbers, to
	 * what is not seen. */
	uint32_t ordered, handed;
	uint32_t searched; /* which are taken to be in order */
	uint32_t copied_from[TASK_MAX_ARGS]; /* whose elements it got */
	uint32_t indexed_by[TASK_MAX_ARGS];  /* whose elements index it */
	int64_t greatest[TASK_MAX_ARGS];     /* of these; INT64_MAX: unknown */
	/* Written, whatever the arrays hold; a bit for each tensor. */
	uint32_t sure;
	size_t loops;		     /* around here */
	size_t outermost;	     /* loops so far that no other is around */
	size_t conditions;	     /* around here */
	size_t by_contents;	     /* of them, those by what arrays hold */
	bool escapes[TASK_MAX_ARGS]; /* handed to a function not seen */
	bool swapped[TASK_MAX_ARGS]; /* its name goes to another's, too */
	size_t bytes[TASK_MAX_ARGS]; /* of an element; 0: not known */
	bool structure[TASK_MAX_ARGS]; /* that its elements are */
	/* Members of a structure that are arrays: of struct parameter. */
	const char *arrays[TASK_MAX_ARGS];
	/* What the members of structures are, behind the parameters. */
	const struct prototype *prototype;
	struct value *argument;
	bool changed[TASK_MAX_ARGS]; /* members */
	/* Members of which what they were counts: they are read before they
	 * change, or may not change. */
	bool kept[TASK_MAX_ARGS];
	bool assigned[TASK_MAX_ARGS]; /* in the text, seen or not */
	size_t self; /* of a method: struct value's object; 0: it is none */
	struct token of_class;	    /* of a method */
	bool listed[TASK_MAX_ARGS]; /* a structure that is one of an array */
	/* The second and later dimensions of an array of arrays. */
	struct poly inner[TASK_MAX_ARGS][TASK_MAX_DIMS];
	size_t n_inner[TASK_MAX_ARGS];
	/* Elements that the loops around here go through, as a product. */
	struct poly turns;
	struct poly work; /* the largest such product */
	uint32_t counts;  /* parameters that say how often a loop turns */
	struct multiple multiple[WALK_MULTIPLES];
	size_t n_multiples;
	/* What loops went up to that take several at a time. */
	struct poly rest_of[WALK_RESTS];
	size_t n_rests;
	/* Under a condition that may keep an index from its bounds. */
	bool doubt;
	bool ended; /* in a loop that something else than its bound may end */
	/* Until the end of the block: what those left that left it before. */
	struct walk_guard *passed;
	/* Of the function that is walked, where it returns in one place. */
	struct value returned;
	size_t n_returns;
	/* Of the function itself: something, and by more than sizes. */
	bool returns, result_varies;
	size_t nest, steps;
	size_t looks; /* at tokens, for what names stand for */
};

bool walk_is(const struct walk *w, size_t at, const char *op);
/* Consumes it if it is next. */
bool walk_take(struct walk *w, const char *op);
bool walk_is_type_word(struct token t);
struct binding *walk_find(struct walk *w, struct token name);
/* Its number, which stays where the array moves; false: there is none. */
bool walk_number(size_t *out, struct walk *w, struct token name);
void walk_bind(struct walk *w, struct token name, const struct value *v);
struct value value_unknown(void);
struct value value_of(struct poly p);
/* walk_operators.c: a / c or a % c, as one quantity where it is not a polynomial. */
struct poly walk_divide(struct walk *w, const struct poly *a, char op,
			const struct poly *c);
/* Of "+" and other operators of two integers. */
struct poly walk_combine(struct walk *w, const struct poly *a, const char *op,
			 const struct poly *b);
/* Notes what an operator asks of the elements on its sides. */
void walk_note_sum(struct walk *w, const struct value *a, char op,
		   const struct value *b);
/* Two are compared, by `<` and the like or by a function: which is greater? */
void walk_note_order(struct walk *w, const struct value *a,
		     const struct value *b);
/* What is at w->at behind "sizeof". */
struct value walk_size_of(struct walk *w);
bool walk_same(struct token a, struct token b);
/* Is what is here done, or how often, by what arrays hold? */
bool walk_is_chosen(const struct walk *w);
/* What is done to the element at *v counts. */
void walk_record(struct walk *w, const struct value *v, enum access_kind kind);
/* The tensor (-1: none) gets elements of these; a bit for each. */
void walk_note_copy(struct walk *w, int tensor, uint32_t of);
/* After the walk: what is asked of elements is of those that they are copies of. */
void walk_follow_copies(struct walk *w);
/* What is done with the one, is with the other, too; -1: no tensor. */
void walk_note_swap(struct walk *w, int first, int second);
/* It is handed to what is not seen. */
void walk_escape(struct walk *w, const struct value *v);
/* walk_call.c: the call of what is named at `name`; w->at is behind the opening
 * bracket. */
struct value walk_call_at(struct walk *w, size_t name);
/* The call of a method of the structure *of; w->at is at the bracket. Where the method
 * is not there, what it does is not seen. */
struct value walk_method_of(struct walk *w, const struct value *of);
/* The smaller one, as far as it bounds an index. */
struct value walk_choose(struct walk *w, const struct value *a,
			 const struct value *b);
/* walk_lambda.c: the lambda at w->at; false: there is none. Its body is walked where it
 * is called. */
bool walk_lambda(struct value *out, struct walk *w);
/* The argument [from, to) of a call, whose value is not known, is a function if it has the
 * name of one, or makes an object that can be called. */
void walk_take_callee(struct value *v, struct walk *w, size_t from, size_t to);
/* The call of *f, a function or a lambda; of others nothing is known. */
struct value walk_call_value(struct walk *w, const struct value *f,
			     const struct value *argument, size_t n);
/* It is handed to what is not seen, which may call it. */
void walk_lend_callee(struct walk *w, const struct value *f);
/* walk_call.c: the call of *f; w->at is behind the opening bracket. */
struct value walk_call_here(struct walk *w, const struct value *f);
/* The first definition of this name; in a method, of its class. NULL: there is none. */
const struct function_body *walk_definition(struct walk *w, struct token name);
/* Is "std::" or a namespace within it before it? */
bool walk_is_of_library(const struct walk *w, size_t name);
/* walk_algorithm.c: the algorithm of C++'s library that is named at `name`; NULL: none
 * that is known. */
const struct algorithm *walk_algorithm_named(const struct walk *w, size_t name);
/* What it does with its arguments. `whole`: a vector stands for its range. */
struct value walk_algorithm(struct walk *w, const struct algorithm *of,
			    const struct value *argument, size_t n, bool whole);
/* qsort and bsearch; false: it is neither. */
bool walk_c_algorithm(struct value *out, struct walk *w, struct token name,
		      const struct value *argument, size_t n);
/* walk_cast.c: is the bracket at `at` a cast, "(const float *)"? */
bool walk_is_cast(struct walk *w, size_t at);
/* The cast at w->at, with what it is of. */
struct value walk_cast(struct walk *w);
/* C++'s `int(x)`, `std::size_t{x}` and `static_cast<int>(x)` at w->at, behind
 * the namespace; false: it is none, and w->at stays. */
bool walk_cast_by_name(struct value *out, struct walk *w);
/* One operand, with the signs and casts before it and what is behind it. */
struct value walk_operand(struct walk *w);
/* An element that is used as what is next says: the access is recorded. */
struct value walk_use(struct walk *w, const struct value *v);
/* `base[index]`: the address of an element, or of an array of them. */
struct value walk_subscript(const struct walk *w, const struct value *base,
			    const struct value *index);
/* What an element of the tensor is. */
struct value walk_element(struct walk *w, int tensor);
/* An expression without commas; stops at what ends it. */
struct value walk_assignment(struct walk *w);
struct value walk_expression(struct walk *w);
/* The tokens [from, to) as an expression; w->at stays. */
struct value walk_range(struct walk *w, size_t from, size_t to);
/* The statement at w->at and those after it up to `to`, with what an `if` among
 * them leaves out. */
void walk_scope(struct walk *w, size_t to);
/* walk_member.c: of a structure that a parameter points to (struct value's
 * object). */
struct value walk_object_member(const struct walk *w, size_t object,
				struct token path, struct token name);
/* Of an array among the members, whose elements are said one by one. Where it is not
 * known which, all of them may change. */
struct value walk_object_element(struct walk *w, const struct value *of,
				 const struct value *index);
/* A member of the method's object that is a number, or those in such a structure
 * of it, may change from here on by another name. */
void walk_lend(struct walk *w, const struct value *v);
/* If it is a structure, it is one of several. */
void walk_note_listed(struct walk *w, const struct value *v);
/* What `.size()` and the like of a vector, at w->at behind the point, are. */
struct value walk_vector_method(struct walk *w, const struct value *of);
/* An operand that is not used yet: what a reference is for. */
struct value walk_place(struct walk *w);
/* walk_void.c: each `void *` that the function at *d converts to one to bytes, and
 * to no other, is one. */
void walk_take_bytes(struct prototype *p, const struct walk *w,
		     const struct function_body *d);
/* The next parameter of a function, [*from, *to), of those up to the bracket `close`;
 * *to is at the opening one first. False after the last. */
bool walk_next_parameter(const struct walk *w, size_t *from, size_t *to,
			 size_t close);
/* The name of the parameter in [from, to): the last word before its dimensions. */
bool walk_parameter_name(const struct walk *w, size_t from, size_t to,
			 size_t *name);
/* walk_single.c: of each parameter that may be an array of structures or point to
 * one (prototype.h), which of the two the function at *d (NULL: it is not known) takes
 * it for. */
void walk_choose_single(struct prototype *p, const struct walk *w,
			const struct function_body *d);
/* walk_chosen.c: the arrays of floats of which the function at *d computes what it
 * compares to choose an integer. */
void walk_note_chosen(struct prototype *p, const struct walk *w,
		      const struct function_body *d);
/* The parameters that decide whether a loop of the function at *d returns in its
 * middle. */
void walk_note_returns(struct prototype *p, const struct walk *w,
		       const struct function_body *d);
/* walk_object.c: of a method at *d, the members that it uses as those of parameter
 * 0, where no struct of a task is the object. */
void walk_choose_members(struct prototype *p, struct walk *w,
			 const struct function_body *d);
/* After the walk: members that change where it did not come to. */
void walk_note_unseen(struct walk *w, const struct prototype *p);
/* Which definitions, by number, the function at *d comes to; of those of *o (or NULL)
 * that are not in the file one is its fault then. False: that, or there is too much. */
bool walk_mark_called(struct walk *w, const struct function_body *d, bool *runs,
		      struct method_object *o);
/* Is the name at `at` given another value there? */
bool walk_is_assigned(const struct walk *w, size_t at);
/* walk_state.c: after the walk, what is done with the members of structures in C;
 * and the values that they have get into *p. */
void walk_read_state(struct state_use *out, struct walk *w, struct prototype *p,
		     const struct function_body *d);
/* Before the walk: numbers among them that say where something begins or ends in an
 * array of constant size are no sizes, but anything from 0 to what fits. */
void walk_bound_state(struct value *argument, struct walk *w,
		      struct prototype *p, const struct function_body *d);
/* walk_ring.c: where rings go on, which are no sizes either. */
void walk_bound_rings(struct value *argument, struct walk *w,
		      struct prototype *p, const struct function_body *d);
/* Its place gets the value; NULL: the next number or address. */
void walk_change_member(struct walk *w, const struct value *member,
			const struct value *to);
/* It is handed to what is not seen; object 0: none. */
void walk_escape_object(struct walk *w, size_t object);
/* Of the member of this name that a tensor of structures has. */
size_t walk_dimensions(const struct walk *w, int tensor, struct token name);
/* walk_changes.c: a name that changes step by step, from its first value to the last
 * one. */
struct value walk_walking(struct walk *w, const struct binding *b);
/* walk_statement.c: the statement at w->at. */
void walk_statement(struct walk *w);
/* The colon of `for (float x : values)`, of which the bracket is at `open`; 0: it
 * is no such loop. */
size_t walk_range_for(const struct walk *w, size_t open);
/* Of `for`, `while` and `do`, the one that is at w->at, with its body. */
void walk_for(struct walk *w);
void walk_while(struct walk *w);
void walk_do(struct walk *w);
/* Where the statement at `at` ends. */
size_t walk_end_of_statement(const struct walk *w, size_t at);
/* walk_branch.c: the `if` or `switch` at w->at, with its branches. */
void walk_branch(struct walk *w);
/* Is the name among the tokens [from, to)? */
bool walk_mentions(const struct walk *w, size_t from, size_t to,
		   struct token name);
/* The body of a function with these arguments; what it returns. */
struct value walk_call(struct walk *w, const struct function_body *d,
		       const struct value *argument, size_t n);
/* Do the tokens [from, to) declare a reference by which what it stands for may
 * change? */
bool walk_is_reference(const struct walk *w, size_t from, size_t to);
/* "K" where a definition is named `K<T>::axpy` at `at`, or is within `class K {`.
 * Without a character: neither. */
struct token walk_class_at(const struct walk *w, size_t at, size_t *looks);
/* multiples.c: a loop goes up to `bound` in steps of `step` (more than one). */
void walk_note_multiple(struct walk *w, const struct poly *bound, int64_t step);
/* The symbols of `p` are divided by `of`, which gives `quotient`. */
void walk_note_quotient(struct walk *w, const struct poly *p, int64_t of,
			size_t quotient);
/* An element at `offset` is used. */
void walk_use_quotients(struct walk *w, const struct poly *offset);
/* A loop, or a remainder, takes what others left of these symbols. */
void walk_note_rest(struct walk *w, const struct poly *bound);
/* The binding `name` is what a loop to `bound` in such steps left. */
void walk_keep_rest(struct walk *w, size_t name, const struct poly *bound);
/* As walk_note_rest, by `rest` of a value. */
void walk_take_rest(struct walk *w, size_t rest);
/* What parameter `name` has to be a multiple of (1: of nothing), by the loops
 * and by the checks in the body [from, to) that leave it: `if (n % 16)
 * return;`, assert. */
int64_t walk_multiple(const struct walk *w, size_t from, size_t to,
		      const char *name);
/* The least value for which `n - 2` of the body makes sense. */
int64_t walk_least(const struct walk *w, size_t from, size_t to,
		   const char *name, bool is_signed);
/* conditions.c: of the conditions [from, to) the first that has the name. */
struct walk_limits walk_limits_of(struct walk *w, size_t from, size_t to,
				  size_t name);
/* Under the condition [from, to); where it does not hold; after both. */
void walk_guard_begin(struct walk_guard *g, struct walk *w, size_t from,
		      size_t to);
void walk_guard_else(struct walk_guard *g, struct walk *w);
void walk_guard_end(struct walk_guard *g, struct walk *w);
/* What was computed under it, by the names as they were before. */
struct poly walk_guard_wide(const struct walk_guard *g, struct walk *w,
			    const struct poly *p);
/* Where it holds the block is left: it does not hold in the rest of it. */
void walk_guard_rest(const struct walk_guard *g, struct walk *w);
/* walk_named.c: the value of [from, to): "256", "1 << 8"; with `names` also
 * "LEVELS + 1", where each is an enumerator, `const` or `constexpr`, or an argument of
 * a template that the function is of. Where a name is several of these, the least. */
bool walk_number_in(int64_t *out, struct walk *w, size_t from, size_t to,
		    bool names);
/* walk_constants.c: of the enumerator of this name; false: there is none. */
bool walk_enumerator(int64_t *out, struct walk *w, struct token name);
/* contents.c: what an element of this tensor can be, as a loop variable; unknown
 * where that is not known. */
struct poly walk_contents(struct walk *w, int tensor);
/* "col_max"; NULL: it would not be a symbol, or is another's name. */
char *walk_contents_name(const struct prototype *p,
			 const struct parameter *a) MUST_CHECK;
/* Is it nothing but an element of this tensor? */
bool walk_is_element(const struct walk *w, const struct value *v,
		     size_t tensor);
/* The index of what is named at `name`: of a tensor, or an array of the
 * kernel's. SIZE_MAX: it has no name. */
void walk_note_index(struct walk *w, const struct value *base, size_t name,
		     const struct value *index);
/* Such elements are where a loop begins or ends. */
void walk_note_bound(struct walk *w, const struct poly *bound);
/* walk_settled.c: after the walk: an array whose elements index, or bound a loop over, one that has
 * another size already (`out[i]` with i < n, `out[index[k]]`) holds what fits there;
 * and one of which nothing says how far it goes, as far as a parameter does that the
 * function at *d does not use and whose name says it (`nnz`, `cols`). */
void walk_settle_contents(struct walk *w, const struct prototype *p,
			  const struct function_body *d);
/* Of each parameter what of the above a task says: the symbol for its greatest
 * element, where a shape depends on it, and whether any number may be one. */
void walk_set_contents(struct prototype *p, const struct walk *w);
/* walk_values.c: numbers that the function at *d takes for one of a few (struct
 * parameter's value). */
void walk_find_values(struct prototype *p, struct walk *w,
		      const struct function_body *d);
/* walk_work.c: the parameters whose names are in the expression are sizes. */
void walk_find_sizes(struct prototype *p, const char *text);
/* Bytes and operations, where the extents of all tensors are known, and the degrees. */
void walk_set_work(struct prototype *p, struct walk *w,
		   const struct poly *extent);
/* What a size must be a multiple of, and at least, by the function at *d. */
void walk_set_ranges(struct prototype *p, const struct walk *w,
		     const struct function_body *d);
/* Those that say how often a loop turns are sizes, whatever the loop does. */
void walk_set_counts(struct prototype *p, const struct walk *w);
/* false: too deep or too long. Every walk_enter has its walk_leave. */
bool walk_enter(struct walk *w);
void walk_leave(struct walk *w);

#endif
