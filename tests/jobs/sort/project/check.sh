set -e
cc -o check demo.c
test "$(./check)" = "-1 0 2 2 3 "
