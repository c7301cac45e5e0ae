#include "geo/image.hpp"
#include "geo/config.hpp"

namespace geo {

float weight(int distance)
{
	return distance ? GEO_HALF / 2 : GEO_HALF;
}

} // namespace geo
