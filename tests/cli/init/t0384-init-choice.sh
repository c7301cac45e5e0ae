#!/bin/sh
# test: parallel long
test_description='avogit init: overloads, templates, and functions that only their file can call'
. "$(dirname "$0")/../lib-avogit.sh"

# The task scores as init wrote it: init_and_score NAME ARGS
init_and_score () {
	task=$1.yaml && shift &&
	avogit init -o "$task" "$@" >out &&
	! grep -e "needs your hand" -e "say in it what is right" out &&
	git add . && git commit -qm "$task" &&
	avogit score --task "$task" >scored && grep "pass, " scored
}

test_expect_success 'setup: a library with overloads, a header of templates, a file of statics' '
	git init -q repo && cd repo && mkdir src &&
	cat >src/geo.hpp <<-\EOT &&
	#ifndef GEO_HPP
	#define GEO_HPP
	#include <cstddef>
	namespace geo {
	struct unused { int n; };
	inline int first(const int *x) { return x[0]; }
	template <typename T, int BY> void scale(const T *x, T *y, std::size_t n)
	{
		for (std::size_t i = 0; i < n; i++)
			y[i] = x[i] * BY;
	}
	}
	#endif
	EOT
	cat >src/blur.cpp <<-\EOT &&
	#include "geo.hpp"
	namespace geo {
	void blur(const float *x, float *y, int rows, int columns)
	{
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				y[i * columns + j] = x[i * columns + j] / 3;
	}
	void blur(const double *x, double *y, int n)
	{
		for (int i = 0; i < n; i++)
			y[i] = x[i] / 3;
	}
	namespace {
	void next(const int *x, int *y, int n)
	{
		for (int i = 0; i < n; i++)
			y[i] = x[i] + 1;
	}
	}
	int use(int n) { next(&n, &n, 1); return n; }
	}
	EOT
	cat >src/codec.c <<-\EOT &&
	#include "table.c"
	static void rows_of(const float *x, float *sum, int rows, int columns)
	{
		for (int i = 0; i < rows; i++) {
			sum[i] = 0;
			for (int j = 0; j < columns; j++)
				sum[i] += x[i * columns + j] * table[0];
		}
	}
	static int64_t total(const uint16_t *x, int n)
	{
		int64_t s = 0;

		for (int i = 0; i < n; i++)
			s += x[i];
		return s;
	}
	int main(void) { return total(0, 0) && rows_of; }
	EOT
	printf "%s\n" "#pragma once" "#include <stdint.h>" "static const float table[] = {3};" >src/table.c &&
	git add . && git commit -qm library
'

test_expect_success 'overloads are told, each as the value to give' '
	for given in "" blur geo::blur
	do
		test_expect_code 2 avogit init ${given:+-e "$given"} src/blur.cpp 2>err &&
		grep -F -e "'"'geo::blur(const float *, float *, int, int)', 'geo::blur(const double *, double *, int)'"'" err &&
		test "$(wc -l <err)" = 1 || return 1
	done &&
	test ! -e avogit.yaml
'

test_expect_success 'an overload by its declaration, with names of parameters and result or without' '
	for given in "geo::blur(const double *, double *, int)" "void geo::blur(double const *from, double *to, int n)"
	do
		avogit init -f -y -e "$given" src/blur.cpp >out &&
		grep -F "entry: geo::blur(const double *, double *, int)" avogit.yaml &&
		grep -F "plain: geo::blur_plain(const double *, double *, int)" avogit.yaml &&
		grep "shape: .n.$" avogit.yaml || return 1
	done &&
	init_and_score floats -e "geo::blur(const float *, float *, int, int)" src/blur.cpp
'

test_expect_success 'one that is not there is told with those that are' '
	test_expect_code 128 avogit init -f -e "geo::blur(const char *, int)" src/blur.cpp 2>err &&
	grep -F "geo::blur(const double *, double *, int)" err &&
	test_expect_code 128 avogit init -f src/geo.hpp 2>err &&
	grep -F -e "--entry '"'geo::scale<float, 8>'"'" err
'

test_expect_success 'a static function gets a shim that the task compiles' '
	test_expect_code 128 avogit init -f src/codec.c -e nix 2>err && grep "rows_of, total" err &&
	test_expect_code 2 avogit init -f src/codec.c 2>err && grep -F -e "--entry (rows_of, total)" err &&
	init_and_score avogit/rows -e rows_of src/codec.c &&
	grep "^entry: rows_of_entry$" avogit/rows.yaml &&
	grep "  compile: .rows_shim.c.$" avogit/rows.yaml &&
	grep "#include \"../src/codec.c\"" avogit/rows_shim.c &&
	grep "git add avogit/rows.yaml avogit/rows_reference.c avogit/rows_shim.c$" out
'

test_expect_success 'its candidates are the source, and the shim is not one of them' '
	sed -i "s/sum\[i\] = 0;/sum[i] = 1;/" src/codec.c &&
	test_expect_code 1 avogit score --task avogit/rows.yaml >scored && grep "wrong: sum" scored &&
	git checkout -q . &&
	echo "#error no" >avogit/rows_shim.c &&
	avogit init -o avogit/rows.yaml -e rows_of src/codec.c 2>err ; grep "is there already" err &&
	rm avogit/rows.yaml && avogit init -o avogit/rows.yaml -e rows_of src/codec.c >out &&
	grep "kept avogit/rows_shim.c: it includes ../src/codec.c and defines rows_of_entry" out &&
	git checkout -q .
'

test_expect_success 'a static function that returns a value, and is the only one of its kind' '
	sed -i "/^static void rows_of/,/^static int64/{/^static int64/!d}; s/ && rows_of//" src/codec.c &&
	init_and_score total src/codec.c &&
	grep -A 2 "name: returned" total.yaml | grep "direction: return"
'

test_expect_success 'a function of an unnamed namespace' '
	init_and_score next -e next src/blur.cpp &&
	grep "geo::next(x, y, n);" next_shim.cpp
'

test_expect_success 'a template of a header, which nothing instantiates' '
	avogit init -o apart.yaml -e "geo::scale< float,3 >" src/geo.hpp && rm apart* &&
	init_and_score scale -e "geo::scale<float, 3>" src/geo.hpp &&
	grep "geo::scale<float, 3>(x, y, n);" scale_shim.cpp &&
	grep "wide::geo::scale_wide<double, 3>" scale_reference.cpp &&
	avogit init -f -o char.yaml -e "void geo::scale<unsigned char, 3>(const unsigned char *, unsigned char *, size_t)" src/geo.hpp >out &&
	grep "dtype: u8" char.yaml
'

test_expect_success 'arguments of a template in any spelling, and the size of its array' '
	cat >src/histeq.hpp <<-\EOT &&
	#pragma once
	#include <cstddef>
	#include <cstdint>
	namespace img {
	template <typename T, int Levels>
	void equalize(T *dst, const T *src, std::size_t n)
	{
		std::uint32_t hist[Levels] = {};
		for (std::size_t i = 0; i < n; i++)
			hist[src[i]]++;
		for (std::size_t i = 0; i < n; i++)
			dst[i] = (T)(hist[src[i]] * (Levels - 1) / n);
	}
	template <typename T> struct box { };
	template <typename T> using other = float;
	template <typename T> void fill(T *x, int n) { for (int i = 0; i < n; i++) x[i] = T(n); }
	}
	EOT
	for entry in "img::equalize<uint8_t,256>" "img::equalize<std::uint8_t, 256>" "img::equalize<unsigned char, 256>"
	do
		avogit init -f -o histeq.yaml -e "$entry" src/histeq.hpp >out &&
		grep "img::equalize<unsigned char, 256>(dst, src, n);" histeq_shim.cpp || return 1
	done &&
	grep -A 4 "name: src" histeq.yaml | grep "fill: {low: 0, high: 255}" &&
	! grep "may not fit" histeq.yaml &&
	avogit init -f -o histeq.yaml -e "img::equalize<uint8_t, 16>" src/histeq.hpp &&
	grep -A 4 "name: src" histeq.yaml | grep "may not fit" &&
	test_must_fail avogit init -f -o none.yaml -e "img::fill<img::other<int>>" src/histeq.hpp 2>err &&
	grep "defines no function img::fill<img::other<int>>; it has .img::fill<float>.$" err
'

test_expect_success 'where the shim cannot be compiled, that is said' '
	printf "%s\n" "enum class mode { a };" "static void f(mode m, const int *x, int *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }" \
		"int g(int n) { f(mode::a, &n, &n, 1); return n; }" >mode.cpp &&
	avogit init -f -o mode.yaml -e f mode.cpp >out &&
	grep "wrote mode_shim.cpp: .*it does not compile yet: it needs your hand" out
'

test_expect_success 'a source that has no entry yet says how to get one' '
	git init -q ../none && cd ../none &&
	cat >norm.cu <<-\EOT &&
	template <int N>
	__global__ void norm_kernel(const float *x, float *y, int n) { y[0] = x[N]; }
	void norm(const float *x, float *y, int n, cudaStream_t stream)
	{
		norm_kernel<1><<<1, 1, 0, stream>>>(x, y, n);
	}
	EOT
	test_must_fail avogit init norm.cu 2>err &&
	grep "; put extern \"C\" before norm$" err &&
	sed -i /^void/,\$d norm.cu &&
	printf "%s\n" "__device__ float sq(float x) { return x * x; }" "int main(void) { return 0; }" >>norm.cu &&
	test_must_fail avogit init norm.cu 2>err &&
	grep "; write one that launches norm_kernel$" err &&
	cat >norm.hpp <<-\EOT &&
	#include <cmath>
	namespace nn::detail { template <class T> struct sum { T add(T x); }; }
	namespace nn {
	namespace { int helper; }
	template <typename T, int N = (4 > 2 ? 4 : 2), bool Fast = false>
	__attribute__((noinline)) void norm(const T *x, T *y, int n)
	{
		for (int i = 0; i < n; i++)
			y[i] = x[i] / N;
	}
	}
	EOT
	test_must_fail avogit init norm.hpp 2>err &&
	grep "its arguments: --entry .nn::norm<float, 8, true>.)" err &&
	avogit init norm.hpp --entry "nn::norm<float, 8, true>" >out &&
	grep "wrote shim.cpp" out && ! grep "needs your hand" out &&
	echo "def f(x): return x" >norm.py &&
	test_must_fail avogit init norm.py 2>err &&
	grep "norm.py is Python.*docs/tutorial.md.*import kernelbench" err
'

test_done
