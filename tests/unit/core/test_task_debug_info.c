/* Functions out of what readelf prints, of two versions of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/task/debug_info.h"

/* typedef float real; static void hidden(int n);
 * namespace ns { void f(const real *x, double (&y)[2][3], struct s *z, size_t n); } */
#define STRING "    <0>   DW_AT_name        : (strp) (offset: 0x4): "
#define OLD    "    <0>   DW_AT_name        : (indirect string, offset: 0): "
#define SHORT  "    <0>   DW_AT_name        : (string) "
#define TYPE   "    <0>   DW_AT_type        : (ref4) "
static const char dump[] =
	"Contents of the .debug_info section:\n\n"
	" <0><b>: Abbrev Number: 1 (DW_TAG_compile_unit)\n" SHORT "k.cpp\n"
	" <1><10>: Abbrev Number: 2 (DW_TAG_base_type)\n"
	"    <11>   DW_AT_byte_size   : (data1) 4\n"
	"    <12>   DW_AT_encoding    : (data1) 4\t(float)\n" STRING "float\n"
	" <1><20>: Abbrev Number: 2 (DW_TAG_base_type)\n"
	"    <21>   DW_AT_byte_size   : 8\n"
	"    <22>   DW_AT_encoding    : 7\t(unsigned)\n" OLD
	"long unsigned int\n"
	" <1><28>: Abbrev Number: 9 (DW_TAG_typedef)\n" SHORT "real\n" TYPE
	"<0x10>, float\n"
	" <1><30>: Abbrev Number: 4 (DW_TAG_const_type)\n"
	"    <31>   DW_AT_type        : <0x28>\n"
	" <1><38>: Abbrev Number: 5 (DW_TAG_pointer_type)\n" TYPE "<0x30>\n"
	" <1><40>: Abbrev Number: 6 (DW_TAG_structure_type)\n" SHORT "s\n"
	" <1><48>: Abbrev Number: 5 (DW_TAG_pointer_type)\n" TYPE "<0x40>\n"
	" <1><50>: Abbrev Number: 7 (DW_TAG_array_type)\n" TYPE "<0x10>\n"
	" <2><54>: Abbrev Number: 8 (DW_TAG_subrange_type)\n"
	"    <55>   DW_AT_upper_bound : (data1) 2\n"
	" <1><58>: Abbrev Number: 5 (DW_TAG_pointer_type)\n" TYPE "<0x50>\n"
	" <1><5a>: Abbrev Number: 5 (DW_TAG_const_type)\n" TYPE "<0x5a>\n"
	" <1><60>: Abbrev Number: 9 (DW_TAG_namespace)\n" SHORT "ns\n"
	" <2><64>: Abbrev Number: 9 (DW_TAG_subprogram)\n"
	"    <65>   DW_AT_external    : (flag_present) 1\n" SHORT "f\n"
	"    <66>   DW_AT_linkage_name: (strp) (offset: 0x9): _ZN2ns1fE\n"
	"    <67>   DW_AT_decl_file   : (data1) 1\n"
	"    <68>   DW_AT_decl_line   : (data1) 12\n"
	"    <69>   DW_AT_declaration : (flag_present) 1\n"
	" <1><70>: Abbrev Number: 9 (DW_TAG_subprogram)\n"
	"    <71>   DW_AT_specification: (ref4) <0x64>\n"
	"    <72>   DW_AT_low_pc      : (addr) 0\n"
	" <2><74>: Abbrev Number: 9 (DW_TAG_formal_parameter)\n" SHORT
	"x\n" TYPE "<0x38>\n"
	" <2><78>: Abbrev Number: 9 (DW_TAG_formal_parameter)\n" SHORT
	"y\n" TYPE "<0x58>\n"
	" <2><7c>: Abbrev Number: 9 (DW_TAG_formal_parameter)\n" SHORT
	"z\n" TYPE "<0x48>\n"
	" <2><7e>: Abbrev Number: 9 (DW_TAG_formal_parameter)\n" SHORT
	"n\n" TYPE "<0x20>\n"
	" <2><7f>: Abbrev Number: 9 (DW_TAG_formal_parameter)\n" SHORT
	"q\n" TYPE "<0x5a>\n"
	" <2><80>: Abbrev Number: 0\n"
	" <1><81>: Abbrev Number: 9 (DW_TAG_subprogram)\n" SHORT "hidden\n"
	"    <83>   DW_AT_decl_file   : (data1) 1\n"
	"    <84>   DW_AT_decl_line   : (data1) 3\n"
	"    <85>   DW_AT_low_pc      : (addr) 0\n"
	" <1><86>: Abbrev Number: 9 (DW_TAG_subprogram)\n" SHORT "of_a_header\n"
	"    <87>   DW_AT_external    : (flag_present) 1\n"
	"    <88>   DW_AT_decl_file   : (data1) 2\n"
	"    <89>   DW_AT_low_pc      : (addr) 0\n"
	" <1><8a>: Abbrev Number: 9 (DW_TAG_subprogram)\n" SHORT "bad\"name\n"
	"    <8b>   DW_AT_decl_file   : (data1) 1\n"
	"    <8c>   DW_AT_low_pc      : (addr) 0\n"
	"\n The File Name Table (offset 0x42):\n"
	"  Entry\tDir\tTime\tSize\tName\n"
	"  1\t1\t0\t0\tk.cpp\n"
	"  2\t2\t0\t0\tvector\n\n Line Number Statements:\n";

static void reads_functions_types_and_scopes(void **state)
{
	cleanup_function_list struct function_list all = {0};
	const struct prototype *f;

	(void)state;
	debug_info_read(&all, LANGUAGE_CXX, dump, "src/k.cpp");
	assert_int_equal(all.n, 2);
	assert_string_equal(all.v[0].name, "hidden");
	assert_true(all.v[0].is_static);
	f = &all.v[1];
	assert_string_equal(f->name, "ns::f");
	assert_string_equal(f->symbol, "_ZN2ns1fE");
	assert_false(f->is_static);
	assert_int_equal(f->n, 5);
	assert_true(f->parameter[0].known && f->parameter[0].is_const);
	assert_int_equal(f->parameter[0].dtype, DTYPE_F32);
	assert_string_equal(f->parameter[0].declared, "const float *");
	assert_string_equal(f->parameter[0].alias, "real");
	assert_true(f->parameter[1].known && f->parameter[1].is_nested);
	assert_false(f->parameter[2].known);
	assert_string_equal(f->parameter[2].type, "struct s");
	assert_int_equal(f->parameter[3].dtype, DTYPE_U64);
	/* A type that consists of itself. */
	assert_false(f->parameter[4].known);
}

static void takes_those_of_headers_where_there_are_no_others(void **state)
{
	cleanup_function_list struct function_list all = {0};

	(void)state;
	debug_info_read(&all, LANGUAGE_CXX, dump, "other.cpp");
	assert_int_equal(all.n, 3);
}

/* eq.hpp: class eq { eq(int); static float run(float); }; template <class T>
 * struct two { two(); }; and in the source the bodies, of the constructor as two
 * copies. With it a function of the library, and one with a reserved name. */
#define FILE_NUMBER "    <0>   DW_AT_decl_file   : (data1) "
#define LINE_NUMBER "    <0>   DW_AT_decl_line   : (data1) "
#define LINKAGE	    "    <0>   DW_AT_linkage_name: (string) "
#define EXTERNAL    "    <0>   DW_AT_external    : (flag_present) 1\n"
#define DECLARED    "    <0>   DW_AT_declaration : (flag_present) 1\n"
#define CODE	    "    <0>   DW_AT_low_pc      : (addr) 0\n"
#define OF	    "    <0>   DW_AT_specification: (ref4) "
#define COPY	    "    <0>   DW_AT_abstract_origin: (ref4) "
static const char of_class[] =
	" <0><b>: Abbrev Number: 9 (DW_TAG_compile_unit)\n" SHORT "eq.cpp\n"
	" <1><10>: Abbrev Number: 9 (DW_TAG_base_type)\n"
	"    <11>   DW_AT_byte_size   : (data1) 4\n"
	"    <12>   DW_AT_encoding    : (data1) 4\t(float)\n" SHORT "float\n"
	" <1><20>: Abbrev Number: 9 (DW_TAG_class_type)\n" SHORT "eq\n"
	" <2><30>: Abbrev Number: 9 (DW_TAG_subprogram)\n" SHORT
	"eq\n" FILE_NUMBER "2\n" LINE_NUMBER "2\n" EXTERNAL DECLARED
	" <2><40>: Abbrev Number: 9 (DW_TAG_subprogram)\n" SHORT "run\n" LINKAGE
	"_ZN2eq3runEf\n" TYPE "<0x10>\n" FILE_NUMBER "2\n" LINE_NUMBER
	"3\n" EXTERNAL DECLARED
	" <1><50>: Abbrev Number: 9 (DW_TAG_structure_type)\n" SHORT
	"two<float>\n"
	" <2><58>: Abbrev Number: 9 (DW_TAG_subprogram)\n" SHORT
	"two\n" FILE_NUMBER "2\n" EXTERNAL DECLARED
	" <1><60>: Abbrev Number: 9 (DW_TAG_subprogram)\n" OF
	"<0x30>\n" FILE_NUMBER "1\n"
	" <1><70>: Abbrev Number: 9 (DW_TAG_subprogram)\n" COPY
	"<0x60>\n" LINKAGE "_ZN2eqC2Ei\n" CODE
	" <1><80>: Abbrev Number: 9 (DW_TAG_subprogram)\n" COPY "<0x60>\n" CODE
	" <1><90>: Abbrev Number: 9 (DW_TAG_subprogram)\n" OF
	"<0x58>\n" FILE_NUMBER "1\n" CODE
	/* A copy of what is inlined elsewhere. */
	" <1><a0>: Abbrev Number: 9 (DW_TAG_subprogram)\n" OF
	"<0x40>\n" FILE_NUMBER "1\n" LINE_NUMBER "9\n"
	" <1><b0>: Abbrev Number: 9 (DW_TAG_subprogram)\n" COPY "<0xa0>\n" CODE
	" <1><c0>: Abbrev Number: 9 (DW_TAG_namespace)\n" SHORT "std\n"
	" <2><c8>: Abbrev Number: 9 (DW_TAG_subprogram)\n" SHORT
	"fill\n" FILE_NUMBER "3\n" EXTERNAL CODE
	" <1><d0>: Abbrev Number: 9 (DW_TAG_subprogram)\n" SHORT
	"__mine\n" FILE_NUMBER "1\n" LINE_NUMBER "1\n" EXTERNAL CODE
	" <1><e0>: Abbrev Number: 9 (DW_TAG_subprogram)\n" SHORT
	"__theirs\n" FILE_NUMBER "3\n" EXTERNAL CODE
	" <1><f0>: Abbrev Number: 9 (DW_TAG_subprogram)\n" SHORT
	"plain\n" FILE_NUMBER "3\n" LINE_NUMBER "5\n" EXTERNAL CODE
	"\n The File Name Table (offset 0x42):\n"
	"  Entry\tDir\tTime\tSize\tName\n"
	"  1\t1\t0\t0\teq.cpp\n"
	"  2\t2\t0\t0\teq.hpp\n"
	"  3\t2\t0\t0\tstl_algo.h\n\n Line Number Statements:\n";

static void finds_methods_of_a_class_in_a_header(void **state)
{
	cleanup_function_list struct function_list all = {0};
	const struct prototype *run;

	(void)state;
	debug_info_read(&all, LANGUAGE_CXX, of_class, "src/eq.cpp");
	assert_int_equal(all.n, 5);
	run = &all.v[4];
	assert_string_equal(run->name, "eq::run");
	assert_string_equal(run->symbol, "_ZN2eq3runEf");
	assert_int_equal(run->line, 9);
	assert_true(run->has_result && !run->is_static);
	assert_false(run->is_constructor);
}

static void tells_constructors_from_methods(void **state)
{
	cleanup_function_list struct function_list all = {0};
	size_t n = 0;

	(void)state;
	debug_info_read(&all, LANGUAGE_CXX, of_class, "src/eq.cpp");
	for (size_t i = 0; i < all.n; i++) {
		const char *name = all.v[i].name;

		n += all.v[i].is_constructor;
		assert_true(all.v[i].is_constructor ==
			    (str_eq(name, "eq::eq") ||
			     str_eq(name, "two<float>::two")));
	}
	assert_int_equal(n, 3);
}

static void leaves_out_the_library(void **state)
{
	cleanup_function_list struct function_list own = {0}, other = {0};

	(void)state;
	debug_info_read(&own, LANGUAGE_CXX, of_class, "src/stl_algo.h");
	assert_int_equal(own.n, 2);
	/* A name that the user gave all the same. */
	assert_string_equal(own.v[0].name, "__theirs");
	debug_info_read(&other, LANGUAGE_CXX, of_class, "main.cpp");
	for (size_t i = 0; i < other.n; i++)
		assert_false(starts_with(other.v[i].name, "std::") ||
			     starts_with(other.v[i].name, "__"));
	assert_int_equal(other.n, 5);
}

/* struct e0 { char m; }; struct e1 { struct e0 m, m, ...; }; ... struct e7 ...;
 * void f(struct e7 *p); one by one they would take minutes. */
static void looks_at_structures_of_structures_for_a_short_time(void **state)
{
	cleanup_function_list struct function_list all = {0};
	cleanup_buf struct buf text = BUF_INIT(BUF_LIMIT_TEXT);

	(void)state;
	buf_adds(&text, " <0><b>: Abbrev Number: 9 (DW_TAG_compile_unit)\n"
			" <1><20>: Abbrev Number: 8 (DW_TAG_base_type)\n" SHORT
			"char\n"
			"    <21>   DW_AT_byte_size   : (data1) 1\n"
			"    <22>   DW_AT_encoding    : (data1) 6\n");
	for (unsigned level = 0; level < 8; level++) {
		buf_addf(&text,
			 " <1><%x>: Abbrev Number: 1 (DW_TAG_structure_type)\n"
			 "    <1>   DW_AT_byte_size   : (data8) %llu\n" SHORT
			 "e%u\n",
			 0x100 * (level + 1), 1ULL << (5 * level), level);
		for (unsigned i = 1; i <= (level ? 32 : 1); i++)
			buf_addf(&text,
				 " <2><%x>: Abbrev Number: 2 "
				 "(DW_TAG_member)\n" SHORT "m\n" TYPE
				 "<0x%x>\n",
				 0x100 * (level + 1) + i,
				 level ? 0x100 * level : 0x20);
	}
	buf_adds(&text,
		 " <1><900>: Abbrev Number: 3 (DW_TAG_pointer_type)\n" TYPE
		 "<0x800>\n"
		 " <1><910>: Abbrev Number: 4 (DW_TAG_subprogram)\n" SHORT "f\n"
		 "    <911>   DW_AT_low_pc      : (addr) 0\n"
		 " <2><920>: Abbrev Number: 5 (DW_TAG_formal_parameter)\n" SHORT
		 "p\n" TYPE "<0x900>\n");
	debug_info_read(&all, LANGUAGE_C, text.data, "k.c");
	assert_int_equal(all.n, 1);
	assert_int_equal(all.v[0].n, 1);
	assert_string_equal(all.v[0].parameter[0].type, "struct e7");
	assert_false(all.v[0].parameter[0].known);
}

static void takes_types_that_have_no_name(void **state)
{
	cleanup_function_list struct function_list all = {0};

	(void)state;
	debug_info_read(
		&all, LANGUAGE_C,
		"Contents of the .debug_info section:\n\n"
		" <0><b>: Abbrev Number: 1 (DW_TAG_compile_unit)\n" SHORT
		"k.c\n"
		" <1><10>: Abbrev Number: 2 (DW_TAG_base_type)\n"
		" <1><20>: Abbrev Number: 2 (DW_TAG_base_type)\n"
		"    <21>   DW_AT_byte_size   : (data1) 2\n"
		"    <22>   DW_AT_encoding    : (data1) 4\t(float)\n"
		" <1><30>: Abbrev Number: 3 (DW_TAG_subprogram)\n"
		"    <31>   DW_AT_external    : (flag_present) 1\n" SHORT "f\n"
		"    <32>   DW_AT_low_pc      : (addr) 0\n"
		" <2><40>: Abbrev Number: 4 (DW_TAG_formal_parameter)\n" SHORT
		"x\n" TYPE "<0x10>\n"
		" <2><50>: Abbrev Number: 4 (DW_TAG_formal_parameter)\n" SHORT
		"y\n" TYPE "<0x20>\n",
		"k.c");
	assert_int_equal(all.n, 1);
	assert_int_equal(all.v[0].n, 2);
	assert_string_equal(all.v[0].parameter[0].type, "(no name)");
	assert_true(all.v[0].parameter[1].known);
}

/* struct two { float a, b; }; struct s { int k; struct two m[n]; };
 * void f(struct s *p); */
static char *array_of_structures(uint64_t n)
{
	return xasprintf(
		" <0><b>: Abbrev Number: 1 (DW_TAG_compile_unit)\n" SHORT
		"k.c\n"
		" <1><10>: Abbrev Number: 2 (DW_TAG_base_type)\n"
		"    <11>   DW_AT_byte_size   : (data1) 4\n"
		"    <12>   DW_AT_encoding    : (data1) 4\t(float)\n" SHORT
		"float\n"
		" <1><18>: Abbrev Number: 2 (DW_TAG_base_type)\n"
		"    <19>   DW_AT_byte_size   : (data1) 4\n"
		"    <1a>   DW_AT_encoding    : (data1) 5\t(signed)\n" SHORT
		"int\n"
		" <1><20>: Abbrev Number: 3 (DW_TAG_structure_type)\n"
		"    <21>   DW_AT_byte_size   : (data1) 8\n" SHORT "two\n"
		" <2><22>: Abbrev Number: 4 (DW_TAG_member)\n" SHORT "a\n" TYPE
		"<0x10>\n"
		" <2><24>: Abbrev Number: 4 (DW_TAG_member)\n" SHORT "b\n" TYPE
		"<0x10>\n"
		"    <25>   DW_AT_data_member_location: (data1) 4\n"
		" <1><30>: Abbrev Number: 5 (DW_TAG_array_type)\n" TYPE
		"<0x20>\n"
		" <2><31>: Abbrev Number: 6 (DW_TAG_subrange_type)\n"
		"    <32>   DW_AT_upper_bound : (data8) %llu\n"
		" <1><40>: Abbrev Number: 3 (DW_TAG_structure_type)\n"
		"    <41>   DW_AT_byte_size   : (data8) %llu\n" SHORT "s\n"
		" <2><42>: Abbrev Number: 4 (DW_TAG_member)\n" SHORT "k\n" TYPE
		"<0x18>\n"
		" <2><44>: Abbrev Number: 4 (DW_TAG_member)\n" SHORT "m\n" TYPE
		"<0x30>\n"
		"    <45>   DW_AT_data_member_location: (data1) 4\n"
		" <1><50>: Abbrev Number: 7 (DW_TAG_pointer_type)\n" TYPE
		"<0x40>\n"
		" <1><60>: Abbrev Number: 8 (DW_TAG_subprogram)\n" SHORT "f\n"
		"    <61>   DW_AT_low_pc      : (addr) 0\n"
		" <2><62>: Abbrev Number: 9 (DW_TAG_formal_parameter)\n" SHORT
		"p\n" TYPE "<0x50>\n",
		(unsigned long long)n - 1, (unsigned long long)n * 8 + 4);
}

static void bounds_an_array_of_structures_by_all_of_its_numbers(
	void **state UNUSED)
{
	static const struct {
		uint64_t n;
		enum held held;
	} given[] = {
		{8, HELD_ARRAY},
		{(1 << 19) - 1, HELD_ARRAY},
		{1 << 19, HELD_OPAQUE},
		{(1 << 20) - 1, HELD_OPAQUE},
		{UINT64_MAX / 8, HELD_OPAQUE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		cleanup_function_list struct function_list all = {0};
		cleanup_free char *text = array_of_structures(given[i].n);

		debug_info_read(&all, LANGUAGE_C, text, "k.c");
		assert_int_equal(all.n, 1);
		assert_int_equal(all.v[0].n_members, 2);
		assert_int_equal(all.v[0].parameter[2].held, given[i].held);
	}
}

static void survives_a_text_that_begins_or_ends_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof dump; i++) {
		cleanup_free char *cut = xstrndup(dump, i);
		cleanup_function_list struct function_list a = {0}, b = {0};

		debug_info_read(&a, LANGUAGE_CXX, cut, "k.cpp");
		debug_info_read(&b, LANGUAGE_C, dump + i, "k.cpp");
	}
	for (size_t i = 0; i < sizeof of_class; i++) {
		cleanup_free char *cut = xstrndup(of_class, i);
		cleanup_function_list struct function_list a = {0}, b = {0};

		debug_info_read(&a, LANGUAGE_CXX, cut, "eq.cpp");
		debug_info_read(&b, LANGUAGE_CXX, of_class + i, "eq.cpp");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_functions_types_and_scopes),
		cmocka_unit_test(
			takes_those_of_headers_where_there_are_no_others),
		cmocka_unit_test(finds_methods_of_a_class_in_a_header),
		cmocka_unit_test(tells_constructors_from_methods),
		cmocka_unit_test(leaves_out_the_library),
		cmocka_unit_test(
			looks_at_structures_of_structures_for_a_short_time),
		cmocka_unit_test(takes_types_that_have_no_name),
		cmocka_unit_test(
			bounds_an_array_of_structures_by_all_of_its_numbers),
		cmocka_unit_test(survives_a_text_that_begins_or_ends_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
