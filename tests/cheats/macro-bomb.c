// pattern: E2: a macro that doubles thirty times
// verdict: build-failed
// why: .
#define A(x) x x
#define B(x) A(A(A(A(A(x)))))
#define C(x) B(B(B(B(x))))
int many[] = {C(B(B(1,)))};
