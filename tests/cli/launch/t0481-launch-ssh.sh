#!/bin/sh
# test: parallel
test_description='avogit score --pending --launch over ssh, to a real sshd'
. "$(dirname "$0")/../lib-avogit.sh"

sshd=$(PATH=$PATH:/usr/sbin command -v sshd)
if test -z "$sshd" || ! command -v ssh >/dev/null
then
	skip_all='there is no sshd here (Debian: openssh-server)'
	test_done
fi

# A server for this user alone, with keys and a configuration of its own.
FAR=$PWD
export FAR AVOGIT
umask 077
mkdir key far &&
ssh-keygen -q -t ed25519 -N '' -f key/host &&
ssh-keygen -q -t ed25519 -N '' -f key/user || exit 1
test "$(id -u)" != 0 || mkdir -p /run/sshd
serve () {
	cat >sshd.conf <<-EOS &&
		ListenAddress 127.0.0.1:$1
		HostKey "$PWD/key/host"
		AuthorizedKeysFile "$PWD/key/user.pub"
		PidFile "$PWD/sshd.pid"
		PermitRootLogin yes
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		StrictModes no
		UsePAM no
		SetEnv "XDG_CACHE_HOME=$FAR/far cache" "FAR=$FAR" "AVOGIT=$AVOGIT"
	EOS
	"$sshd" -f sshd.conf -E sshd.log
}
# Once sshd has gone into the background, it listens.
port=$((20000 + $$ % 20000))
for i in 1 2 3 4 5 6 7 8
do
	serve $port 2>sshd.err && break
	port=$((port + 1009))
done
test -s sshd.pid || test "$i" != 8 || {
	skip_all="sshd does not start here: $(cat sshd.err sshd.log | head -n 1)"
	test_done
}
cleanup 'kill "$(cat "$FAR/sshd.pid")"'

# ssh itself, with a configuration of its own instead of ~/.ssh.
cat >ssh.conf <<EOS
Host far
	HostName 127.0.0.1
	Port $port
	User $(id -un)
	IdentityFile "$PWD/key/user"
	IdentitiesOnly yes
	UserKnownHostsFile "$PWD/key/known"
	StrictHostKeyChecking no
	LogLevel ERROR
EOS
mkdir bin &&
cat >bin/ssh <<EOS &&
#!/bin/sh
exec $(command -v ssh) -F "\$FAR/ssh.conf" "\$@"
EOS
chmod +x bin/ssh
PATH=$PWD/bin:$PATH

# What `make bundle` makes, of one program: this avogit, which first does what
# ./behave says.
mkdir -p avogit-bundle/bin &&
cat >avogit-bundle/bin/avogit <<'EOS' &&
#!/bin/sh
echo started >>"$FAR/starts"
test ! -e "$FAR/behave" || . "$FAR/behave"
exec "$AVOGIT" "$@" --time 1s
EOS
chmod +x avogit-bundle/bin/avogit &&
tar czf bundle.tar.gz avogit-bundle

test_expect_success 'a run whose candidates another machine has to measure' '
	make_light_repo repo &&
	offer_modes 0 2 &&
	avogit evolve --seed 1 --attempts 1 >/dev/null &&
	candidates=$(($(attempts) + 1))
'

test_expect_success 'a machine that cannot be reached is said, and nothing is lost' '
	git config --global avogit.launch.far.ssh nowhere.invalid &&
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "exit code 255" ../err
'

test_expect_success 'a bundle that cannot be read is said' '
	git config --global avogit.launch.far.ssh far &&
	git config --global avogit.launch.far.bundle "$FAR/missing.tar.gz" &&
	test_expect_code 128 avogit score --pending --launch far 2>../err &&
	grep "missing.tar.gz" ../err
'

test_expect_success 'the line is cut in the middle: what was answered is kept' '
	git config --global avogit.launch.far.bundle "$FAR/bundle.tar.gz" &&
	cat >../behave <<-\EOS &&
		"$AVOGIT" "$@" --time 1s >"$FAR/answer"
		head -n 1 "$FAR/answer"
		kill -9 "$PPID"
		exit 0
	EOS
	test_expect_code 128 avogit score --pending --launch far >../out 2>../err &&
	grep "answered for [01] of $candidates candidates" ../err &&
	some=$(grep -c "scale#" ../out)
	rm ../behave
'

test_expect_success 'the next call brings the rest, measured once, and brings no bundle' '
	touch ../bundles &&
	test "$(ls "../far cache/avogit/bundle" | grep -c "^[0-9a-f]\{64\}\$")" = 1 &&
	ls -id "../far cache/avogit/bundle"/* >../bundle.before &&
	test_might_fail avogit score --pending --launch far >../out &&
	ls -id "../far cache/avogit/bundle"/* >../bundle.after &&
	test_cmp ../bundle.before ../bundle.after &&
	test "$(grep -c "scale#" ../out)" = $((candidates - some)) &&
	far=$(echo "../far cache/avogit/jobs"/*) &&
	writer=$(sed "s/ .*//;q" "$far/avogit/writer") &&
	test "$(git --git-dir="$far" log --first-parent --format=%s \
		"refs/avogit/scale/journal/$writer" |
		grep -c "^measurement")" = $candidates &&
	avogit score --pending --launch far >../out &&
	grep "^nothing is pending" ../out &&
	git fsck --full
'

test_expect_success 'a run is extended over a line that is cut in the middle, and loses nothing' '
	cat >../behave <<-\EOS &&
		echo >>"$FAR/overs"
		if test "$(wc -l <"$FAR/overs")" = 3
		then
			"$AVOGIT" "$@" --time 1s >"$FAR/answer"
			kill -9 "$PPID"
			exit 0
		fi
	EOS
	AVOGIT_TEST_CLOCK=20 avogit evolve --run over --seed 1 --attempts 2 --launch far >../out 2>../err &&
	grep "^starting run over at .* of launch far" ../out &&
	grep "launch far: no answer: .*exit code 255" ../err &&
	grep "launch far: it answers again" ../err &&
	avogit log --run over --json >../log &&
	test "$(grep -o "\"outcome\": *\"in flight\"" ../log | wc -l)" = 0 &&
	rm ../behave &&
	ls -id "../far cache/avogit/bundle"/* >../bundle.after &&
	test_cmp ../bundle.before ../bundle.after
'

test_expect_success 'a bundle that was damaged on its way is not unpacked' '
	touch ../avogit-bundle/BUNDLE &&
	tar czf ../bundle.tar.gz -C .. avogit-bundle &&
	mv ../bin/ssh ../bin/real &&
	cat >../bin/ssh <<-\EOS &&
		#!/bin/sh
		head -c 100 | "$FAR/bin/real" "$@"
	EOS
	chmod +x ../bin/ssh &&
	git clone -q . ../other &&
	(
		cd ../other &&
		git fetch -q origin "refs/avogit/*:refs/avogit/*" &&
		test_expect_code 128 avogit score --pending --launch far 2>../err
	) &&
	mv ../bin/real ../bin/ssh &&
	ls "../far cache/avogit/bundle" >../names &&
	test "$(wc -l <../names)" = 1
'

test_expect_success 'two clients at once lose nothing' '
	git clone -q . ../third &&
	git -C ../third fetch -q origin "refs/avogit/*:refs/avogit/*" &&
	{ avogit -C ../third score --pending --launch far >../out.third; echo $? >../code.third; } &
	(
		cd ../other &&
		test_might_fail avogit score --pending --launch far >../out.other
	) &&
	wait &&
	test "$(grep -c "scale#" ../out.other)" = $candidates &&
	test "$(grep -c "scale#" ../out.third)" = $candidates &&
	test "$(ls "../far cache/avogit/bundle" | wc -l)" = 2 &&
	test "$(ls "../far cache/avogit/jobs" | wc -l)" = 3
'

test_expect_success 'where to connect is not read from the repository' '
	git config avogit.launch.own.ssh far &&
	test_expect_code 128 avogit score --pending --launch own 2>../err &&
	grep "must be your own" ../err
'

test_done
