// What is right, in double precision, and plainly in the kernel's own.
#include <cstddef>

namespace right {

template <typename From, typename Sum>
Sum dot(const From *a, const From *b, std::size_t n)
{
	Sum sum = 0;

	for (std::size_t i = 0; i < n; i++)
		sum += Sum(a[i]) * Sum(b[i]);
	return sum;
}

template double dot<float, double>(const float *, const float *, std::size_t);
template float dot<float, float>(const float *, const float *, std::size_t);

} // namespace right
