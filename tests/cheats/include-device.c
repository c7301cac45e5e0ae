// pattern: E2: an include that never ends
// verdict: build-failed
// why: .
#include "/dev/zero"
#include "/dev/urandom"
