#pragma once

namespace geo {

template <typename T> struct View {
	T *data;
	int width, height;

	T &at(int x, int y) const { return data[y * width + x]; }
};

float weight(int distance);
void blur(const View<const float> &from, const View<float> &to);
void blur(const float *from, float *to, int width, int height);

} // namespace geo
