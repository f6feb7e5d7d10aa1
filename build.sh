#!/usr/bin/env bash
# Builds, tests and serves Warpscope.
#
#   ./build.sh              builds what is stale into public/
#   ./build.sh test         everything: format, vet, unit tests natively and as WebAssembly, browser tests, sizes
#   ./build.sh test NAME…   some of these steps; ./build.sh steps lists them
#   ./build.sh zip          builds, then makes warpscope.zip: the site for any static file server
#   ./build.sh npm          makes the npm package in .build/npm
#   ./build.sh bench        measures, and writes docs/performance.md; arguments: rounds, a folder where gpu.js is installed
#   ./build.sh serve        go run . : builds, then serves public/ (arguments such as -addr are passed on)
#   ./build.sh clean        removes what was built
#
# Needs Go and Node; fetches the Go modules, the npm packages and, as root on Debian, a Chromium for the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

min_go=26       # go 1.26
min_node=20
# Budgets in bytes: the first visit of the playground and the script of embedding pages, both gzip; the single file.
budget=1800000
budget_embed=12000
budget_onefile=3000000
steps="format vet unit wasm editor generated site npm sizes browser load"

say() { printf '%s\n' "$*" >&2; }
die() { say "build.sh: $*"; exit 1; }

# ---- what must be there -------------------------------------------------------------------------------------------

need_go() {
	command -v go >/dev/null || die "Go 1.$min_go or later is needed and there is no 'go' here. See https://go.dev/dl/."
	local have minor
	have=$(go env GOVERSION 2>&1) || die "Go 1.$min_go or later is needed; 'go env' says: $have"
	minor=${have#go1.}; minor=${minor%%[!0-9]*}
	[ "${minor:-0}" -ge $min_go ] || die "Go 1.$min_go or later is needed; here is $have. See https://go.dev/dl/."
}

need_node() {
	command -v node >/dev/null ||
		die "Node $min_node or later is needed and there is no 'node' here. See https://nodejs.org/."
	local have major
	have=$(node --version); major=${have#v}; major=${major%%.*}
	[ "$major" -ge $min_node ] || die "Node $min_node or later is needed; here is $have. See https://nodejs.org/."
	command -v npm >/dev/null || die "npm is needed (it comes with Node) and there is no 'npm' here."
}

need_packages() {
	need_node
	[ node_modules/.package-lock.json -nt package-lock.json ] && return
	say "npm ci: the editor's packages"
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch node_modules/.package-lock.json
}

find_chromium() {
	if [ -n "${WARPSCOPE_CHROMIUM:-}" ]; then
		command -v "$WARPSCOPE_CHROMIUM" || die "WARPSCOPE_CHROMIUM names $WARPSCOPE_CHROMIUM, which cannot be run."
		return
	fi
	local name
	for name in chromium chromium-browser google-chrome google-chrome-stable \
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
		"/Applications/Chromium.app/Contents/MacOS/Chromium"; do
		command -v "$name" && return
	done
	return 1
}

need_chromium() {
	if ! find_chromium >/dev/null; then
		[ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] ||
			die "the browser tests need Chromium: install it (Debian: apt-get install chromium), or set" \
				"WARPSCOPE_CHROMIUM to a Chromium or Chrome that is elsewhere."
		say "apt-get install chromium: for the browser tests"
		apt-get update -q >&2
		DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium >&2
	fi
	WARPSCOPE_CHROMIUM=$(find_chromium)
	export WARPSCOPE_CHROMIUM
}

# ---- building -----------------------------------------------------------------------------------------------------

# stale TARGET PATH…: TARGET is missing, or something under the paths is newer. Folders count: a removed file
# leaves its folder newer.
stale() {
	local target=$1; shift
	[ ! -e "$target" ] || [ -n "$(find "$@" -newer "$target" ! -name '*_test.go' -print -quit)" ]
}

# put FILE: standard input becomes FILE, at once or not at all.
put() {
	cat >"$1.new" && mv "$1.new" "$1"
}

# Inlining would only fill the engine with copies of these packages' functions, 8 % of its transfer: none of them is
# hot, or it is as fast without (ptx, measured as js/wasm; the page, vecty and dom, as CPU of a step in Chromium), or few
# programs use it (textures, tensor maps). Package emu lowers, and has the instructions without a handler of their own: a
# loop of 13 of these takes 2 to 6 % longer without inlining, and the engine is 7.4 kB smaller.
never_inlined="github.com/hexops/vecty/... encoding/json fmt reflect time strconv warpscope/ptx warpscope/ptx/isa
	warpscope/launch warpscope/launch/expr warpscope/emu/host warpscope/emu/jit warpscope/emu/jit/wasm warpscope/debug
	warpscope/headless warpscope/share warpscope/ui warpscope/ui/workspace warpscope/wasm strings bytes sort syscall/js
	honnef.co/go/js/dom/v2 warpscope/emu/simd warpscope/emu/printf warpscope/ui/layers os syscall io/fs internal/poll
	bufio math/rand/v2 warpscope/emu/texture warpscope/emu/tensor warpscope/emu/causes warpscope/emu/live warpscope/emu"

build_wasm() {
	stale public/warpscope.wasm go.mod go.sum gpu ptx emu launch headless debug share ui wasm pack build.sh || return 0
	say "go build: public/warpscope.wasm"
	mkdir -p .build
	local flags=() package
	for package in $never_inlined; do flags+=("-gcflags=$package=-l"); done
	go_wasm .build/warpscope.wasm "${flags[@]}" ./wasm
	mv .build/warpscope.wasm public/warpscope.wasm
	touch public/warpscope.wasm
}

# go_wasm FILE ARGUMENT…: builds a program for js/wasm, whose jumps are made direct.
go_wasm() {
	local file=$1; shift
	GOOS=js GOARCH=wasm go build -trimpath -ldflags="-s -w" -o .build/jumps.wasm "$@"
	go run ./pack -direct .build/jumps.wasm "$file"
	rm .build/jumps.wasm
}

build_packed() {
	stale public/version.js public/warpscope.wasm pack || return 0
	say "pack: public/warpscope.wasm.lzma"
	go run ./pack public/warpscope.wasm .build/warpscope.wasm.lzma .build/version.js
	mv .build/warpscope.wasm.lzma .build/version.js public/
	touch public/version.js
}

# Go's loader, with what lets a program compile WebAssembly.
build_wasm_exec() {
	mkdir -p .build
	cat "$(go env GOROOT)/lib/wasm/wasm_exec.js" emu/host/jit.js | put .build/wasm_exec.js
	cmp -s .build/wasm_exec.js public/wasm_exec.js || put public/wasm_exec.js <.build/wasm_exec.js
}

editor_packages="CodeMirror 6 (MIT), Copyright (C) Marijn Haverbeke and others, \
and morphdom (MIT), Copyright (C) Patrick Steele-Idem"

# Without its warnings: CodeMirror writes on the console when a text's layout takes it more than five attempts.
build_editor() {
	stale public/editor.js editor package-lock.json build.sh || return 0
	need_packages
	say "esbuild: public/editor.js"
	mkdir -p .build
	# CodeMirror keeps 1,000 pixels of lines in the page that are not in sight. Each costs a part of each step.
	sed 's#1000 \(/\* VP.Margin\)#300 \1#g' node_modules/@codemirror/view/dist/index.js | put .build/codemirror-view.js
	grep -q '300 /\* VP.Margin' .build/codemirror-view.js ||
		die "CodeMirror's VP.Margin is not where it was: see build_editor."
	go tool esbuild editor/editor.js --bundle --minify --format=iife --target=es2020 --log-level=warning \
		--alias:style-mod=./editor/style-mod.js --alias:@codemirror/view=./.build/codemirror-view.js \
		--legal-comments=none --pure:console.warn \
		--outfile=.build/editor.js \
		--banner:js="/* Warpscope's editor. Contains $editor_packages. */"
	mv .build/editor.js public/editor.js
	touch public/editor.js
}

# The style sheet: the parts of ui/*.css in one file.
build_style() {
	stale public/style.css ui/*.css build.sh || return 0
	say "esbuild: public/style.css"
	mkdir -p .build
	go tool esbuild ui/style.css --bundle --minify --log-level=warning --legal-comments=none --outfile=.build/parts.css
	in_letters <.build/parts.css | put public/style.css
}

# Sizes are written as pixels of the design. In the page they are parts of the size of letters that the user wants,
# of which the design has 16 pixels; lines, up to 2 pixels, stay as they are.
in_letters() {
	awk '{
		while (match($0, /[0-9.]+px/)) {
			size = substr($0, RSTART, RLENGTH - 2) + 0
			printf "%s%s", substr($0, 1, RSTART - 1), (size > 2 ? sprintf("%.8grem", size / 16) : size "px")
			$0 = substr($0, RSTART + RLENGTH)
		}
		print
	}'
}

# Lessons, gallery, coverage and about: pages made from Markdown, the examples and the engine itself; and the list of
# the examples, examples/index.json.
build_pages() {
	stale public/lessons/index.html go.mod site docs gpu ptx emu launch ui testdata public/lessons/*.md public/examples/*.ptx \
		bench/*.ptx || return 0
	say "site: public/lessons/, gallery, coverage, about"
	rm -rf public/lessons/*.html public/gallery
	go run ./site
	touch public/lessons/index.html
}

# The JavaScript module, for browsers and Node; once more under a name whose type every server knows.
build_module() {
	stale public/warpscope.mjs npm public/wasm_exec.js build.sh || return 0
	say "esbuild: public/warpscope.mjs"
	bundle_module npm/warpscope.src.mjs .build/warpscope.mjs
	cp npm/warpscope.d.ts public/
	cp .build/warpscope.mjs public/warpscope.js
	mv .build/warpscope.mjs public/warpscope.mjs
	touch public/warpscope.mjs
}

# bundle_module SOURCE TARGET: a module with Go's loader in it, as a function whose arguments are its surroundings.
bundle_module() {
	mkdir -p .build
	{
		echo "export default (globalThis) => { const { fs, crypto, performance, setTimeout } = globalThis;"
		cat public/wasm_exec.js
		echo "return globalThis.Go; };"
	} | put .build/wasm_exec.mjs
	go tool esbuild "$1" --bundle --format=esm --target=es2022 --log-level=warning --external:"node:*" \
		--alias:wasm_exec=./.build/wasm_exec.mjs --outfile="$2"
}

# The npm package, made in .build/npm: the module, the engine, and the command, compiled for Node.
build_npm() {
	build
	say "npm package: .build/npm"
	rm -rf .build/npm; mkdir -p .build/npm
	cp public/warpscope.mjs public/warpscope.wasm npm/warpscope.d.ts npm/package.json npm/README.md LICENSE .build/npm/
	bundle_module npm/cli.src.mjs .build/npm/cli.mjs
	chmod +x .build/npm/cli.mjs
	go_wasm .build/npm/cli.wasm ./cmd/warpscope
}

compress() {
	local file
	find public \( -name '*.gz' -o -name '*.br' \) | while read -r file; do
		[ -e "${file%.*}" ] || rm "$file"
	done
	find public \( -name '*.js' -o -name '*.mjs' -o -name '*.css' -o -name '*.html' -o -name '*.json' \) \
		! -path public/warpscope.html ! -path public/precache.js | while read -r file; do
		[ "$file.gz" -nt "$file" ] || gzip -9 -n -c "$file" | put "$file.gz"
		! command -v brotli >/dev/null || [ "$file.br" -nt "$file" ] || brotli -q 9 -c "$file" | put "$file.br"
	done
}

# The files that make the site usable without a network; they are made from the finished site.
build_offline() {
	stale public/precache.js public offline pack/lzma || return 0
	say "offline: public/warpscope.html, public/precache.js"
	go run ./offline/make public
	touch public/warpscope.html public/precache.js
}

build() {
	need_go
	build_style
	build_editor
	build_wasm
	build_packed
	build_wasm_exec
	build_pages
	build_module
	compress
	build_offline
}

zip() {
	build
	go run ./offline/make public warpscope.zip
	say "warpscope.zip: $(wc -c <warpscope.zip) bytes"
}

write_performance() {
	mkdir -p .build
	bench/compare.sh -document "$@" >.build/performance.md
	put docs/performance.md <.build/performance.md
}

clean() {
	rm -rf .build public/*.wasm public/*.lzma public/warpscope.{mjs,js,d.ts} public/wasm_exec.js \
		public/style.css public/editor.js public/version.js public/examples/index.json \
		public/contents.json public/precache.js public/warpscope.html warpscope.zip
	rm -rf public/lessons/*.html public/gallery public/{gallery,coverage,about,bench}.html
	find public \( -name '*.gz' -o -name '*.br' \) -delete
}

# ---- testing ------------------------------------------------------------------------------------------------------

wasm_packages="./gpu/... ./ptx/... ./emu/... ./launch/... ./headless/... ./debug/... ./share/... ./ui/... ./wasm/..."

test_format() {
	local bad; bad=$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l)
	[ -z "$bad" ] || { say "not gofmt-ed:"; say "$bad"; return 1; }
}

test_vet() {
	go vet ./...
	# shellcheck disable=SC2086
	GOOS=js GOARCH=wasm go vet $wasm_packages
}

# Tests make much garbage and keep little: they run faster when less of it is collected, and so does Go's compiler.
sparing="GOGC=400 GOMEMLIMIT=2GiB"

# Packages begin in the order in which they are named, those that take longest first. The step vet has vetted them.
test_unit() {
	[ -n "${WARPSCOPE_PTXAS:-}" ] || say "skipped: what asks ptxas: WARPSCOPE_PTXAS names none"
	command -v xz >/dev/null || say "skipped: the comparison with xz, which is not here"
	# shellcheck disable=SC2046,SC2086
	env $sparing go test -vet=off -timeout 20m ./emu/slow ./emu ./public/examples ./ptx ./pack \
		$(go list ./... | grep -v '/browser$') ./testdata/real ./testdata/bugs ./testdata/hardware
}

# Long tests that run natively only. They are about Go's data structures, the tables and texts of the parser and the
# order of warps, not about how numbers are computed, code is compiled or the host is called, which can differ from one
# machine to another.
native_only="TestCountersChangeNothing TestCoverage TestDeadlockAdviceFitsTheProgram TestEveryFix TestFormatKeepsMeaning
	TestLongLoopsAreNoDeadlock TestManyBlocks TestMemoryOfModules TestMutations TestReadsPutAsideAreReads TestRestrictions
	TestRowsOfWordsAreLanes TestSnapshotsCountAllThatTheyHold TestSnapshotsHoldTheWholeState
	TestSnapshotsShareCTAsThatWait TestSnapshotsShareNoStaleCTA TestSpace TestSpinningWithVariablesInMemoryIsFound
	TestTenMegabytes TestWaysOutThatNoLaneTakesDoNotMoveMeetingPoints TestWordsAreLanes"

# The tests of the engine once more, compiled as visitors run it, with direct jumps. The environment is emptied because
# Go's loader for Node has little room for it.
test_wasm() {
	need_node
	mkdir -p .build
	go build -o .build/pack ./pack
	local names; names=$(echo $native_only)
	say "left out, because they do not depend on the machine: $names"
	GOOS=js GOARCH=wasm go test -short -timeout 20m -vet=off -skip "^(${names// /|})\$" \
		-exec "env -i 'PATH=$PATH' 'HOME=$HOME' $sparing 'WARPSCOPE_PACK=$PWD/.build/pack' '$PWD/emu/host/go_js_wasm_exec'" \
		./emu ./emu/slow ./ptx ./launch ./ptx/... ./emu/... ./launch/...
}

# The JavaScript module and the command in Node, from the package.
test_npm() {
	need_node
	build_npm
	go build -o .build/warpscope ./cmd/warpscope
	node --test --test-reporter=spec npm/test.mjs
}

test_editor() {
	need_packages
	node --test --test-reporter=spec editor/
}

# Generated files agree with today's sources: generated again, in a copy, they must come out the same.
test_generated() {
	local copy=.build/fresh
	rm -rf "$copy"; mkdir -p "$copy"
	git ls-files -co --exclude-standard | while read -r file; do [ ! -e "$file" ] || echo "$file"; done |
		tar -cf - -T - | tar -xf - -C "$copy"
	sums "$copy" >.build/before
	( cd "$copy" && go generate ./... )
	sums "$copy" >.build/after
	rm -rf "$copy"
	diff .build/before .build/after || { say "these files are stale: run go generate ./... and commit"; return 1; }
}

sums() ( cd "$1" && find . -type f -exec cksum {} + | sort -k 3 )

test_site() { build; }

# weigh BUDGET NAME FILE…: the sizes of files that are transferred together, compressed, against a budget.
weigh() {
	local budget=$1 name=$2 file size total=0; shift 2
	for file in "$@"; do
		size=$(gzip -9 -n -c "$file" | wc -c)
		total=$((total + size))
		printf '%10d %10d  %s\n' "$(wc -c <"$file")" "$size" "$file"
	done
	printf '%10s %10d  %s, budget %d\n' "" "$total" "$name" "$budget"
	[ "$total" -le "$budget" ] || { say "over its budget: $name"; return 1; }
}

# The first visit is everything that the page loads before it can run.
test_sizes() {
	local first size result=0
	first=public/examples/$(sed -n 's/.*"file": "\(.*\)",/\1/p' public/examples/index.json | head -n 1)
	printf '%10s %10s  %s\n' bytes gzip file
	weigh $budget "first visit" public/index.html public/style.css public/boot.css public/version.js public/boot.js public/unpack.js \
		public/wasm_exec.js public/editor.js public/offline.js public/warpscope.wasm.lzma public/favicon.svg \
		public/examples/index.json "$first" || result=1
	[ ! -e public/embed.js ] || weigh $budget_embed "embedding page before Run" public/embed.js || result=1
	size=$(wc -c <public/warpscope.html)
	printf '%10d %10s  public/warpscope.html, budget %d\n' "$size" "" $budget_onefile
	[ "$size" -le $budget_onefile ] || { say "over its budget: public/warpscope.html"; result=1; }
	return $result
}

# In three parts at a time, each with a Chromium of its own, because visits wait a lot. Each part has every third test,
# by name: tests of one kind, which take long together, have the same beginning. Listing them needs no Chromium.
test_browser() {
	need_chromium
	need_packages
	mkdir -p .build
	go test -c -o .build/browser.test ./browser
	local names part parts=() result=0
	names=$(WARPSCOPE_CHROMIUM=none .build/browser.test -test.list '^Test' | sort)
	for part in 0 1 2; do
		browser_tests -test.run "^($(awk "NR % 3 == $part" <<<"$names" | paste -s -d '|' -))\$" & parts+=($!)
	done
	for part in "${parts[@]}"; do wait "$part" || result=1; done
	return $result
}

browser_tests() {
	( cd browser && WARPSCOPE_BROWSER=required ../.build/browser.test -test.timeout 25m "$@" )
}

test_load() {
	need_chromium
	WARPSCOPE_BROWSER=required go test -run '^$' -bench PageLoad -benchtime 2x ./browser
}

run_tests() {
	need_go; need_node
	local name start result=0 summary=""
	for name in "$@"; do
		case " $steps " in *" $name "*) ;; *) die "no test step '$name'; there are: $steps" ;; esac
	done
	for name in "$@"; do
		say "== $name"
		start=$SECONDS
		if "$BASH" build.sh "step-$name"; then
			summary+=$(printf '%-10s ok    %4d s' "$name" $((SECONDS - start)))$'\n'
		else
			summary+=$(printf '%-10s FAIL  %4d s' "$name" $((SECONDS - start)))$'\n'
			result=1
		fi
	done
	printf '== results after %d s\n%s' "$SECONDS" "$summary"
	[ $result = 0 ] && echo "all passed" || echo "FAILED"
	return $result
}

case "${1:-build}" in
build) build ;;
test)
	shift
	# shellcheck disable=SC2086
	[ $# -gt 0 ] || set -- $steps
	run_tests "$@"
	;;
steps) echo "$steps" ;;
step-*) "test_${1#step-}" ;;
zip) zip ;;
npm) need_node; build_npm ;;
bench) shift; need_go; need_node; write_performance "$@" ;;
serve) shift; need_go; exec go run . "$@" ;;
clean) clean ;;
*) sed -n '2,13s/^# \{0,1\}//p' build.sh >&2; exit 2 ;;
esac
