package ptx

import "bytes"

// foreign are texts that people paste by mistake, by words that only they have.
var foreign = []struct {
	code, what, instead string
	words               []string
}{
	{"cuda-source", "CUDA C++", "compile it with nvcc -ptx, and paste what comes out",
		[]string{"__global__", "__device__", "#include", "cudaMalloc", "<<<"}},
	{"machine-code", "SASS, the machine code of one GPU", "cuobjdump -ptx writes the PTX that it was made from, if the " +
		"file has it; else compile the source with nvcc -ptx",
		[]string{"c[0x0][", "/*0000*/", "SR_TID", "code for sm_", ".headerflags", "EXIT ;"}},
	{"machine-code", "an ELF file, such as a cubin with the machine code of a GPU", "cuobjdump -ptx writes the PTX in " +
		"it, if it has any",
		[]string{"\x7fELF"}},
	{"bad-character", "text in UTF-16", "save it as UTF-8; the > of PowerShell 5 writes UTF-16, " +
		"Out-File -Encoding ascii does not", []string{".\x00v\x00e\x00r\x00s\x00i\x00o\x00n"}},
	{"python-source", "Python", "Triton keeps the PTX of a kernel that it has run: kernel.asm[\"ptx\"]",
		[]string{"@triton.jit", "import triton", "tl.load(", "def "}},
	{"llvm-source", "LLVM's intermediate language", "llc -march=nvptx64 makes PTX of it",
		[]string{"target triple = \"nvptx", "define void @", "define ptx_kernel", "!nvvm.annotations"}},
}

// isForeign reports a text that is of another language, and looks no further.
func (p *parser) isForeign() bool {
	var code []byte // without comments, which can quote anything
	for line := range bytes.Lines(p.src[:min(len(p.src), 1<<16)]) {
		line, _, _ = bytes.Cut(line, []byte("//"))
		code = append(append(code, line...), '\n')
	}
	for _, f := range foreign {
		for _, word := range f.words {
			if bytes.Contains(code, []byte(word)) {
				p.found, p.counts = nil, [len(p.counts)]int{} // a # of that language is none of PTX's
				p.report(f.code, p.tok.span(), "this is %s, not PTX: %s", f.what, f.instead)
				p.giveUp()
				return true
			}
		}
	}
	return false
}
