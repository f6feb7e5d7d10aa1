#!/bin/sh
# Measures both engines, natively and as js/wasm under Node, beside the same work in scalar C, in turns.
# Usage: bench/compare.sh [-document] [rounds] [folder]; prints the best of each by CPU time, and ratios to C. With
# -document it prints docs/performance.md. The folder is one where gpu.js is installed, which is then measured, too. See
# README.md.
set -eu
form=text
[ "${1:-}" != -document ] || { form=document; shift; }
rounds=${1:-5}
gpujs=${2:-}
[ -z "$gpujs" ] || gpujs=$(cd "$gpujs" && pwd)
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
sse=
[ "$(uname -m)" = x86_64 ] && sse="-msse4.1 -mno-avx"
# shellcheck disable=SC2086 # words
gcc -O3 -ffp-contract=off $sse -DSIMT reference.c -o "$work/simd128" -lm
go test -c -o "$work/native" .
GOOS=js GOARCH=wasm go test -c -o "$work/jumps.wasm" .
go run ../pack -direct "$work/jumps.wasm" "$work/bench.wasm"

# Two seconds: a JavaScript engine compiles hot code while the first rounds run.
steady="-test.run=^\$ -test.bench=^Benchmark(Hash|Mandel|Saxpy|Matmul|Histogram|Xxhash|Nbody|Unpack)\$ -test.benchtime=2s"

# Each measurement becomes lines "column kernel million-lane-instructions-per-second".
from_c() { # from_c COLUMN COMMAND…
	column=$1; shift
	"$@" >"$work/out"
	awk -v column="$column" '{ print column, $1, $2 }' "$work/out" >>"$work/results"
}
lock_step() { # the kernels that are scalar there, too, are left out
	"$work/simd128" | grep -E '^(hash|mandel|saxpy|matmul) '
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
	from_c c "$work/scalar"
	from_c limit lock_step
	[ -z "$gpujs" ] || from_c gpujs node gpujs.cjs "$gpujs"
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

if [ "$form" = document ]; then
	processor=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)
	load=$(uptime | sed 's/.*average[s]*: *//; s/,.*//')
	cat <<-END
		# Performance

		Made by \`./build.sh bench\`; do not edit it.

		- processor: ${processor:-$(uname -m)}, $(getconf _NPROCESSORS_ONLN) cores
		- other work: $(awk -v load="$load" -v cores="$(getconf _NPROCESSORS_ONLN)" 'BEGIN {
			print "load " load " at the end" (load > cores ? ". The machine was busy: all numbers are too low; measure again" : "")
		}')
		- system: $(uname -s) $(uname -m); $(go env GOVERSION); Node $(node --version); $(gcc --version | head -n 1)
		- rounds: $rounds, in turns; the best of each

		The unit is millions of lane-instructions per second of CPU time ([bench](../bench/README.md)). Column C is scalar C;
		all columns after it are ratios to C. After a slash: the goal.

		- *limit*: the same C with 32 lanes in lock step and vectors of 128 bits, the width that WebAssembly has. An emulator
		  that compiled perfectly and checked nothing would be there. It is measured where such C was written.
		- *gpu.js*: a library that compiles a subset of JavaScript to WebAssembly of the same width, without lanes, checks or
		  a debugger; $([ -z "$gpujs" ] && echo "not installed here" || node -p "require('$gpujs/node_modules/gpu.js/package.json').version"), in Node. It has 32-bit floats alone.
		- *native*: the emulator as the command line has it; *Node*: as the page has it.
		- *first*: from Run to result, the first time in a process, in Node.

	END
else
	echo "Million lane-instructions per second of CPU time in scalar C, and ratios to it; the best of $rounds rounds."
	echo "limit: C with 128-bit vectors. first: from Run to result, the first time in a process, in Node."
	echo "After a slash: the goal."
fi
awk -v form="$form" '
	{ key = $1 " " $2; if ($3 > best[key]) best[key] = $3 }
	function line(cells, format,    i, text) { # cells[0] is the kernel
		text = form == "document" ? "| " cells[0] : sprintf("%-10s", cells[0])
		for (i = 1; i <= count; i++) text = text (form == "document" ? " | " cells[i] : sprintf(format, cells[i]))
		print text (form == "document" ? " |" : "")
	}
	function ratio(column, kernel,    v) {
		v = best[column " " kernel]
		if (v == 0) { if (column !~ optional || (column " " kernel) in goal) failed = 1; return "-" }
		v = sprintf(v / best["c " kernel] < 0.1 ? "%.4f" : "%.2f", v / best["c " kernel])
		return (column " " kernel) in goal ? v " / " goal[column " " kernel] : v
	}
	END {
		optional = "^(first|limit|gpujs)$"
		count = split("c limit gpujs native-interpreter native-compiled node-interpreter node-compiled first", columns)
		split("C,limit,gpu.js,native interpreter,native compiled,Node interpreter,Node compiled,first", head, ",")
		head[0] = "kernel"
		line(head, " %18s")
		for (i = 0; i <= count; i++) rule[i] = i ? "---:" : "---"
		if (form == "document") line(rule)
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
			cells[0] = k; cells[1] = sprintf("%.0f", best["c " k])
			for (j = 2; j <= count; j++) cells[j] = ratio(columns[j], k)
			line(cells, " %18s")
		}
		exit failed
	}' "$work/results"
