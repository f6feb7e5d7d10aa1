#!/bin/sh
# Measures the emulator, natively and as js/wasm under Node, beside the same work in scalar C, in turns.
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
flags="-test.run=^\$ -test.bench=^Benchmark(Hash|Mandel|Saxpy|Matmul|Histogram|Xxhash|Nbody|Unpack)\$ -test.benchtime=2s"

# Each engine's output becomes lines "engine kernel million-lane-instructions-per-second".
from_c() {
	awk '{ print "c", $1, $2 }'
}
from_go() { # from_go ENGINE
	awk -v engine="$1" '/^Benchmark/ {
		sub(/^Benchmark/, "", $1); sub(/-[0-9]+$/, "", $1)
		for (i = 2; i < NF; i++) if ($(i + 1) == "lane-instr/s") print engine, tolower($1), $i / 1e6
	}'
}

round=1
while [ "$round" -le "$rounds" ]; do
	"$work/scalar" >"$work/out"
	from_c <"$work/out" >>"$work/results"
	# shellcheck disable=SC2086 # flags are words
	"$work/native" $flags >"$work/out" || { cat "$work/out"; exit 1; }
	from_go native <"$work/out" >>"$work/results"
	# shellcheck disable=SC2086
	../emu/host/go_js_wasm_exec "$work/bench.wasm" $flags >"$work/out" || { cat "$work/out"; exit 1; }
	from_go node <"$work/out" >>"$work/results"
	round=$((round + 1))
done

echo "Million lane-instructions per second of CPU time, best of $rounds rounds; ratios to scalar C of the same run."
awk '
	{ key = $1 " " $2; if ($3 > best[key]) best[key] = $3 }
	END {
		format = "%-10s %10s %10s %8s %10s %8s %8s\n"
		printf format, "kernel", "C", "native", "ratio", "node", "ratio", "goal"
		goal["hash"] = "0.15"; goal["mandel"] = "0.08"; goal["matmul"] = "0.08"
		n = split("hash mandel saxpy matmul histogram xxhash nbody unpack", kernels)
		for (i = 1; i <= n; i++) {
			k = kernels[i]; c = best["c " k]; go = best["native " k]; w = best["node " k]
			if (c == 0 || go == 0 || w == 0) { print k ": no measurement"; failed = 1; continue }
			printf format, k, sprintf("%.0f", c), sprintf("%.0f", go), sprintf("%.3f", go / c), \
				sprintf("%.0f", w), sprintf("%.3f", w / c), (k in goal) ? goal[k] : "-"
		}
		exit failed
	}' "$work/results"
