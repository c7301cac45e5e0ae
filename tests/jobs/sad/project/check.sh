set -e
cat >check.cpp <<'C'
#include "src/sad.hpp"
int main()
{
	uint8_t x[256] = {3}, y[256] = {5};
	int32_t sad;

	codec::sad_picture(x, y, &sad, 1, 1);
	return sad != 2;
}
C
c++ -std=c++17 -o check check.cpp src/sad.cpp
./check
