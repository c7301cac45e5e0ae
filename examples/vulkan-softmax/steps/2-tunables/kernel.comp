#version 450
/*
 * Softmax of every row of a matrix, single precision.
 *
 * Version 1, naive: an invocation a row, and the definition in three passes.
 *
 * Version 2, tunables: LANES invocations share a row, and numbers that lie beside each
 * other are read by invocations that do; a work-group has ROWS rows. The exponentials
 * are kept in y (KEEP), or computed a second time.
 */
#define LANES 1 // avogit: 1 2 4 8 16 32
#define ROWS 8	// avogit: 1 2 4 8 16
#define KEEP 0	// avogit: 0 1

// avogit-launch: groups=(ceil_div(rows, ROWS))
layout(local_size_x = LANES, local_size_y = ROWS) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Values { int rows, columns; };

shared float part[ROWS][LANES];

void main()
{
	int lane = int(gl_LocalInvocationID.x), line = int(gl_LocalInvocationID.y);
	int row = int(gl_WorkGroupID.x) * ROWS + line;
	int first = min(row, rows - 1) * columns, last = first + columns;
	float largest = x[first], sum = 0;

	for (int j = first + lane; j < last; j += LANES)
		largest = max(largest, x[j]);
	part[line][lane] = largest;
	barrier();
	for (int k = 0; k < LANES; k++)
		largest = max(largest, part[line][k]);
	barrier();

	for (int j = first + lane; j < last; j += LANES) {
		float e = exp(x[j] - largest);

		sum += e;
		if (KEEP == 1 && row < rows)
			y[j] = e;
	}
	part[line][lane] = sum;
	barrier();
	sum = 0;
	for (int k = 0; k < LANES; k++)
		sum += part[line][k];

	if (row >= rows)
		return;
	for (int j = first + lane; j < last; j += LANES)
		y[j] = (KEEP == 1 ? y[j] : exp(x[j] - largest)) / sum;
}
