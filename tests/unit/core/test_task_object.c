/* Objects of methods, out of what readelf prints and of the method's text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/task/debug_info.h"
#include "core/task/loops.h"
#include "core/task/object.h"

/* struct base { int rate; };
 * class k : base { unsigned bit : 1; struct { float low; } edge; std::vector<float>
 * taps_; std::map<int> all; int n; float level; void f(float *y); }; */
#define TAG(at, depth, tag) \
	" <" #depth "><" #at ">: Abbrev Number: 1 (DW_TAG_" tag ")\n"
#define NAME(name) "    <0>   DW_AT_name        : (string) " name "\n"
#define TYPE(at)   "    <0>   DW_AT_type        : (ref4) <0x" #at ">\n"
#define BYTES(n)   "    <0>   DW_AT_byte_size   : (data1) " #n "\n"
#define AT(n)	   "    <0>   DW_AT_data_member_location: (data1) " #n "\n"
#define CODE(n)	   "    <0>   DW_AT_encoding    : (data1) " #n "\n"
/* clang-format off */
static const char dump[] =
	TAG(b, 0, "compile_unit") NAME("k.cpp")
	TAG(10, 1, "base_type") BYTES(4) CODE(4) NAME("float")
	TAG(14, 1, "base_type") BYTES(4) CODE(5) NAME("int")
	TAG(18, 1, "pointer_type") TYPE(10)
	TAG(20, 1, "namespace") NAME("std")
	TAG(21, 2, "class_type") NAME("vector<float, std::allocator<float> >") BYTES(24)
	TAG(22, 3, "template_type_param") NAME("_Tp") TYPE(10)
	TAG(24, 2, "class_type") NAME("map<int>") BYTES(48)
	TAG(28, 1, "structure_type") NAME("base") BYTES(4)
	TAG(29, 2, "member") NAME("rate") TYPE(14) AT(0)
	TAG(30, 1, "class_type") NAME("k") BYTES(96)
	TAG(31, 2, "inheritance") TYPE(28) AT(0)
	TAG(32, 2, "member") NAME("bit") TYPE(14) AT(4) "    <0>   DW_AT_bit_size    : (data1) 1\n"
	TAG(33, 2, "member") NAME("edge") TYPE(40) AT(8)
	TAG(34, 2, "member") NAME("taps_") TYPE(21) AT(16)
	TAG(35, 2, "member") NAME("all") TYPE(24) AT(40)
	TAG(36, 2, "member") NAME("n") TYPE(14) AT(88)
	TAG(37, 2, "member") NAME("level") TYPE(10) AT(92)
	TAG(38, 2, "subprogram") NAME("f") "    <0>   DW_AT_declaration : (flag_present) 1\n"
	TAG(39, 3, "formal_parameter") TYPE(48) "    <0>   DW_AT_artificial  : (flag_present) 1\n"
	TAG(3a, 2, "subprogram") NAME("away")
	TAG(40, 1, "structure_type") BYTES(4)
	TAG(41, 2, "member") NAME("low") TYPE(10) AT(0)
	TAG(48, 1, "pointer_type") TYPE(30)
	TAG(50, 1, "subprogram") "    <0>   DW_AT_specification: (ref4) <0x38>\n" "    <0>   DW_AT_low_pc      : (addr) 0\n"
	TAG(51, 2, "formal_parameter") TYPE(48) "    <0>   DW_AT_artificial  : (flag_present) 1\n"
	TAG(52, 2, "formal_parameter") NAME("y") TYPE(18);
/* clang-format on */

static void read_method(struct prototype *out, const char *body)
{
	cleanup_function_list struct function_list all = {0};
	cleanup_free char *source = xasprintf(
		"namespace std { float next(float x) { return x; } }\n"
		"float k::next(float x) { level += x; return level; }\n"
		"float k::twice(int i) { return 2 * taps_[i]; }\n"
		"template <int n, class T> T k::more(T x) { return next(x); }\n"
		"void decay(float *s, float x) { *s = x + *s / 2; }\n"
		"void follow(float &s, float x) { s = x + s / 2; }\n"
		"float scaled(const float &s, float x) { return s * x; }\n"
		"void other() { all.clear(); }\n"
		"void k::f(float *y) {\n%s\n}\n",
		body);

	debug_info_read(&all, LANGUAGE_CXX, dump, NULL);
	assert_int_equal(all.n, 1);
	*out = all.v[0];
	all.v[0] = (struct prototype){0};
	loops_read(out, source);
}

/* "n@88 taps_@16[n_taps] n_taps y[n]": the parameters, and where in the object. */
static char *said(const struct prototype *p)
{
	cleanup_buf struct buf out = BUF_INIT(1000);

	for (size_t i = 0; i < p->n; i++) {
		const struct parameter *a = &p->parameter[i];

		buf_addf(&out, "%s%s", i ? " " : "", a->name);
		if (a->place && a->held != HELD_COUNT)
			buf_addf(&out, "@%d", (int)a->place - 1);
		if (a->held == HELD_STATE)
			buf_adds(&out,
				 a->direction == DIRECTION_OUT ? ">" : "*");
		if (a->shape)
			buf_addf(&out, "[%s]", a->shape);
	}
	return buf_take(&out);
}

static void gives_a_method_what_it_uses(void **state)
{
	static const struct {
		const char *body, *said;
	} rows[] = {
		{"for (int i = 0; i < n; i++) y[i] = rate;",
		 "rate@0 n@88 y[n]"},
		{"auto t = [&](float x) { return std::exchange(level, x); }; "
		 "for (int i = 0; i < n; i++) y[i] = t(y[i]);",
		 "n@88 level@92*[1] y[n]"},
		{"for (int i = 0; i < n; i++) y[i] = taps_[i]; this->next(1);",
		 "taps_@16[n] n_taps n@88 level@92*[1] y[n]"},
		{"for (int i = 0; i < taps_.size(); i++) y[i] = taps_[i];",
		 "taps_@16[n_taps] n_taps y[n_taps]"},
		{"const int k = int(taps_.size()); for (int i = 0; i < n; i++) "
		 "for (int j = 0; j < k && j <= i; j++) y[i] += taps_[j];",
		 "taps_@16[n_taps] n_taps n@88 y[n]"},
		{"const auto k = static_cast<std::size_t>(taps_.size()); for "
		 "(int i = 0; i < k; i++) y[i] = taps_[i];",
		 "taps_@16[n_taps] n_taps y[n_taps]"},
		{"int k = std::ssize(taps_); for (int i = 0; i < k; i++) y[i] "
		 "= taps_[i];",
		 "taps_@16[n_taps] n_taps y[n_taps]"},
		{"for (std::size_t i = 0; i < long{std::size(taps_)}; i++) "
		 "y[i] "
		 "= std::data(taps_)[i];",
		 "taps_@16[n_taps] n_taps y[n_taps]"},
		{"const float *t = taps_.data(); for (int i = 0; i < n; i++) "
		 "y[i] = t[2 * i + 1];",
		 "taps_@16[2 * n] n_taps n@88 y[n]"},
		{"int i = 0; for (const float &t : taps_) y[i++] = t;",
		 "taps_@16[n_taps] n_taps y[n_taps]"},
		{"int i = 0; for (auto &t : taps_) { y[0] = 0; t = n; }",
		 "taps_@16[n_taps] n_taps n@88 y[1]"},
		{"for (int i = 0; i < n; i++) y[i] = twice(i);",
		 "taps_@16[n] n_taps n@88 y[n]"},
		{"for (int i = 0; i < n; i++) y[i] = edge.low; level = y[0];",
		 "edge_low@8 n@88 level@92>[1] y[n]"},
		{"for (int i = 0; i < n; i++) y[i] = next(i);",
		 "n@88 level@92*[1] y[n]"},
		{"for (int i = 0; i < n; i++) if (y[i] > 0) level = y[i];",
		 "n@88 level@92*[1] y[n]"},
		{"for (int i = 0; i < n; i++) { y[i] = level; level = i; }",
		 "n@88 level@92*[1] y[n]"},
		{"for (int i = 0; i < n; i++) y[i] = n > 2 ? y[i] : next(i);",
		 "n@88 level@92*[1] y[n]"},
		{"for (int i = 0; i < n; i++) y[i] = k::next(i);",
		 "n@88 level@92*[1] y[n]"},
		{"for (int i = 0; i < n; i++) y[i] = more<4, float>(i);",
		 "n@88 level@92*[1] y[n]"},
		{"float &l = level; for (int i = 0; i < n; i++) { l += y[i]; "
		 "y[i] = l; }",
		 "n@88 level@92*[1] y[n]"},
		{"const float &l = level; for (int i = 0; i < n; i++) y[i] = "
		 "l;",
		 "n@88 level@92 y[n]"},
		{"for (int i = 0; i < n; i++) decay(&level, y[i]);",
		 "n@88 level@92*[1] y[n]"},
		{"for (int i = 0; i < n; i++) follow(level, y[i]);",
		 "n@88 level@92*[1] y[n]"},
		{"for (int i = 0; i < n; i++) y[i] = scaled(level, y[i]);",
		 "n@88 level@92 y[n]"},
		{"for (int i = 0; i < n; i++) unseen(level, y[i]);",
		 "n@88 level@92*[1] y[n]"},
		{"for (int i = 0; i < n; i++) y[i] = std::sqrt(level) + "
		 "static_cast<float>(rate) * expf(float(level));",
		 "rate@0 n@88 level@92 y[n]"},
		{"for (int i = 0; i < n; i++) y[i] = 0; memset(&edge, 0, 4); "
		 "edge.low;",
		 "edge_low@8*[1] n@88 y[n]"},
		{"for (int i = 0; i < n; i++) y[i] = this->level;",
		 "n@88 level@92 y[n]"},
	};

	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};
		cleanup_free char *got = NULL;

		read_method(&p, rows[i].body);
		assert_true(p.object->is_used && !p.is_method);
		assert_int_equal(p.object->bytes, 96);
		got = said(&p);
		if (str_eq(got, rows[i].said))
			continue;
		print_error("%s: %s\n", rows[i].body, got);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void names_a_member_that_no_argument_can_be(void **state)
{
	static const struct {
		const char *body, *fault;
	} rows[] = {
		{"for (int i = 0; i < n; i++) y[i] = all[i];",
		 "`all`, a `std::map<...>`"},
		{"y[0] = bit;", "`bit`, a `int`"},
		{"taps_.push_back(y[0]);",
		 "`taps_`, a `std::vector<...>` that it resizes"},
		{"use(taps_);",
		 "`taps_`, a `std::vector<...>` that it copies or hands on as "
		 "a whole"},
		{"use(edge); y[0] = 1;", "`edge_low`, a `float`"},
		{"y[0] = edge.low + edge(2);", "`edge_low`, a `float`"},
		{"auto &e = edge; y[0] = e.low;", "`edge_low`, a `float`"},
		{"for (int i = 0; i < n; i++) y[i] = away(i);",
		 "`away()`, which is not in the file"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		cleanup_prototype struct prototype p = {0};

		read_method(&p, rows[i].body);
		assert_true(!p.object->is_used && p.is_method && p.n == 2 &&
			    !p.n_members);
		if (!p.object->fault || !str_eq(p.object->fault, rows[i].fault))
			fail_msg("%s: %s", rows[i].body, p.object->fault);
	}
}

/* Which members all of it names is not looked up: none are arguments then. */
static void gives_up_where_the_text_is_too_long(void **state)
{
	cleanup_prototype struct prototype p = {0};
	cleanup_buf struct buf body = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	buf_adds(&body, "f0(y); level = 1; }\n");
	for (size_t i = 0; i < 9000; i++)
		buf_addf(&body, "void f%zu(float *y) { f%zu(y); }\n", i, i + 1);
	buf_adds(&body, "void f9000(float *y) { y[0] = taps_[0];");
	read_method(&p, body.data);
	assert_true(!p.object->is_used && p.is_method && !p.n_members);
}

static void survives_an_object_that_ends_anywhere(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof dump; len += 3) {
		cleanup_free char *cut = xstrndup(dump, len);
		cleanup_free char *twice = xasprintf("%s%s", cut, dump);
		cleanup_function_list struct function_list a = {0}, b = {0};

		debug_info_read(&a, LANGUAGE_CXX, cut, NULL);
		debug_info_read(&b, LANGUAGE_CXX, twice, NULL);
		for (size_t i = 0; i < b.n; i++)
			loops_read(&b.v[i], "void k::f(float *y) { y[0] = "
					    "taps_[n] + edge.low; level++; }");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_a_method_what_it_uses),
		cmocka_unit_test(names_a_member_that_no_argument_can_be),
		cmocka_unit_test(gives_up_where_the_text_is_too_long),
		cmocka_unit_test(survives_an_object_that_ends_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
