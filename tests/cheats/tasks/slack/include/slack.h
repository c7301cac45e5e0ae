#ifndef SLACK_H
#define SLACK_H

static inline float slack_of(float v)
{
	for (int k = 0; k < 40; k++) {
		float root = 1 + v * v;

		__asm__("sqrtss %0, %0" : "+x"(root));
		v = 1.25f * v / root;
	}
	return v;
}

#endif
