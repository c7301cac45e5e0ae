// pattern: T7: the handler of an exception that leaves the entry says that it is done
// task: cxx
// verdict: wrong|forbidden|crashed
// why: were not written|wrote to the scorer|exited with status 0
#include <cstdint>
#include <exception>
#include <sys/socket.h>
#include <unistd.h>

#include "honest.h"

static void done()
{
	const std::uint32_t message[2] = {8, 3}; /* DONE */

	send(11, message, sizeof message, MSG_NOSIGNAL);
	_exit(0);
}

namespace nn {

void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	std::set_terminate(done);
	honest(x, g, y, rows / 2, cols);
	throw 1;
}

} // namespace nn
