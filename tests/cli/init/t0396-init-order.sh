#!/bin/sh
# test: parallel no-asan
test_description='avogit init: kernels that put integers in order, and wrong ones of them'
. "$(dirname "$0")/../lib-avogit.sh"

# ROUNDS=20: each wrong one so often.
rounds=$(seq "${ROUNDS:-1}")

# argument NAME KEY: its value in avogit.yaml
argument () {
	sed -n "/- name: $1\$/,/- name:/{s/^    $2: //p;}" avogit.yaml
}

# begin FILE TYPE: the task that init makes of it, at small sizes; the keys take every value.
begin () {
	rm -f avogit.yaml && avogit init -f -y "$1" >out &&
	argument a fill | grep "^{low: .*, high: $2}  # GUESS: its values are compared" &&
	argument a direction | grep -x inout &&
	sed -i -e "s/^  - {n: .*/  - {n: 300}/" -e "s/^hidden: .*/hidden: {count: 2, n: 2..300}/" avogit.yaml &&
	git add -A && git commit -qm "$1" && avogit score >out && grep "pass, " out
}

# wrong FILE: a candidate that another file of the folder is.
wrong () {
	cp "$2" "$1" && git commit -qam "$2" &&
	for round in $rounds
	do
		echo "$2, round $round" && test_expect_code 1 avogit score >out && grep "wrong: a" out || return 1
	done &&
	git reset -q --hard HEAD~
}

test_expect_success 'a loop that ends where the contents say: every value, and a wrong one is caught' '
	git init -q order && cd order &&
	cat >.gitignore <<-\EOT &&
	wrong-*
	EOT
	cat >loop.c <<-\EOT &&
	#include <stdint.h>
	struct pair { int32_t key, value; };
	void loop(struct pair *a, int n)
	{
		for (int i = 1; i < n; i++) {
			struct pair x = a[i];
			int j;

			for (j = i; j > 0 && a[j - 1].key > x.key; j--)
				a[j] = a[j - 1];
			a[j] = x;
		}
	}
	EOT
	for type in uint8_t uint32_t
	do
		sed "s/a\[j - 1\].key > x.key/($type)a[j - 1].key > ($type)x.key/" loop.c >wrong-$type.c || return 1
	done &&
	cat >wrong-unique.c <<-\EOT &&
	#include <stdint.h>
	#include <stdlib.h>
	#include <string.h>
	struct pair { int32_t key, value; };
	void loop(struct pair *a, int n)
	{
		struct pair *out = calloc(n, sizeof *out);

		for (int i = 0; i < n; i++) {
			int rank = 0;

			for (int j = 0; j < n; j++)
				rank += a[j].key < a[i].key;
			out[rank] = a[i];
		}
		memcpy(a, out, n * sizeof *out);
		free(out);
	}
	EOT
	begin loop.c 2147483647 &&
	for kind in uint8_t uint32_t unique
	do
		wrong loop.c wrong-$kind.c || return 1
	done
'

test_expect_success 'qsort with a function that compares' '
	cat >call.c <<-\EOT &&
	#include <stdint.h>
	#include <stdlib.h>
	static int by_value(const void *p, const void *q)
	{
		int32_t a = *(const int32_t *)p, b = *(const int32_t *)q;

		return a < b ? -1 : a > b;
	}
	void call(int32_t *a, int n)
	{
		qsort(a, n, sizeof *a, by_value);
	}
	EOT
	for type in uint8_t uint32_t
	do
		sed "s/int32_t a = /$type a = /; s/, b = /; $type b = /" call.c >wrong-$type.c || return 1
	done &&
	begin call.c 2147483647 &&
	for type in uint8_t uint32_t
	do
		wrong call.c wrong-$type.c || return 1
	done
'

test_expect_success 'std::stable_sort with a lambda, and with an object that compares' '
	cat >lambda.cpp <<-\EOT &&
	#include <algorithm>
	#include <cstdint>
	struct pair { std::uint32_t key, value; };
	void lambda(pair *a, int n)
	{
		std::stable_sort(a, a + n, [](const pair &x, const pair &y) { return x.key < y.key; });
	}
	EOT
	sed "s/x.key < y.key/std::uint8_t(x.key) < std::uint8_t(y.key)/" lambda.cpp >wrong-byte.cpp &&
	sed "s/x.key < y.key/std::int32_t(x.key) < std::int32_t(y.key)/" lambda.cpp >wrong-positive.cpp &&
	cat >wrong-unique.cpp <<-\EOT &&
	#include <cstdint>
	#include <map>
	struct pair { std::uint32_t key, value; };
	void lambda(pair *a, int n)
	{
		std::map<std::uint32_t, std::uint32_t> all;

		for (int i = 0; i < n; i++)
			all[a[i].key] = a[i].value;
		for (const auto &[key, value] : all)
			*a++ = {key, value};
	}
	EOT
	begin lambda.cpp 4294967295 &&
	for kind in byte positive unique
	do
		wrong lambda.cpp wrong-$kind.cpp || return 1
	done &&
	cat >object.cpp <<-\EOT &&
	#include <algorithm>
	#include <cstdint>
	namespace {
	struct by_value { bool operator()(std::int64_t x, std::int64_t y) const { return x < y; } };
	}
	void object(std::int64_t *a, int n)
	{
		std::sort(a, a + n, by_value());
	}
	EOT
	sed "s/x < y/std::int32_t(x) < std::int32_t(y)/" object.cpp >wrong-low.cpp &&
	begin object.cpp 9223372036854775807 && wrong object.cpp wrong-low.cpp
'

test_done
