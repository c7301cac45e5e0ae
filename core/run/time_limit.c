#include "core/run/time_limit.h"

#include <math.h>

#include "core/base/base.h"

/* Of the time, for the last measurements; they need no more than this. */
#define END_SHARE 0.25
#define END_MOST  120
/* On a short call they may take so much of it instead, for which half of the time of
 * what is late is there. */
#define SHORT_SHARE 0.5
/* What was begun in time may take so much longer: this share, or on a short call
 * what an attempt takes where others have most of the machine. */
#define LATE_SHARE 0.1
#define LATE_LEAST 20
/* Of it: what ends before it is cut off has a result. */
#define LAST_SHARE 0.9

struct time_limit time_limit_of(double seconds)
{
	double end = MIN(END_SHARE * seconds, END_MOST);
	double late = MAX(LATE_SHARE * seconds, LATE_LEAST);

	if (!(seconds > 0))
		return (struct time_limit){HUGE_VAL, HUGE_VAL, HUGE_VAL,
					   HUGE_VAL, HUGE_VAL, HUGE_VAL};
	return (struct time_limit){
		.attempts = seconds - end,
		.all = seconds,
		.settle = seconds + late / 2,
		.final = MAX(end, MIN(SHORT_SHARE * seconds, late / 2)),
		.last = seconds + LAST_SHARE * late,
		.cut = seconds + late,
	};
}
