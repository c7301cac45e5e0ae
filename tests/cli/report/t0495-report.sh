#!/bin/sh
# test: parallel

test_description='avogit report: what a run came to, as one file'

. "$(dirname "$0")/../lib-avogit.sh"

HERE=$SHARNESS_TEST_SRCDIR/report

# Three kept attempts and nine others, with text that would be a script, a link, a
# heading or the end of the data if it were not made harmless.
test_expect_success 'a run with hostile text' '
	make_repo repo &&
	cat >../hostile <<-\EOF &&
	</script><script>alert(1)</script><!--<script> ]]> &amp; `</code>` | @all
	# alert(2) [x](javascript:alert(3)) ![y](http://localhost/z) <img src=x onerror=alert(4)>
	EOF
	printf "\342\200\250alert(5)\342\200\251\033[31m\"'"'"'\\ \n" >>../hostile &&
	ids= &&
	for i in 1 2 3
	do
		{ echo "/* $i */" && sed "s|^|// |" ../hostile; } >>kernel.c &&
		git commit -qam "step $i" &&
		ids="$ids $(git rev-parse HEAD)" || return 1
	done &&
	perl "$HERE/made-run.pl" "$(git rev-parse HEAD~3)" 12 ../hostile $ids &&
	avogit log --run made >out &&
	test "$(grep -c " #[0-9]" out)" = 13
'

test_expect_success 'the page is whole, and nothing of it is run but its own script' '
	avogit report made -o ../page.html >out &&
	test_must_fail grep . out &&
	perl "$HERE/check-page.pl" ../page.html ../hostile 12
'

test_expect_success 'two pages differ in the nonce alone' '
	avogit report made >../again.html &&
	sed "s/nonce[-=]\"*[0-9a-f]*//g" ../page.html >../one &&
	sed "s/nonce[-=]\"*[0-9a-f]*//g" ../again.html >../two &&
	test_cmp ../one ../two &&
	! cmp -s ../page.html ../again.html
'

test_expect_success 'as Markdown all text of others is code' '
	avogit report made --format md >../report.md &&
	grep "^12 attempts in .* The best is #3 .* 3.375x the speed of the start" ../report.md &&
	grep "^| baseline .library. | 0.844x | 0.835 to 0.852 | slower |" ../report.md &&
	grep "^    +// </script>" ../report.md &&
	grep "^- #[0-9]*, [a-z-]*: \`.*\`: \`.*\`$" ../report.md &&
	grep "^\`avogit pick --run made\` puts" ../report.md &&
	grep -c "alert" ../report.md &&
	sed -e "/^    /d" -e "s/\`[^\`]*\`//g" ../report.md >../plain &&
	! grep -e alert -e "<s" -e "@all" ../plain &&
	awk "/^    /{ if (!code && last != \"\") exit 1; code = 1 } !/^    /{ code = 0 } { last = \$0 }" ../report.md
'

test_expect_success 'as SVG it has a dot an attempt and no text of others' '
	avogit report made --format svg >../report.svg &&
	test "$(grep -c "<circle" ../report.svg)" = 13 &&
	test "$(grep -c "<circle class=\"failed\"" ../report.svg)" = 2 &&
	test "$(grep -c "<circle class=\"champion\" data-n=\"3\"" ../report.svg)" = 1 &&
	grep "class=\"baseline\".*>library</text>" ../report.svg &&
	! grep -e alert -e "nan" -e "inf" ../report.svg
'

# Here the baseline is as fast as the start.
test_expect_success 'labels of levels that lie together stand apart' '
	git update-ref refs/saved refs/avogit/made/journal/00000000000000aa &&
	git update-ref -d refs/avogit/made/journal/00000000000000aa &&
	sed "s|ratio / 4|ratio / 1|" "$HERE/made-run.pl" >../near.pl &&
	perl ../near.pl "$(git rev-parse HEAD~3)" 12 ../hostile $ids &&
	avogit report made --format svg >../near.svg &&
	sed -n "s/.*<text class=.\(start\|baseline\). x=.* y=.\([0-9.]*\).>.*/\2/p" ../near.svg >../at &&
	test "$(wc -l <../at)" = 2 &&
	awk "NR == 1 { y = \$1 } END { d = \$1 - y; exit !(d * d > 144) }" ../at &&
	git update-ref refs/avogit/made/journal/00000000000000aa refs/saved && git update-ref -d refs/saved
'

test_expect_success 'as JSON it is what the page has' '
	avogit report made --format json >../report.json &&
	perl -MJSON::PP -e "
		local \$/; \$j = decode_json(<STDIN>);
		\$j->{schema} == 1 && \$j->{outcomes}{failed} == 2 && \$j->{outcomes}{champion} == 1 &&
		@{\$j->{steps}} == 4 && \$j->{champion}{comparisons}[1]{name} eq q(library) or die" <../report.json
'

test_expect_success 'of a run by a model: tokens, money, directions, ceilings, work' '
	git update-ref -d refs/avogit/made/journal/00000000000000aa &&
	MADE_BY_MODEL=1 MADE_BY_ISLANDS=1 perl "$HERE/made-run.pl" "$(git rev-parse HEAD~3)" 12 ../hostile $ids &&
	avogit report made --format json >../report.json &&
	perl -MJSON::PP -e "
		local \$/; \$j = decode_json(<STDIN>); @a = @{\$j->{attempts}};
		\$a[0]{tokens} == 0 && \$a[12]{tokens} == 13200 && abs(\$a[12]{dollars} - 0.12) < 1e-9 or die q(spent);
		@{\$j->{interventions}} == 1 && @{\$j->{directions}} == 3 && \$j->{directions}[1]{from} == 3 &&
		\$j->{directions}[1]{direction} =~ /alert/ && \$j->{interventions}[0]{after_attempts} == 4 or die q(directions);
		\$j->{champion}{cases}[0]{ceiling} > 0.3 && \$j->{champion}{cases}[0]{spread} == 0.02 or die q(cases);
		\$j->{work}[0]{case} && \$j->{work}[0]{bytes} > 0 && \$j->{tolerance}{factor} == 2 &&
		@{\$j->{logs}} == 0 or die q(task)" <../report.json &&
	avogit report made -o ../rich.html &&
	perl "$HERE/check-page.pl" ../rich.html ../hostile 12 &&
	for axis in attempts hours tokens dollars
	do
		grep "id=.by-$axis." ../rich.html || return 1
	done >out &&
	avogit report made --format svg >../rich.svg &&
	test "$(grep -c "<path class=\"mark\"" ../rich.svg)" = 1 &&
	test "$(grep -c "<path class=\"interval\"" ../rich.svg)" = 3 &&
	test "$(sed -n "s/.*class=.grid.*>\(.*\)x<.*/\1/p" ../rich.svg | tr "\n" " ")" = "1 2 5 10 " &&
	grep "class=\"ceiling\".*>ceiling</text>" ../rich.svg &&
	! grep -e alert -e nan -e inf ../rich.svg
'

test_expect_success 'logs are in it, with how to read one' '
	blob=$(echo a transcript | git hash-object -w --stdin) &&
	tree=$(printf "100644 blob %s\tstep-2026-11-23T10-00-00Z-00000001.jsonl\n" $blob | git mktree) &&
	log=$(git commit-tree -m log $tree) &&
	git update-ref refs/avogit/made/logs/00000000000000aa $log &&
	avogit report made --format json >../report.json &&
	grep "\"name\":\"step-2026-11-23T10-00-00Z-00000001.jsonl\"" ../report.json &&
	grep "$log" ../report.json
'

# Logs may be private: without the word for it their text stays at home.
test_expect_success 'with --logs their text is in it, and without it is not' '
	printf "<b>Whispered\0\033[31m\n" >../transcript && head -c 1500000 /dev/zero | tr "\0" x >>../transcript &&
	blob=$(git hash-object -w ../transcript) &&
	tree=$(printf "100644 blob %s\tstep-2026-11-23T10-00-00Z-00000002.txt\n" $blob | git mktree) &&
	git update-ref refs/avogit/made/logs/00000000000000ab $(git commit-tree -m log $tree) &&
	avogit report made -o ../page.html && avogit report made --logs -o ../logs.html &&
	test_must_fail grep -e "a transcript.n" -e "Whispered" ../page.html &&
	grep -F "a transcript\n" ../logs.html >out && grep -F "\u003cb\u003eWhispered^@^[[31m" ../logs.html >out &&
	perl "$HERE/check-page.pl" ../logs.html ../hostile 12 &&
	avogit report made --logs --format json >../report.json &&
	perl -MJSON::PP -e "
		local \$/; \$j = decode_json(<STDIN>); my %cut = map { (\$_->{bytes} > 1e6) => \$_->{cut} } @{\$j->{logs}};
		\$cut{1} && !\$cut{q()} or die" <../report.json
'

# It would be read whole for the begin that is shown.
test_expect_success 'a log that takes little to send and much to read is only named' '
	blob=$(head -c 70000000 /dev/zero | git -c core.looseCompression=1 hash-object -w --stdin) &&
	tree=$(printf "100644 blob %s\tstep-2026-11-23T10-00-00Z-00000003.txt\n" $blob | git mktree) &&
	git update-ref refs/avogit/made/logs/00000000000000ac $(git commit-tree -m log $tree) &&
	avogit report made --logs --format json >../report.json &&
	perl -MJSON::PP -e "
		local \$/; \$j = decode_json(<STDIN>); @l = grep { \$_->{bytes} == 70000000 } @{\$j->{logs}};
		@l == 1 && !exists \$l[0]{text} && (grep { exists \$_->{text} } @{\$j->{logs}}) == 2 or die" <../report.json &&
	git update-ref -d refs/avogit/made/logs/00000000000000ac
'

test_expect_success 'an attempt has what it changed, and of a failure what it printed' '
	avogit report made --format json >../report.json &&
	perl -MJSON::PP -e "
		local \$/; \$j = decode_json(<STDIN>); @a = @{\$j->{attempts}};
		\$a[5]{log} =~ /^kernel.c:5: error/ && !exists \$a[6]{log} or die q(log);
		!grep { exists \$_->{patch} } @a or die q(patch of a step, or of what is not here)" <../report.json &&
	git update-ref -d refs/avogit/made/journal/00000000000000aa &&
	MADE_BY_FINAL=1 perl "$HERE/made-run.pl" "$(git rev-parse HEAD~3)" 12 ../hostile $ids &&
	avogit report made --format json >../report.json &&
	perl -MJSON::PP -e "
		local \$/; \$j = decode_json(<STDIN>); @a = @{\$j->{attempts}};
		\$a[2]{patch} =~ /^\+.. 2 ../m && \$a[3]{patch} =~ /alert/ && !exists \$a[1]{patch} or die" <../report.json &&
	avogit report made -o ../page.html && perl "$HERE/check-page.pl" ../page.html ../hostile 12 &&
	git update-ref -d refs/avogit/made/journal/00000000000000aa &&
	MADE_BY_MODEL=1 MADE_BY_ISLANDS=1 perl "$HERE/made-run.pl" "$(git rev-parse HEAD~3)" 12 ../hostile $ids
'

# In the chain of a writer of its own: keep_profile COMMIT WRITER TEXT
keep_profile () {
	blob=$(printf "%s" "$3" | git hash-object -w --stdin) &&
	tree=$(printf "100644 blob %s\tprofile-%s-1.json\n" $blob $1 | git mktree) &&
	log=$(git commit-tree -m log $tree) &&
	git update-ref refs/avogit/made/logs/00000000000000$2 $log
}

# Logs may come from anybody: a fact that is none is left out, a text that is no JSON,
# too large or another thing leaves the report without.
test_expect_success 'figures of a profiler: the champion beside the nearest step that has some' '
	set -- $ids &&
	keep_profile $3 b1 "{\"case\":\"n=1</script>\",\"facts\":{\"dram_percent\":80.5,\"x\":\"y\",\"<b>\":2},\"bottlenecks\":[{\"name\":\"tail\"},7]}" &&
	keep_profile $1 b2 "{\"kernel\":\"k1\",\"facts\":{\"dram_percent\":40}}" &&
	keep_profile $(git rev-parse HEAD~3) b3 "{\"kernel\":\"k0\",\"facts\":{\"dram_percent\":20}}" &&
	avogit report made --format json >../report.json &&
	perl -MJSON::PP -e "
		local \$/; \$j = decode_json(<STDIN>); \$c = JSON::PP->new->canonical;
		print map { \$c->encode(\$_), qq(\\n) } map { @\$_ } @{\$j->{profiles}}" <../report.json >../profiles &&
	cat >../expected <<-\EOF &&
	{"attempt":1,"bottlenecks":[],"facts":{"dram_percent":40},"kernel":"k1"}
	{"attempt":3,"bottlenecks":[{"name":"tail"},{}],"case":"n=1</script>","facts":{"<b>":2,"dram_percent":80.5}}
	EOF
	test_cmp ../expected ../profiles &&
	avogit report made -o ../page.html && perl "$HERE/check-page.pl" ../page.html ../hostile 12 &&
	for text in "{\"case\":\"n=2\",\"facts\":{\"dram_percent\":40}}" "no JSON" "[1]" "{\"facts\":{\"x\":\"y\"}}" "$(head -c 70000 /dev/zero | tr "\\0" " ")[]"
	do
		keep_profile $1 b2 "$text" &&
		avogit report made --format json >../report.json &&
		grep "\"kernel\":\"k0\"" ../report.json || return 1
	done
'

test_expect_success 'commits are links where the remote is of a known forge, without its password' '
	git remote add origin https://me:secret@github.com/a/b.git &&
	avogit report made -o ../page.html &&
	grep -F "\"commits_url\":\"https://github.com/a/b/commit/\"" ../page.html &&
	test_must_fail grep secret ../page.html &&
	git config remote.pushDefault other &&
	git remote add other /srv/git/b.git &&
	avogit report made -o ../page.html &&
	test_must_fail grep commits_url.:.http ../page.html
'

test_expect_success 'a clone without the candidates, no champion, and what is not there' '
	test_expect_code 2 avogit report --format pdf made 2>err &&
	grep "html, md, json or svg" err &&
	test_expect_code 128 avogit report nowhere 2>err &&
	grep "no run is called nowhere" err &&
	test_expect_code 128 avogit report made -o nowhere/x.html 2>err &&
	cd "$SHARNESS_TRASH_DIRECTORY" && make_repo elsewhere &&
	perl "$HERE/made-run.pl" "$(git rev-parse HEAD)" 3 ../hostile "$(printf %040x 7)" &&
	avogit report --format json >out &&
	grep "\"patch\":\"not here: " out &&
	cd "$SHARNESS_TRASH_DIRECTORY" && make_repo unbeaten &&
	perl "$HERE/made-run.pl" "$(git rev-parse HEAD)" 7 ../hostile &&
	avogit report --format md >out &&
	grep "no attempt was crowned" out &&
	grep -F "| case | rate | error/limit |" out &&
	avogit report -o ../unbeaten.html &&
	grep "<path class=.best." ../unbeaten.html &&
	avogit report --format svg >../unbeaten.svg &&
	sed -n "s/.*class=.grid.*>\(.*\)x<.*/\1/p" ../unbeaten.svg >levels &&
	printf "%s\n" 0.6 0.8 1 >expected && test_cmp expected levels
'

test_done
