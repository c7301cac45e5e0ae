# What the scripts about prepared buffers in other languages share.
. "$(dirname "$0")/../lib-avogit.sh"

# A repository in ../weighted with the task of a product by weights that are laid out
# before the clock starts, and no kernel yet: make_weighted RUNNER SOURCES ENTRY [LINE...]
make_weighted () {
	git init -q ../weighted &&
	cat >../weighted/avogit.yaml <<-EOF &&
	name: weighted
	language: {runner: [$1]}
	sources: [$2]
	entry: $3
	prepare: pack
	arguments:
	  - {name: x, dtype: f32, shape: [n]}
	  - {name: w, dtype: f32, shape: [n], static: true}
	  - {name: y, dtype: f32, shape: [n], direction: out}
	  - {name: p, prepared: 4 * n}
	  - {name: a, dtype: f32, value: 2}
	  - {name: n, dtype: i32, value: n}
	cases: [{n: 9600}, {n: 333}]
	bytes: 12 * n
	reference: {source: reference.c, entry: weigh_reference}
	tolerance: {rtol: 1e-4, atol: 1e-5}
	EOF
	shift 3 &&
	printf '%s\n' "$@" >>../weighted/avogit.yaml &&
	cat >../weighted/reference.c <<-\EOF
	void weigh_reference(const float *x, const float *w, double *y,
			     const void *p, float a, int n)
	{
		for (int i = 0; !p && i < n; i++)
			y[i] = x[i] * (w[i] * (double)a + 1);
	}
	EOF
}

# What is committed in ../weighted is a runner's that keeps the protocol.
weighted_keeps_protocol () {
	(
		cd ../weighted && avogit score --check-runner HEAD >../out &&
		! grep "not ok" ../out && test "$(grep -c "^ok " ../out)" = 11
	)
}
