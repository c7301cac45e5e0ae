#!/bin/sh
# test: parallel no-asan
test_description='avogit init: methods, whose objects a shim makes'
. "$(dirname "$0")/../lib-avogit.sh"

# argument NAME KEY: its value in avogit.yaml
argument () {
	sed -n "/- name: $1\$/,/- name:/{s/^    $2: //p;}" avogit.yaml
}

test_expect_success 'a class with containers, of which a method uses other members, is scored as init wrote it' '
	git init -q project && cd project && mkdir include src &&
	cat >include/chain.hpp <<-\EOT &&
	#pragma once
	#include <memory>
	#include <string>
	#include <vector>
	namespace dsp {
	struct band { float low, high; };
	struct base { int rate; };
	class chain : public base {
	public:
		chain(int channels);
		void process(const float *in, float *out, int frames);
	private:
		struct limits { float least, most; };
		float step(float x) { trace_.z[1] = x; return x; }
		std::string name_;
		std::vector<int> log_;
		unsigned muted_ : 1, solo_ : 1;
		limits limits_;
		int channels_;
		std::unique_ptr<float[]> last_;
		const band *bands_;
		float level_ = 0;
		struct { float z[2]; } trace_;
	};
	}
	EOT
	cat >src/chain.cpp <<-\EOT &&
	#include "chain.hpp"
	namespace dsp {
	chain::chain(int channels) : channels_(channels), last_(new float[channels]) { name_ = "chain"; log_.push_back(1); }
	void chain::process(const float *in, float *out, int frames)
	{
		for (int i = 0; i < frames; i++) {
			for (int c = 0; c < channels_; c++) {
				const band &b = bands_[c];
				float &last = last_[c];
				float x = in[i * channels_ + c] * b.low;

				x += 0.25f * last;
				last = x < limits_.least ? limits_.least : x;
				out[i * channels_ + c] = step(last * b.high);
			}
		}
		level_ = 0.5f * level_ + out[0];
	}
	}
	EOT
	avogit init -y src/chain.cpp -- -std=c++17 -Iinclude >out &&
	grep "wrote reference.cpp: it takes the kernel as it is" out &&
	grep "wrote shim.cpp: it makes an object of what dsp::chain::process uses, and calls it$" out &&
	argument bands_ dtype | grep "^f32  # .struct dsp::band. has 2 of them" &&
	test "$(argument bands_ shape)" = "[channels_, 2]" &&
	test "$(argument last_ shape) $(argument last_ direction)" = "[channels_] inout" &&
	test "$(argument level_ shape) $(argument level_ direction)" = "[1] inout" &&
	test "$(argument trace__z_1 shape) $(argument trace__z_1 direction)" = "[1] out" &&
	argument limits__least value | grep GUESS &&
	test "$(argument out shape) $(argument out direction)" = "[frames, channels_] out" &&
	! grep -e name_ -e log_ -e muted -e most avogit.yaml &&
	git add . && git commit -qm task &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'what such a method leaves in its object is compared' '
	sed -i "s/level_ = 0.5f/level_ = 0.25f/" src/chain.cpp &&
	test_expect_code 1 avogit score >out && grep "wrong: level_" out &&
	sed -i "s/level_ = 0.25f/level_ = 0.5f/; s/last = x < .*/last = x;/" src/chain.cpp &&
	test_expect_code 1 avogit score >out && grep "wrong: last_" out &&
	git checkout -q .
'

test_expect_success 'a vector that is read comes with its size; of overloads the one that is named is read' '
	cat >fir.cpp <<-\EOT &&
	#include <vector>
	class fir {
	public:
		explicit fir(const std::vector<float> &taps) : taps_(taps) {}
		void run(const double *in, double *out, int n) const;
		void run(const float *in, float *out, int n) const;
	private:
		std::vector<float> taps_;
	};
	void fir::run(const double *in, double *out, int n) const
	{
		for (int i = 0; i < n; i++)
			out[i] = in[2 * i] * taps_[0];
	}
	void fir::run(const float *in, float *out, int n) const
	{
		for (int i = 0; i < n; i++) {
			float sum = 0;

			for (unsigned long k = 0; k < taps_.size(); k++)
				sum += taps_[k] * in[i + k];
			out[i] = sum;
		}
	}
	EOT
	test_expect_code 2 avogit init -y -f fir.cpp --entry run 2>err &&
	grep "choose one by --entry (.fir::run(double const\*, double\*, int) const., .fir::run(float" err &&
	avogit init -y -f fir.cpp --entry "fir::run(const double *, double *, int)" >out &&
	test "$(argument in shape)$(argument in strides)" = "[n][2]" &&
	avogit init -y -f fir.cpp --entry "fir::run(const float *, float *, int)" >out &&
	test "$(argument in shape)" = "[n_taps + n - 1]" &&
	test "$(argument taps_ shape) $(argument taps_ direction)" = "[n_taps] in" &&
	git add . && git commit -qm fir &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'the work is no more than there is where a vector is used in an order that is not known' '
	cat >ring.cpp <<-\EOT &&
	#include <vector>
	class ring {
	public:
		void delay(const float *in, float *out, int n);
	private:
		std::vector<float> kept_;
		unsigned long at_;
	};
	void ring::delay(const float *in, float *out, int n)
	{
		for (int i = 0; i < n; i++) {
			float &place = kept_[(at_ + i) % kept_.size()];

			out[i] = place;
			place = in[i];
		}
	}
	EOT
	avogit init -y -f ring.cpp >out &&
	test "$(argument kept_ direction)" = inout &&
	grep "^bytes: .8 \* (n_kept) + 4 \* (n) + 4 \* (n).  # GUESS" avogit.yaml &&
	! grep "n_kept: 8[,}]" avogit.yaml
'

test_expect_success 'what no shim can make is said by the name of the member' '
	cat >index.cpp <<-\EOT &&
	#include <map>
	#include <vector>
	class index {
	public:
		void add(int key, int value) { all_[key] = value; }
		void find(const int *key, int *value, int n);
		void collect(const int *key, int n);
		int n_;
	private:
		std::map<int, int> all_;
		std::vector<int> kept_;
	};
	void index::find(const int *key, int *value, int n)
	{
		for (int i = 0; i < n; i++)
			value[i] = all_[key[i]];
	}
	void index::collect(const int *key, int n)
	{
		for (int i = 0; i < n; i++)
			kept_.push_back(key[i]);
	}
	EOT
	avogit init -y -f index.cpp --entry find >out &&
	argument self dtype | grep "GUESS: .index .. has .all_., a .std::map<[.]*>., which the method uses: docs/task.md, .A method by hand." &&
	avogit init -y -f index.cpp --entry collect >out &&
	argument self dtype | grep "has .kept_., a .std::vector<[.]*>. that it resizes, which the method uses"
'

test_expect_success 'what changes under another name is compared, and members are counted behind structures' '
	cat >other.cpp <<-\EOT &&
	#include <cstring>
	struct params { float gain; int mode; };
	class other {
	public:
		void run(const params *c, float *y, int n);
	private:
		void follow(float *s) { s[0] = 3; }
		float first_ = 0, z_[2] = {}, w_[2] = {}, v_[2] = {}, u_[2] = {}, level_ = 0;
		int object_ = 0;
	};
	void other::run(const params *c, float *y, int n)
	{
		float &first = first_;

		for (auto &z : z_)
			z = 0;
		std::memset(w_, 0, sizeof w_);
		follow(v_ + 1);
		*u_ = 1;
		for (int i = 0; i < n; i++) {
			y[i] *= c[i].gain;
			first = y[i];
			level_ = y[i];
		}
	}
	EOT
	avogit init -y -f other.cpp --entry other::run >out &&
	for name in first_ z__0 z__1 w__0 w__1 v__1 u__0 level_
	do
		test "$(argument $name shape)" = "[1]" || return 1
	done
'

test_expect_success 'members that it cannot read or that it may miss are said, not zeros' '
	{
		cat <<-\EOT &&
		#include <vector>
		struct low { float z, gain; bool on; float process(float x) { z += gain * x; return z; } };
		struct chain { low first; };
		struct traced { std::vector<float> z; };
		enum class mode : unsigned char { off, on };
		class parts {
		public:
			void either(float *y, int n) { for (int i = 0; i < n; i++) y[i] = f_ * low_; }
			void pushes(float *y, int n) { for (int i = 0; i < n; i++) trace_.z.push_back(y[i]); }
			void part(float *y, int n) { for (int i = 0; i < n; i++) if (lp_.on) y[i] = lp_.process(y[i]); }
			void inner(float *y, int n) { for (int i = 0; i < n; i++) if (all_.first.on) y[i] = all_.first.process(y[i]); }
			void refers(float *y, int n) { for (int i = 0; i < n; i++) y[i] = gain_; }
			void small(float *y, int n) { for (int i = 0; i < n; i++) y[i] = mode_ == mode::on ? next_ : object * result; }
			void one(float *y, int n) { for (int i = 0; i < n; i++) y[i] = a_ + b_; }
			parts(float &gain) : gain_(gain) {}
		private:
			union { float f_; unsigned u_; };
			struct { float a_, b_; };
			low lp_;
			chain all_;
			float low_;
			traced trace_;
			float &gain_;
			mode mode_;
			char next_;
			float object, result;
		};
		void use(parts &p, float *y, int n) { p.either(y, n); p.pushes(y, n); p.part(y, n); p.inner(y, n); p.refers(y, n); p.small(y, n); p.one(y, n); }
		EOT
		echo "class many { std::vector<int> v_; public: void run(float *y, int n); private:" &&
		for i in $(test_seq 1 300)
		do
			echo "	float m${i}_;"
		done &&
		echo "};" &&
		echo "void many::run(float *y, int n) { for (int i = 0; i < n; i++) y[i] = m299_; }"
	} >parts.cpp &&
	said () {
		avogit init -y -f parts.cpp --entry "$1" >out && argument self dtype | grep "$2"
	} &&
	said parts::either "GUESS.*has .f_.," &&
	said parts::pushes "GUESS.*has .trace__z., .* that it resizes" &&
	said parts::part "GUESS.*has .lp__z.," &&
	said parts::inner "GUESS.*has .all__first_z.," &&
	said parts::refers "GUESS.*has .gain_.," &&
	said many::run GUESS &&
	avogit init -y -f parts.cpp --entry parts::one >out &&
	argument b_ value | grep GUESS &&
	avogit init -y -f parts.cpp --entry parts::small >out &&
	grep "signed char mode_," shim.cpp && ! grep "needs your hand" out
'

# The large case is what is timed: a flag that makes it a copy is none.
test_expect_success 'a flag has what its class gives it in the first case' '
	cat >flag.cpp <<-\EOT &&
	#include <vector>
	class filter {
	public:
		void run(const float *in, float *out, int n);
	private:
		std::vector<float> z_;
		bool bypass_ = false, soft_{true}, other_;
	};
	void filter::run(const float *in, float *out, int n)
	{
		for (int i = 0; i < n; i++) {
			if (bypass_)
				out[i] = in[i];
			else
				out[i] = z_[i] = (soft_ ? 0.5f : 1.0f) * in[i] + (other_ ? z_[i] : 0);
		}
	}
	EOT
	avogit init -f -y flag.cpp >out &&
	sed -n "/^cases:/,/^#/s/^  - //p" avogit.yaml >cases &&
	sed 1q cases | grep "bypass_: 0" && sed 1q cases | grep "soft_: 1" && sed 1q cases | grep "other_: 1" &&
	sed 1d cases | grep "bypass_: 1" && sed 1d cases | grep "soft_: 0"
'

test_expect_success 'an adapter that makes such an object is scored, as the manual has it' '
	avogit init -y -f index.cpp --entry find >out &&
	sed -n "/^### A method by hand/,/^## /p" "$SHARNESS_TEST_SRCDIR/../../docs/task.md" >page &&
	sed -n "/^\/[*] shim.cpp/,/^}/p" page >shim.cpp && grep find_entry shim.cpp &&
	cat >reference.cpp <<-\EOT &&
	extern "C" void find_reference(const int *key, int *value, int n)
	{
		for (int i = 0; i < n; i++)
			value[i] = 7 * key[i];
	}
	EOT
	sed -i "/- name: self/,/direction:/d; s/^entry: .*/entry: find_entry/; /^  plain:/d
		/- name: key/,/direction:/s/direction: in/direction: in\n    fill: {low: 0, high: 999}/
		/- name: key/,/- name:/{/fill: .*GUESS/d}
		s/^  flags: .*/&\n  files: [shim.cpp]\n  compile: [shim.cpp]/" avogit.yaml &&
	git add . && git commit -qm index &&
	avogit score >out && grep "pass, " out
'

test_expect_success 'init -f keeps an adapter that it did not write' '
	cp shim.cpp mine && avogit init -y -f fir.cpp --entry "fir::run(const float *, float *, int)" >out &&
	test_cmp mine shim.cpp && grep "kept shim.cpp: it includes fir.cpp and defines run_entry" out
'

test_expect_success 'a method with its body in the class is found, and a size in a cast is its own' '
	rm -f shim.cpp && cat >fir.hpp <<-\EOT &&
	#pragma once
	#include <vector>
	class Fir {
	public:
		explicit Fir(int n) : t_(n, 0.5f) {}
		void run(const float *x, float *y, int n) const
		{
			const int k = int(t_.size());
			for (int i = 0; i < n; i++) {
				float s = 0;
				for (int j = 0; j < k && j <= i; j++)
					s += t_[j] * x[i - j];
				y[i] = s;
			}
		}
		int taps() const { return int(t_.size()); }
	private:
		std::vector<float> t_;
	};
	EOT
	printf "%s\n" "static inline void triple(const float *x, float *y, int n)" \
		"{ for (int i = 0; i < n; i++) y[i] = 3 * x[i]; }" >triple.h &&
	git add . && git commit -qm fir &&
	avogit init -y -f triple.h >out && grep "it makes triple callable" out &&
	test_must_fail avogit init -y -f fir.hpp 2>err && grep "choose one by --entry (Fir::run, Fir::taps)" err &&
	avogit init -y -f fir.hpp --entry Fir::run >out && grep "an object of what Fir::run uses" out &&
	! grep keep-inline avogit.yaml &&
	test "$(argument t_ shape) $(argument n_t value)" = "[n_t] n_t" &&
	git add . && git commit -qm task && avogit score >out && grep "pass, " out
'

test_done
