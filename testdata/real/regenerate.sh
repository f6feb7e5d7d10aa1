#!/bin/sh
# Makes ptx/ and expect/ from src/: PTX by two versions of clang, expected results by gcc. See README.md.
# Prerequisites: gcc, clang-19, clang-22 (Debian packages of these names).
set -eu
cd "$(dirname "$0")"

for tool in gcc clang-19 clang-22; do
	command -v "$tool" >/dev/null || { echo "$tool is missing: install the package $tool" >&2; exit 1; }
done

# Kernels that are also built with debugging sections.
o0_debug="bitonic collatz convert early_exit fft half_math linked_data newton transpose tree utf8_decode vecadd"
o2_debug="bytecode edit_distance floyd_warshall quicksort recursion sha256 stencil"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Debugging sections name no directory of this machine.
compile() { # compile VERSION SOURCE OUTPUT FLAGS...
	version=$1 source=$2 output=$3
	shift 3
	"clang-$version" --target=nvptx64-nvidia-cuda -march=sm_70 -ffreestanding -nostdlib -ffp-contract=off \
		-fno-math-errno -Wall -Werror -Wno-unknown-cuda-version -fdebug-compilation-dir=. \
		-Xclang -target-feature -Xclang +ptx64 "$@" -S "$source" -o "$output"
}

emit() { # emit KERNEL BUILD FLAGS...
	kernel=$1 build=$2
	shift 2
	for version in 19 22; do
		compile "$version" "src/$kernel.c" "$work/body" "$@"
		cat "$work/header" "$work/body" >"ptx/$kernel.clang$version-$build.ptx"
	done
}

among() { # among WORD LIST
	case " $2 " in *" $1 "*) true ;; *) false ;; esac
}

mkdir -p ptx expect
rm -f ptx/*.ptx expect/*.txt
for source in src/*.c; do
	kernel=$(basename "$source" .c)
	[ "$kernel" = host ] && continue
	gcc -std=gnu17 -O1 -mfma -ffp-contract=off -fno-math-errno -Wall -Werror -Wno-trampolines -Wl,--no-warn-execstack \
		-o "$work/$kernel" "$source" src/host.c -lm
	"$work/$kernel" "$work/header" "expect/$kernel.txt"
	for level in O0 O2 O3; do emit "$kernel" "$level" "-$level"; done
	if among "$kernel" "$o0_debug"; then emit "$kernel" O0-g -O0 -g; fi
	if among "$kernel" "$o2_debug"; then emit "$kernel" O2-g -O2 -g; fi
done
# The test compares these, so that no source is newer than what was made from it.
sha256sum regenerate.sh src/*.c src/*.h >sources.sha256
echo "$(ls ptx | wc -l) modules from $(ls expect | wc -l) kernels"
