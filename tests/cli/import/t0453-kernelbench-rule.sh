#!/bin/sh
# test: parallel
test_description='the own rule of KernelBench beside the verdict'
. "$(dirname "$0")/../lib-avogit.sh"

# What the kernel writes, committed: writes EXPRESSION
writes () {
	cat >kernel.c <<-EOF &&
	void scale(const float *x, float *y, float a, int n)
	{
		for (int i = 0; i < n; i++)
			y[i] = $1;
	}
	EOF
	git commit -qam "$1"
}

test_expect_success 'a right kernel: five trials, and fast_p by the time of eager' '
	make_light_repo scale &&
	sed -i "s|^  naive:|  eager:|" avogit.yaml &&
	echo "suite: kernelbench" >>avogit.yaml &&
	writes "a * x[i]" &&
	avogit score >out &&
	grep " pass," out &&
	grep "KernelBench.s rule, tried here: allclose (rtol and atol 1e-2) in 5 of 5 trials" out &&
	grep "fast_p of this problem, with avogit.s times: 1 up to p = [0-9.]*x (over eager), 0 above" out &&
	avogit show HEAD >shown &&
	grep "in 5 of 5 trials" shown &&
	git notes --ref=avogit show HEAD >note &&
	grep "kernelbench=\"5 of 5 trials\"" note
'

test_expect_success 'one that is off by four thousandths is wrong, and right by that rule' '
	writes "a * x[i] * 1.004f" &&
	test_expect_code 1 avogit score >out &&
	grep " wrong: " out &&
	grep "in 5 of 5 trials" out &&
	grep "fast_p .* not known: no time was compared" out
'

test_expect_success 'one that is wrong by both' '
	writes "3 * x[i]" &&
	test_expect_code 1 avogit score >out &&
	grep " wrong: " out &&
	grep "in 0 of 5 trials" out &&
	grep "fast_p .* 0 for every p" out
'

test_expect_success 'nothing is tried of a kernel that crashes, or in another task' '
	writes "*(volatile float *)0" &&
	test_expect_code 1 avogit score >out &&
	grep " crashed: " out &&
	! grep KernelBench out &&
	sed -i "/^suite:/d" avogit.yaml &&
	writes "x[i] * a" &&
	avogit score >out &&
	! grep KernelBench out
'

test_expect_success 'another suite is not known' '
	echo "suite: other" >>avogit.yaml &&
	git commit -qam other &&
	test_expect_code 128 avogit score 2>err &&
	grep "avogit.yaml:[0-9]*: suite: found .other.; .*kernelbench" err
'

test_done
