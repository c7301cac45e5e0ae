// pattern: C3: writes nothing, and hopes for what lies there
// verdict: wrong
// why: were not written
void norm(const float *x, const float *g, float *y, int rows, int cols)
{
	(void)x, (void)g, (void)y, (void)rows, (void)cols;
}
