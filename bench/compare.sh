#!/bin/sh
# Measures both engines, natively and as js/wasm under Node, beside the same work in scalar C, in turns.
# Usage: bench/compare.sh [rounds]; prints the best of each by CPU time, and ratios to C. See README.md.
set -eu
rounds=${1:-5}
cd "$(dirname "$0")"

need() { # need COMMAND WHY
	command -v "$1" >/dev/null || { echo "compare.sh: $1 is missing; $2" >&2; exit 1; }
}
need go "it builds the emulator"
need gcc "it builds reference.c, the yardstick"
need node "it runs the js/wasm build"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

machine=
[ "$(uname -m)" = x86_64 ] && machine=-mfma
gcc -O3 -ffp-contract=off -fno-tree-vectorize -fno-tree-slp-vectorize $machine reference.c -o "$work/scalar" -lm
go test -c -o "$work/native" .
GOOS=js GOARCH=wasm go test -c -o "$work/bench.wasm" .

# Two seconds: a JavaScript engine compiles hot code while the first rounds run.
steady="-test.run=^\$ -test.bench=^Benchmark(Hash|Mandel|Saxpy|Matmul|Histogram|Xxhash|Nbody|Unpack)\$ -test.benchtime=2s"

# Each measurement becomes lines "column kernel million-lane-instructions-per-second".
from_c() {
	awk '{ print "c", $1, $2 }'
}
from_go() { # from_go COLUMN COMMAND…
	column=$1; shift
	"$@" >"$work/out" || { cat "$work/out"; exit 1; }
	awk -v column="$column" '/^Benchmark/ {
		sub(/^Benchmark(Launch\/)?/, "", $1); sub(/-[0-9]+$/, "", $1)
		for (i = 2; i < NF; i++) if ($(i + 1) == "lane-instr/s") print column, tolower($1), $i / 1e6
	}' "$work/out" >>"$work/results"
}

node=../emu/host/go_js_wasm_exec
round=1
while [ "$round" -le "$rounds" ]; do
	"$work/scalar" >"$work/out"
	from_c <"$work/out" >>"$work/results"
	# shellcheck disable=SC2086 # flags are words
	for engine in interpreter compiled; do
		from_go "native-$engine" "$work/native" $steady -engine=$engine
		from_go "node-$engine" "$node" "$work/bench.wasm" $steady -engine=$engine
	done
	for kernel in hash mandel saxpy matmul; do # each in a process of its own
		from_go first "$node" "$work/bench.wasm" -test.run='^$' -test.bench="^BenchmarkLaunch\$/^$kernel\$" -test.benchtime=1x
	done
	round=$((round + 1))
done

echo "Million lane-instructions per second of CPU time in scalar C, and ratios to it; the best of $rounds rounds."
echo "first: from Run to result, the first time in a process, in Node. After a slash: the goal."
awk '
	{ key = $1 " " $2; if ($3 > best[key]) best[key] = $3 }
	function ratio(column, kernel,    v) {
		v = best[column " " kernel]
		if (v == 0) { if (column != "first" || (column " " kernel) in goal) failed = 1; return "-" }
		v = sprintf(v / best["c " kernel] < 0.1 ? "%.4f" : "%.2f", v / best["c " kernel])
		return (column " " kernel) in goal ? v " / " goal[column " " kernel] : v
	}
	END {
		format = "%-10s %8s %12s %12s %16s %16s %16s\n"
		printf format, "", "", "native", "native", "node", "node", "node"
		printf format, "kernel", "C", "interpreter", "compiled", "interpreter", "compiled", "first"
		split("hash 0.25 3 1.5 mandel 0.15 1.3 0.5 saxpy 0.012 0.1 0.02 matmul 0.15 0.6 0.2", goals)
		for (i = 1; i in goals; i += 4) {
			goal["node-interpreter " goals[i]] = goals[i + 1]
			goal["node-compiled " goals[i]] = goals[i + 2]
			goal["first " goals[i]] = goals[i + 3]
		}
		n = split("hash mandel saxpy matmul histogram xxhash nbody unpack", kernels)
		for (i = 1; i <= n; i++) {
			k = kernels[i]
			if (best["c " k] == 0) { print k ": no measurement"; failed = 1; continue }
			printf format, k, sprintf("%.0f", best["c " k]), ratio("native-interpreter", k), ratio("native-compiled", k), \
				ratio("node-interpreter", k), ratio("node-compiled", k), ratio("first", k)
		}
		exit failed
	}' "$work/results"
