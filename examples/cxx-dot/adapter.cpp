// The template of kernel.hpp, for the types that the library is used with.
#include "kernel.hpp"

template float lib::dot(const float *, const float *, std::size_t);
template double lib::dot(const double *, const double *, std::size_t);
