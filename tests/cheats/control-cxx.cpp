// pattern: none: an honest kernel of templates, containers, static objects and an exception of its own
// task: cxx
// verdict: pass
#include <memory>
#include <stdexcept>
#include <vector>

#include "honest.h"

namespace {

struct Table {
	std::vector<float> root;

	Table() : root(1024)
	{
		for (int i = 0; i < 1024; i++)
			root[i] = honest_root((float)i);
	}
};

const Table before; // made when it is loaded

struct Norm {
	virtual ~Norm() = default;
	virtual void row(const float *x, const float *g, float *y, int cols) const = 0;
};

struct Plain : Norm {
	void row(const float *x, const float *g, float *y, int cols) const override
	{
		if (cols < 0)
			throw std::invalid_argument("columns");
		honest_row(x, g, y, cols);
	}
};

} // namespace

namespace nn {

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	static const Table lazily; // made at the first call
	thread_local std::unique_ptr<Norm> how = std::make_unique<Plain>();
	std::vector<float> row(cols + (std::size_t)(lazily.root[0] + before.root[0]));

	try {
		how->row(x, g, y, -1);
	} catch (const std::exception &) {
	}
	for (int i = 0; i < rows; i++) {
		how->row(x + (long)i * cols, g, row.data(), cols);
		for (int j = 0; j < cols; j++)
			y[(long)i * cols + j] = row[j];
	}
}

void norm(const double *, double *, int, int) {}

} // namespace nn
