// pattern: E2: a file of the host in the compiler's messages
// verdict: build-failed
// why: /etc/shadow: No such file
#include "/etc/shadow"
