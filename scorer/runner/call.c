#include "scorer/runner/call.h"

#include <ffi.h>

struct invocation {
	ffi_cif cif;
	ffi_type *type[TASK_MAX_ARGS + CALL_EXTRA];
	void *value[TASK_MAX_ARGS + CALL_EXTRA];
	void *pointer[TASK_MAX_ARGS]; /* tensors: set before the call */
	struct value_layout by_value[TASK_MAX_ARGS];
	ffi_type structure[TASK_MAX_ARGS];
	ffi_type *member[TASK_MAX_ARGS]
			[ARRAY_SIZE(((struct value_layout *)0)->member) + 1];
	int64_t extra[CALL_EXTRA];
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

static const char *struct_type(struct invocation *v, size_t i)
{
	const struct value_layout *s = &v->by_value[i];

	for (size_t k = 0; k < s->n_members; k++) {
		v->member[i][k] = scalar_type(s->member[k]);
		if (!v->member[i][k])
			return "f16 and bf16 cannot be passed by value";
	}
	v->member[i][s->n_members] = NULL;
	v->structure[i] =
		(ffi_type){.type = FFI_TYPE_STRUCT, .elements = v->member[i]};
	v->type[i] = &v->structure[i];
	return NULL;
}

static const char *value_type(struct invocation *v, const struct entry_call *c,
			      size_t i)
{
	v->by_value[i] = c->layout.arg[i].value;
	v->value[i] = v->by_value[i].data;
	if (c->is_struct[i])
		return struct_type(v, i);
	v->type[i] = scalar_type(v->by_value[i].member[0]);
	return v->type[i] ? NULL : "f16 and bf16 cannot be passed by value";
}

static const char *prepare(struct invocation *v, const struct entry_call *c,
			   unsigned n_extra)
{
	size_t n = c->layout.n;

	for (size_t i = 0; i < n; i++) {
		const char *why = NULL;

		if (c->layout.arg[i].is_tensor) {
			v->type[i] = &ffi_type_pointer;
			v->value[i] = &v->pointer[i];
		} else {
			why = value_type(v, c, i);
		}
		if (why)
			return why;
	}
	for (unsigned k = 0; k < n_extra; k++) {
		v->type[n + k] = &ffi_type_sint64;
		v->value[n + k] = &v->extra[k];
	}
	if (ffi_prep_cif(&v->cif, FFI_DEFAULT_ABI, (unsigned)n + n_extra,
			 &ffi_type_void, v->type) != FFI_OK)
		return "libffi cannot pass these arguments";
	return NULL;
}

struct invocation *invocation_new(const char **why, const struct entry_call *c,
				  unsigned n_extra)
{
	cleanup_invocation struct invocation *v = xcalloc(1, sizeof *v);

	*why = prepare(v, c, n_extra);
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

void invocation_run(struct invocation *v, function f)
{
	ffi_call(&v->cif, f, NULL, v->value);
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
