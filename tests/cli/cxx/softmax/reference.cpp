#include <cmath>
#include <cstdint>

namespace right {

template <typename From, typename To>
void softmax(const From *x, To *y, int64_t rows, int64_t columns)
{
	for (int64_t i = 0; i < rows; i++) {
		const From *from = x + i * columns;
		To *to = y + i * columns, largest = from[0], sum = 0;

		for (int64_t j = 1; j < columns; j++)
			largest = std::fmax(largest, To(from[j]));
		for (int64_t j = 0; j < columns; j++)
			sum += to[j] = std::exp(To(from[j]) - largest);
		for (int64_t j = 0; j < columns; j++)
			to[j] /= sum;
	}
}

template void softmax(const float *, double *, int64_t, int64_t);
template void softmax(const float *, float *, int64_t, int64_t);

} // namespace right
