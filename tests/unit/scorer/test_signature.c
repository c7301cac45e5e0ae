/* Functions of C++ by the names and declarations that a task gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scorer/build/exports.h"
#include "scorer/build/signature.h"

static const struct {
	const char *function, *wanted;
	bool fits;
} rows[] = {
	{"scale(float*, int)", "scale", true},
	{"scale(float*, int)", "scal", false},
	{"geo::scale(float*, int)", "scale", false},
	{"geo::scale(float*, int)", "geo::scale", true},
	{"geo::scale(float*, int)", "::geo::scale", true},
	{"scale(float const*, long)",
	 "void scale(const float *x, std::int64_t n)", true},
	{"scale(float const*, long)", "void scale(float const *, long int)",
	 true},
	{"scale(float const*, long)", "void scale(float *, long)", false},
	{"scale(float const*, long)", "void scale(const float *, int)", false},
	{"scale(float const*, long)", "scale(const float[], ptrdiff_t n)",
	 true},
	{"scale(unsigned char*, unsigned int)",
	 "int scale(uint8_t *restrict to, unsigned n)", true},
	{"scale(signed char)", "scale(int8_t)", true},
	{"scale(char)", "scale(int8_t)", false},
	{"scale(unsigned long long, unsigned short)",
	 "scale(unsigned long long a, uint16_t b)", true},
	{"scale(float* const*)", "scale(float *const *rows)", true},
	{"scale(float**)", "scale(float *const *rows)", false},
	{"scale(float*)", "scale(float *const x)", true},
	{"scale(int)", "scale(const int n)", true},
	{"scale(Matrix const&)", "void scale(const struct Matrix &m)", true},
	{"scale(Matrix&)", "void scale(const Matrix &m)", false},
	{"scale()", "void scale(void)", true},
	{"scale()", "void scale()", true},
	{"scale(int)", "void scale()", false},
	{"void scale<float>(float const*, int)", "scale", true},
	{"void scale<float>(float const*, int)", "scale<float>", true},
	{"void scale<float>(float const*, int)", "scale<double>", false},
	{"void geo::scale<float, 8>(float const*, int)",
	 "void geo::scale<float, 8>(const float *, int)", true},
	{"geo::Box<float>::scale(int)", "geo::Box", false},
	{"geo::Box<float>::scale(int)", "geo::Box<float>::scale", true},
	{"scale(std::vector<float, std::allocator<float> > const&, long)",
	 "scale(const std::vector<float, std::allocator<float>> &, int64_t)",
	 true},
	/* Template arguments, in any spelling. */
	{"void f<unsigned char, 256>(int)", "f<uint8_t,256>", true},
	{"void f<unsigned char, 256>(int)", "f< std::uint8_t , 256 >", true},
	{"void f<unsigned char, 256>(int)", "f<unsigned char, 25>", false},
	{"void f<unsigned char, 256>(int)", "f<int8_t, 256>", false},
	{"void f<unsigned long, 256ul>(int)", "void f<size_t, 256>(int n)",
	 true},
	{"void f<long unsigned int, 3>(int)", "f<std::size_t, 3>", true},
	{"void f<int, -4>(int)", "f<int32_t, 4>", false},
	{"void f<int, -4>(int)", "f<int32_t, -4>", true},
	{"void f<float const>(int)", "f<float>", false},
	{"void f<float const>(int)", "f<const float>", true},
	{"void f<std::array<unsigned char, 4ul> >(int)",
	 "f<std::array<uint8_t, 4>>", true},
	{"int g::k<long>::run(int)", "g::k<int64_t>::run", true},
	{"void f<8>(int)", "f<(16 > 2)>", false},
	{"bool operator<(a, b)", "operator<", true},
	{"scale(void (*)(int), int)", "scale(void (*)(int), int)", true},
};

static void a_declaration_fits_the_function_that_it_declares(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (signature_fits(rows[i].function, rows[i].wanted) !=
		    rows[i].fits)
			fail_msg("'%s' for '%s'", rows[i].function,
				 rows[i].wanted);
}

static void junk_for_a_declaration_is_read_to_its_end(void **state)
{
	static const char *const junk[] = {"",	     "(",	")",  "()",
					   "f(",     "f)",	"<",  ">",
					   "<>",     "f<<<(",	"::", "f(,,,)",
					   "f(<<,)", "f(const", "[",  "f(["};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(junk); i++) {
		cleanup_free char *base = signature_base(junk[i]);

		for (size_t j = 0; j < ARRAY_SIZE(junk); j++)
			(void)signature_fits(junk[i], junk[j]);
		assert_non_null(base);
	}
}

static void says(const struct strvec *exports, const char *name,
		 const char *what)
{
	cleanup_free char *lack = exports_lack(exports, LANGUAGE_CXX, name);

	if (!what)
		assert_null(lack);
	else
		assert_string_equal(lack, what);
}

static void a_function_that_is_lacking_is_told_by_those_there_are(void **state)
{
	cleanup_strvec struct strvec exports = STRVEC_INIT;

	(void)state;
	strvec_pushl(&exports, "_Z5scalePKfi", "_Z5scalePKdi", "plain",
		     "_ZN3geo5scaleEv", NULL);
	says(&exports, "scale(const float *, int)", NULL);
	says(&exports, "geo::scale", NULL);
	says(&exports, "plain", NULL);
	says(&exports, "int plain(int)", NULL);
	says(&exports, "scale",
	     "several functions 'scale'; add the parameters: "
	     "scale(float const*, int), scale(double const*, int)");
	says(&exports, "scale(int)",
	     "no function 'scale(int)'; they have: scale(float const*, int), "
	     "scale(double const*, int), geo::scale()");
	says(&exports, "other",
	     "no function 'other'; they have: scale(float const*, int), "
	     "scale(double const*, int), plain, geo::scale()");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_declaration_fits_the_function_that_it_declares),
		cmocka_unit_test(junk_for_a_declaration_is_read_to_its_end),
		cmocka_unit_test(
			a_function_that_is_lacking_is_told_by_those_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
