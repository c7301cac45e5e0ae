#!/bin/sh
# test: parallel
test_description='avogit knowledge: what the agent can look up, from the command line'
. "$(dirname "$0")/../lib-avogit.sh"

XDG_CACHE_HOME="$SHARNESS_TEST_DIRECTORY/cache"
export XDG_CACHE_HOME
command -v pdftotext >/dev/null && test_set_prereq PDF

test_expect_success 'the notes answer outside any repository' '
	mkdir nowhere &&
	(
		cd nowhere &&
		GIT_CEILING_DIRECTORIES=$(dirname "$PWD") &&
		export GIT_CEILING_DIRECTORIES &&
		avogit knowledge cp.async.bulk.tensor >../out 2>../err
	) &&
	head -n 1 out | grep "^avogit/tma.md  TMA" &&
	grep "without a task.s documents" err
'

test_expect_success 'it needs something to search for' '
	test_expect_code 2 avogit knowledge 2>err &&
	grep "words to search for" err &&
	test_expect_code 2 avogit knowledge --list word
'

test_expect_success 'a repository with documents' '
	make_repo repo &&
	mkdir -p docs/deep notes &&
	echo "# Okapi" >docs/a.md &&
	echo "The zebra moves in steps of 64." >>docs/a.md &&
	echo "<h1>Page</h1><p>giraffe &amp; gnu<script>antelope" >docs/deep/p.html &&
	echo "void okapi_kernel(void);" >docs/k.cu &&
	echo "a note on warthogs" >notes/n.md &&
	echo "no note on warthogs" >notes/n.txt &&
	ln -s /etc/passwd docs/passwd.txt &&
	echo "knowledge: [docs/, \"notes/*.md\", missing/]" >>avogit.yaml &&
	git add avogit.yaml && git commit -qm "the task names documents"
'

test_expect_success 'finds what the documents say, with source and heading' '
	avogit knowledge zebra steps >../out 2>../err &&
	grep "^docs/a.md  Okapi" ../out &&
	grep "^    The zebra moves" ../out &&
	avogit knowledge giraffe >../out &&
	grep "^docs/deep/p.html  Page" ../out &&
	avogit knowledge okapi_kernel >../out &&
	head -n 1 ../out | grep "^docs/k.cu  lines 1-1" &&
	avogit knowledge warthogs >../out &&
	grep "^notes/n.md" ../out &&
	! grep "n.txt" ../out
'

test_expect_success 'nothing found is the answer no' '
	test_expect_code 1 avogit knowledge antelope >../out 2>../err &&
	test_must_be_empty ../out
'

test_expect_success 'any words are a query' '
	for q in "\"" "NEAR(" "a:b OR" "*" "--" "%s%n" "'\''; DROP"
	do
		avogit knowledge -- "$q" >../out 2>../err
		test $? -le 1 || return 1
	done
'

test_expect_success '--list names all, and what is left out' '
	avogit knowledge --list >../out 2>../err &&
	grep "^avogit/wgmma.md  *markdown" ../out &&
	grep "^docs/deep/p.html  *html  *1" ../out &&
	grep "2 left out" ../err &&
	grep "docs/passwd.txt: a link" ../err &&
	grep "missing/: No such" ../err
'

test_expect_success '--show prints a source whole' '
	avogit knowledge --show docs/a.md >../out &&
	grep "^\[Okapi\]" ../out &&
	grep "zebra" ../out &&
	test_expect_code 128 avogit knowledge --show docs/none.md 2>../err &&
	grep "knowledge --list" ../err
'

test_expect_success '--json and -n' '
	avogit knowledge --json -n 2 shared memory >../out &&
	test "$(grep -c "\"source\":" ../out)" = 2 &&
	grep "\"schema\":" ../out
'

test_expect_success 'documents are read anew when they change' '
	echo "The quagga is new." >>docs/a.md &&
	avogit knowledge quagga >../out &&
	grep "^docs/a.md" ../out &&
	echo "# Okapi" >docs/a.md &&
	test_expect_code 1 avogit knowledge quagga
'

test_expect_success 'a damaged cache is made anew' '
	ls "$XDG_CACHE_HOME"/avogit/knowledge-* >../caches &&
	for f in $(cat ../caches); do echo rubbish >"$f"; done &&
	avogit knowledge giraffe >../out &&
	grep "^docs/deep/p.html" ../out &&
	for f in $(cat ../caches); do : >"$f"; done &&
	avogit knowledge giraffe >../out &&
	grep "^docs/deep/p.html" ../out
'

test_expect_success PDF 'reads PDF' '
	cat >docs/paper.pdf <<-\PDF &&
	%PDF-1.4
	1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
	2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
	3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
	4 0 obj<</Length 44>>stream
	BT /F1 18 Tf 10 50 Td (hippopotamus one) Tj ET
	endstream endobj
	5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
	trailer<</Root 1 0 R>>
	PDF
	avogit knowledge hippopotamus >../out &&
	grep "^docs/paper.pdf  page 1" ../out
'

test_expect_success 'what runs tried is part of it, with what it gave' '
	offer_modes 0 1 &&
	avogit evolve --attempts 2 >../out 2>../err &&
	avogit knowledge --list 2>../err >../out &&
	grep "^run scale: #1 " ../out &&
	avogit knowledge outcome speed start run >../out &&
	grep "^run scale  #" ../out &&
	avogit knowledge --show "run scale" >../out &&
	grep "^Outcome: " ../out
'

test_expect_success 'a path that climbs out is refused' '
	echo "knowledge: [../x]" >../key &&
	sed -i "/^knowledge:/d" avogit.yaml && cat ../key >>avogit.yaml &&
	git commit -qam "climbs" &&
	test_expect_code 128 avogit knowledge --task avogit.yaml zebra 2>../err &&
	grep "knowledge: .*without .\.\.." ../err
'

test_done
