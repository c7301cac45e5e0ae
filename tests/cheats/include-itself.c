// pattern: E2: includes itself
// verdict: build-failed
// why: .
#include __FILE__
#include __FILE__
