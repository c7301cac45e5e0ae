#version 450
/*
 * Softmax of every row of a matrix, single precision.
 *
 * Version 1, naive: an invocation a row, and the definition in three passes.
 */
#define GROUP 64

// avogit-launch: groups=(ceil_div(rows, GROUP))
layout(local_size_x = GROUP) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Values { int rows, columns; };

void main()
{
	int row = int(gl_GlobalInvocationID.x), first = row * columns;
	float largest, sum = 0;

	if (row >= rows)
		return;
	largest = x[first];
	for (int j = 1; j < columns; j++)
		largest = max(largest, x[first + j]);
	for (int j = 0; j < columns; j++)
		sum += exp(x[first + j] - largest);
	for (int j = 0; j < columns; j++)
		y[first + j] = exp(x[first + j] - largest) / sum;
}
