#include "scorer/runner/call.h"

#include <ffi.h>

/* An integer narrower than a register is returned as a whole one. */
union returned {
	ffi_arg integer;
	float f32;
	double f64;
};

struct invocation {
	ffi_cif cif;
	size_t n;	  /* of the task's arguments; some are not passed */
	bool has_pointed; /* structs to be set for every call */
	ffi_type *type[TASK_MAX_ARGS + CALL_EXTRA];
	void *value[TASK_MAX_ARGS + CALL_EXTRA];
	void *pointer[TASK_MAX_ARGS]; /* tensors: set before the call */
	struct value_layout by_value[TASK_MAX_ARGS];
	ffi_type structure[TASK_MAX_ARGS];
	ffi_type *member[TASK_MAX_ARGS]
			[ARRAY_SIZE(((struct value_layout *)0)->member) + 1];
	/* Of structs that go by pointer: what they point to. */
	struct value_layout fresh[TASK_MAX_ARGS];
	void *structure_at[TASK_MAX_ARGS];
	int64_t extra[CALL_EXTRA];
	/* What the function returns: the argument that takes it, and its type;
	 * SIZE_MAX: nothing. */
	size_t returned;
	enum dtype returned_dtype;
};

static ffi_type *scalar_type(enum dtype t)
{
	switch (t) {
	case DTYPE_F32:
		return &ffi_type_float;
	case DTYPE_F64:
		return &ffi_type_double;
	case DTYPE_I8:
		return &ffi_type_sint8;
	case DTYPE_I16:
		return &ffi_type_sint16;
	case DTYPE_I32:
		return &ffi_type_sint32;
	case DTYPE_I64:
		return &ffi_type_sint64;
	case DTYPE_U8:
		return &ffi_type_uint8;
	case DTYPE_U16:
		return &ffi_type_uint16;
	case DTYPE_U32:
		return &ffi_type_uint32;
	case DTYPE_U64:
		return &ffi_type_uint64;
	case DTYPE_F16:
	case DTYPE_BF16:
	case DTYPE_F8E4M3:
	case DTYPE_F8E5M2:
	case DTYPE_COUNT:
		break;
	}
	return NULL; /* libffi does not know how they are passed */
}

static const char *struct_type(struct invocation *v, size_t i, size_t at)
{
	const struct value_layout *s = &v->by_value[i];

	for (size_t k = 0; k < s->n_members; k++)
		v->has_pointed = v->has_pointed || s->tensor[k];
	if (s->by_pointer) {
		v->has_pointed = true;
		v->structure_at[i] = v->fresh[i].data;
		v->type[at] = &ffi_type_pointer;
		v->value[at] = &v->structure_at[i];
		return NULL;
	}

	for (size_t k = 0; k < s->n_members; k++) {
		v->member[i][k] = scalar_type(s->member[k]);
		if (!v->member[i][k])
			return "f16 and bf16 cannot be passed by value";
	}
	v->member[i][s->n_members] = NULL;
	v->structure[i] =
		(ffi_type){.type = FFI_TYPE_STRUCT, .elements = v->member[i]};
	v->type[at] = &v->structure[i];
	return NULL;
}

/* As argument `at` of the call. */
static const char *value_type(struct invocation *v, const struct entry_call *c,
			      size_t i, size_t at)
{
	v->by_value[i] = c->layout.arg[i].value;
	v->value[at] = v->by_value[i].data;
	if (c->is_struct[i])
		return struct_type(v, i, at);
	v->type[at] = scalar_type(v->by_value[i].member[0]);
	return v->type[at] ? NULL : "f16 and bf16 cannot be passed by value";
}

/* True if the tensor itself is not passed. */
static bool is_elsewhere(struct invocation *v, const struct tensor_layout *t,
			 size_t i, bool reference)
{
	if (t->passing != PASSED_BACK)
		return t->passing == PASSED_IN_STRUCT;
	v->returned = i;
	v->returned_dtype = reference && dtype_is_float(t->dtype) ? DTYPE_F64
								  : t->dtype;
	return true;
}

/* Types and places of all that is passed; *n of them. */
static const char *pass(struct invocation *v, const struct entry_call *c,
			bool reference, size_t *n)
{
	const char *why = NULL;

	for (size_t i = 0; !why && i < c->layout.n; i++) {
		if (!c->layout.arg[i].is_tensor) {
			why = value_type(v, c, i, (*n)++);
		} else if (!is_elsewhere(v, &c->layout.arg[i].tensor, i,
					 reference)) {
			v->type[*n] = &ffi_type_pointer;
			v->value[(*n)++] = &v->pointer[i];
		}
	}
	return why;
}

static const char *prepare(struct invocation *v, const struct entry_call *c,
			   unsigned n_extra, bool reference)
{
	ffi_type *result = &ffi_type_void;
	const char *why;
	size_t n = 0;

	v->n = c->layout.n;
	v->returned = SIZE_MAX;
	why = pass(v, c, reference, &n);
	if (why)
		return why;
	for (unsigned k = 0; k < n_extra; k++) {
		v->type[n + k] = &ffi_type_sint64;
		v->value[n + k] = &v->extra[k];
	}
	if (v->returned != SIZE_MAX)
		result = scalar_type(v->returned_dtype);
	if (!result ||
	    ffi_prep_cif(&v->cif, FFI_DEFAULT_ABI, (unsigned)n + n_extra,
			 result, v->type) != FFI_OK)
		return "libffi cannot pass these arguments";
	return NULL;
}

struct invocation *invocation_new(const char **why, const struct entry_call *c,
				  unsigned n_extra, bool reference)
{
	cleanup_invocation struct invocation *v = xcalloc(1, sizeof *v);

	*why = prepare(v, c, n_extra, reference);
	return *why ? NULL : steal(&v);
}

void invocation_set_tensor(struct invocation *v, size_t i, void *data)
{
	v->pointer[i] = data;
}

void invocation_set_extra(struct invocation *v, unsigned k, int64_t value)
{
	v->extra[k] = value;
}

/* Sets the members of this struct that are pointers. */
static void point_members(struct invocation *v, struct value_layout *s)
{
	size_t at = 0;

	for (size_t k = 0; k < s->n_members; k++) {
		size_t bytes = dtype_bytes(s->member[k]);

		at = (at + bytes - 1) / bytes * bytes;
		if (s->tensor[k])
			memcpy(s->data + at, &v->pointer[s->tensor[k] - 1],
			       sizeof v->pointer[0]);
		at += bytes;
	}
}

static void fill_structs(struct invocation *v)
{
	for (size_t i = 0; i < v->n; i++) {
		struct value_layout *s = &v->by_value[i];

		point_members(v, s);
		if (v->structure_at[i])
			memcpy(v->fresh[i].data, s->data, s->bytes);
	}
}

/* Where there is nothing to write to, what is returned is dropped. */
static void store_returned(struct invocation *v, const union returned *r)
{
	void *to = v->returned == SIZE_MAX ? NULL : v->pointer[v->returned];

	/* The narrow types lie at the beginning: little-endian. */
	if (to)
		memcpy(to, r, dtype_bytes(v->returned_dtype));
}

void invocation_run(struct invocation *v, function f)
{
	union returned returned = {0};

	if (v->has_pointed)
		fill_structs(v);
	ffi_call(&v->cif, f, &returned, v->value);
	store_returned(v, &returned);
}

void invocation_free(struct invocation *v)
{
	free(v);
}

const char *call_generator(function f, void *data, uint64_t seed,
			   const int64_t *symbol, uint32_t n)
{
	ffi_type *type[2 + PROTOCOL_SYMBOLS] = {&ffi_type_pointer,
						&ffi_type_uint64};
	void *value[2 + PROTOCOL_SYMBOLS] = {&data, &seed};
	int64_t copy[PROTOCOL_SYMBOLS];
	ffi_cif cif;

	for (uint32_t i = 0; i < n; i++) {
		copy[i] = symbol[i];
		type[2 + i] = &ffi_type_sint64;
		value[2 + i] = &copy[i];
	}
	if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 2 + n, &ffi_type_void, type) !=
	    FFI_OK)
		return "libffi cannot call the generator";
	ffi_call(&cif, f, NULL, value);
	return NULL;
}
