package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/share"
)

// example is one program of public/examples.
type example struct {
	Name    string // file name without its extension
	Title   string
	Text    string // what it shows, one sentence
	Picture string // file in public/gallery
	Caption string // what the picture shows
	Drawing bool   // the picture is the program's own
	Lines   int
	Facts   string

	module *ptx.Module
	spec   *launch.Spec
}

// readExamples parses every example.
func readExamples(dir string) ([]*example, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.ptx"))
	if err != nil {
		return nil, err
	}
	var all []*example
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		e := &example{Name: strings.TrimSuffix(filepath.Base(file), ".ptx")}
		if e.module, err = ptx.Parse(filepath.Base(file), source); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if e.spec, err = launch.FromSource(e.module); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if e.Title, e.Text = e.spec.Title, sentences[e.Name]; e.Text == "" {
			return nil, fmt.Errorf("%s: it has no sentence for the gallery in site/gallery.go", file)
		}
		for _, f := range e.module.Funcs {
			e.Lines += len(f.Insts)
		}
		all = append(all, e)
	}
	return all, nil
}

// Link is the fragment with which the playground opens the example.
func (e *example) Link() string { return share.Encode(share.State{Text: string(e.module.Src)}) }

// writeIndex writes the list of examples that the playground's chooser shows.
func writeIndex(public string, examples []*example) error {
	type entry struct {
		File  string `json:"file"`
		Title string `json:"title"`
	}
	list := []entry{}
	for _, e := range examples {
		list = append(list, entry{e.Name + ".ptx", e.Title})
	}
	text, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return err
	}
	return put(filepath.Join(public, "examples", "index.json"), append(text, '\n'))
}

func writeGallery(public string, examples []*example) error {
	for _, e := range examples {
		picture, err := paint(e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		e.Picture = "gallery/" + e.Name + ".png"
		if err := put(filepath.Join(public, filepath.FromSlash(e.Picture)), picture); err != nil {
			return err
		}
	}
	p := page{Title: "Examples", Section: "Examples",
		Summary: "Programs in PTX that run in the page, each with a picture of its run."}
	return writePage(public, "gallery.html", p, "gallery.html", examples)
}

// sentences say what an example shows, for the gallery.
var sentences = map[string]string{
	"01-hello-lanes": "Every lane follows the Collatz rule from its own number, and the lanes finish one " +
		"after the other.",
	"02-vector-add":        "The first program of every GPU course: each thread adds one pair of numbers.",
	"03-predication":       "Guards switch instructions off lane by lane, and no lane ever jumps.",
	"04-if-else":           "The two sides of an if run one after the other, each with its own lanes.",
	"05-nested-divergence": "Ifs inside ifs put entry on entry on the SIMT stack, and every join takes one off.",
	"06-loop": "Euclid's algorithm takes each lane a different number of rounds; " +
		"the warp waits for the last.",
	"07-switch":        "One instruction jumps through a table of labels and splits the warp five ways.",
	"08-function-call": "Arguments and results travel in parameter space, and each call has registers of its own.",
	"09-recursion":     "A function calls itself until each lane has reached its own depth.",
	"10-shared-memory": "A block turns an array around through shared memory; " +
		"the barrier makes readers wait for writers.",
	"11-warp-reduction": "Five exchanges between lanes add up 32 numbers without touching memory.",
	"12-vote-ballot": "One bit from each lane makes a mask that all lanes see; " +
		"with it they close the gaps in an array.",
	"13-atomics": "Many lanes count letters in the same 26 counters and lose none.",
	"14-spin-lock": "One lane at a time holds the lock, and the work is done inside the loop so that " +
		"no lane hangs.",
	"15-mandelbrot":     "A thread for each pixel; neighbours leave the loop at different rounds.",
	"16-half-precision": "Packed instructions compute with two 16-bit numbers in one 32-bit register.",
	"17-printf":         "Kernels can print: vprintf takes a format and a packed list of values.",
	"18-matrix-product": "Blocks bring tiles of both matrices into shared memory and use every number many times.",
	"19-bitonic-sort":   "Lanes compare and exchange in a fixed pattern until 32 numbers are in order.",
	"20-prefix-sum":     "Every lane learns the sum of all lanes before it in five shuffles up the warp.",
	"21-function-table": "Addresses of functions lie in memory, and each lane calls the one that it has loaded.",
	"22-game-of-life":   "A row of 32 cells is one word, made by a ballot; a block of 32 warps lives in lockstep.",
	"23-mma-f16":        "One instruction multiplies two small matrices whose parts lie scattered over the warp.",
	"24-mma-int8": "Tiles of bytes come in asynchronously, are handed around, and are multiplied with " +
		"32-bit sums.",
	"25-mma-bf16":   "The range of a 32-bit float in 16 bits, where half floats would overflow.",
	"26-mma-tf32":   "32-bit floats of which the tensor cores take ten bits after the point.",
	"27-mma-fp8":    "Floats of eight bits, four to a register, summed in 32.",
	"28-mma-sparse": "Half of a matrix is zero and not stored; two bits tell where each number belongs.",
	"29-wgmma":      "128 threads start a product together and go on while it is computed.",
	"30-lock-between-lanes": "The lane that holds the lock goes on while the others spin: " +
		"it takes independent scheduling.",
	"31-motion-search": "Four bytes at a time, 1,024 threads look for the place that a block of pixels came from.",
	"32-tma-pipeline": "Whole tiles of a picture come and go by tensor copies, and mbarriers keep producer " +
		"and consumers apart.",
	"33-cluster-sum":   "Four blocks add up in the shared memory of the first one.",
	"34-tcgen05":       "Tensor cores with a memory of their own: one thread starts the product, the warps fetch it.",
	"35-gemm-hopper":   "One warp brings tiles, four multiply them, and two buffers let both go on at the same time.",
	"36-texture-zoom":  "The texture unit mixes the four nearest of 16 points; without its filter they are squares.",
	"37-tcgen05-pair":  "Two blocks work on one product: each brings half of both factors and gets half of the rows.",
	"38-packed-pixels": "Packed instructions brighten the four bytes of a pixel at once, stop at white, and find edges.",
	"39-crc32":         "Carry-less products fold a message of 256 bytes in five rounds between the lanes of a warp.",
	"40-bank-conflicts": "A column of shared memory takes 32 turns, and one turn when each row is a word longer. " +
		"Access draws why.",
	"41-sectors":              "Strides of 1, 2 and 8 words touch 4, 8 and 32 sectors of global memory.",
	"42-missing-barrier":      "Two warps exchange values without a barrier. The sanitizer names both places; go to each.",
	"43-flag-without-release": "A flag between blocks that orders nothing: the value is right, and it is a race.",
	"44-never-written":        "A sum reads one word too far, and the sanitizer reports where that word matters.",
	"45-barrier-on-two-sides": "Each side of a branch has a barrier of its own, and the lanes of a warp never meet.",
	"46-stray-store":          "One element is wrong at the end. Ask who wrote it, and where the address comes from.",
	"47-short-circuit": "Short-circuit conditions give blocks two ways in. Three models of divergence let lanes meet " +
		"at different places.",
	"48-shuffle-modes": "Up, down, butterfly and index: the panel Who holds what draws which lane gives to which.",
	"49-ldmatrix":      "Which lane holds which element of a matrix, and of its transpose.",
	"50-smallest-factor": "Lanes divide until they find a factor; " +
		"those with primes stay longest. Break when only they are left.",
	"51-without-branches": "The header expects that no branch diverges and no sector is wasted, and fails if one is.",
}
