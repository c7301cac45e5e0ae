#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>
#include <torch/version.h>

#include <cstdint>
#include <cstring>
#include <tuple>

#define TORCH_HAS(major, minor)                                                \
	(TORCH_VERSION_MAJOR > major ||                                        \
	 (TORCH_VERSION_MAJOR == major && TORCH_VERSION_MINOR >= minor))

/* Types that PyTorch has only since a version. */
#if TORCH_HAS(2, 3)
#define TYPE_U16 at::kUInt16
#define TYPE_U32 at::kUInt32
#define TYPE_U64 at::kUInt64
#else
#define TYPE_U16 needs_torch("2.3")
#define TYPE_U32 needs_torch("2.3")
#define TYPE_U64 needs_torch("2.3")
#endif
#if TORCH_HAS(2, 1)
#define TYPE_F8E4M3 at::kFloat8_e4m3fn
#define TYPE_F8E5M2 at::kFloat8_e5m2
#else
#define TYPE_F8E4M3 needs_torch("2.1")
#define TYPE_F8E5M2 needs_torch("2.1")
#endif

namespace {

[[maybe_unused]] at::ScalarType needs_torch(const char *version)
{
	TORCH_CHECK(false, "this kernel needs PyTorch ", version,
		    " or later, which has its element type");
	return at::kByte;
}

[[maybe_unused]] int64_t divide(int64_t a, int64_t b)
{
	TORCH_CHECK(b != 0, "a size divides by zero");
	return a / b;
}
[[maybe_unused]] int64_t modulo(int64_t a, int64_t b)
{
	TORCH_CHECK(b != 0, "a size divides by zero");
	return a % b;
}
[[maybe_unused]] int64_t negate(int64_t a) { return -a; }
[[maybe_unused]] int64_t is_not(int64_t a) { return !a; }
[[maybe_unused]] int64_t is_less(int64_t a, int64_t b) { return a < b; }
[[maybe_unused]] int64_t is_at_most(int64_t a, int64_t b) { return a <= b; }
[[maybe_unused]] int64_t is_equal(int64_t a, int64_t b) { return a == b; }
[[maybe_unused]] int64_t is_true(bool a) { return a; }
[[maybe_unused]] int64_t minimum(int64_t a, int64_t b) { return a < b ? a : b; }
[[maybe_unused]] int64_t maximum(int64_t a, int64_t b) { return a > b ? a : b; }
[[maybe_unused]] int64_t ceil_div(int64_t a, int64_t b)
{
	return divide(a + b - 1, b);
}
[[maybe_unused]] int64_t align_up(int64_t a, int64_t b)
{
	return ceil_div(a, b) * b;
}
[[maybe_unused]] bool within(int64_t v, int64_t low, int64_t high, int64_t step)
{
	return v >= low && v <= high && v % step == 0;
}

/* The size of one dimension of a tensor of so many. */
[[maybe_unused]] int64_t size_of(const at::Tensor &t, const char *name,
				 int64_t dims, int64_t dim)
{
	TORCH_CHECK(t.dim() == dims, name, " has ", t.dim(),
		    " dimensions: the kernel takes ", dims);
	return t.size(dim);
}

/* Does the tensor lie in memory as the kernel reads it? `strides` empty: row
 * after row, without gaps. */
void check(const at::Tensor &t, const char *name, const at::Tensor &first,
	   at::ScalarType type, at::IntArrayRef shape, at::IntArrayRef strides,
	   size_t alignment)
{
	TORCH_CHECK(t.device() == first.device() &&
			    t.device().type() == DEVICE_OF_KERNEL,
		    name, " is on ", t.device(), ": the kernel takes ",
		    DEVICE_OF_KERNEL, ", all tensors on one device");
	TORCH_CHECK(t.layout() == at::kStrided, name, " is not a dense tensor");
	TORCH_CHECK(t.scalar_type() == type, name, " is of ", t.scalar_type(),
		    ": the kernel takes ", type);
	TORCH_CHECK(t.sizes() == shape, name, " has shape ", t.sizes(),
		    ": the kernel takes ", shape);
	if (strides.empty()) {
		TORCH_CHECK(t.is_contiguous(), name,
			    " is not contiguous: give t.contiguous()");
	} else {
		for (int64_t d = 0; d < t.dim(); d++)
			TORCH_CHECK(t.size(d) < 2 || t.stride(d) == strides[d],
				    name, " has strides ", t.strides(),
				    ": the kernel takes ", strides);
	}
	TORCH_CHECK((uintptr_t)t.data_ptr() % alignment == 0, name,
		    " is not aligned to ", alignment, " bytes: give t.clone()");
}

[[maybe_unused]] at::Tensor tensor_like(const at::Tensor &first, at::ScalarType type,
		       at::IntArrayRef shape, at::IntArrayRef strides)
{
	const auto options = first.options().dtype(type);

	return strides.empty() ? at::empty(shape, options)
			       : at::empty_strided(shape, strides, options);
}

[[maybe_unused]] at::Tensor bytes_like(const at::Tensor &first, int64_t bytes,
				       bool zeroed)
{
	const auto options = first.options().dtype(at::kByte);

	return zeroed ? at::zeros({bytes}, options)
		      : at::empty({bytes}, options);
}

/* Converts to the type of any pointer. */
struct pointer {
	void *p;
	explicit pointer(const at::Tensor &t) : p(t.data_ptr()) {}
	template <class T> operator T *() const { return static_cast<T *>(p); }
};

} // namespace
