package debug

import (
	"fmt"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
)

// started is how an instruction is told that moves tensor memory, or starts what goes on while lanes do: what lanes do,
// and a word with an operand for each place that it names.
type started struct {
	verb, object string
	places       [][2]string
}

// starts has them by the id of the form. Operands have the names of the table of instructions.
var starts = map[string]started{
	"cp.async":                      {"start", "a copy", [][2]string{{"from", "src"}, {"to", "dst"}}},
	"cp.async.bulk":                 {"start", "a copy", bulkPlaces},
	"cp.reduce.async.bulk":          {"start", "a reduction", bulkPlaces},
	"multimem.cp.async.bulk":        {"start", "a copy", bulkPlaces},
	"multimem.cp.reduce.async.bulk": {"start", "a reduction", bulkPlaces},
	"cp.async.bulk.tensor":          {"start", "a copy", tensorPlaces},
	"cp.reduce.async.bulk.tensor":   {"start", "a reduction", tensorPlaces},
	"wgmma.mma_async":               {"start", "a product", nil},
	"wgmma.mma_async.sp":            {"start", "a product", nil},
	"tcgen05.mma":                   tensorProduct,
	"tcgen05.mma.sp":                tensorProduct,
	"tcgen05.mma.ws":                tensorProduct,
	"tcgen05.mma.ws.sp":             tensorProduct,
	"tcgen05.cp":                    {"start", "a copy", [][2]string{{"to", "taddr"}}},
	"tcgen05.shift":                 {"start", "a shift", [][2]string{{"from", "taddr"}}},
	"tcgen05.ld":                    tensorLoad,
	"tcgen05.ld.red":                tensorLoad,
	"tcgen05.ld.spcompress":         tensorLoad,
	"tcgen05.st":                    {"store", "", [][2]string{{"to", "taddr"}}},
	"tcgen05.commit":                tensorCommit,
	"tcgen05.commit.sync_restrict":  tensorCommit,
}

var (
	bulkPlaces    = [][2]string{{"from", "srcMem"}, {"to", "dstMem"}}
	tensorPlaces  = [][2]string{{"from", "srcMem"}, {"to", "dstMem"}, {"with", "tensorMap"}}
	tensorProduct = started{"start", "a product", [][2]string{{"into", "d-tmem"}}}
	tensorLoad    = started{"load", "", [][2]string{{"from", "taddr"}}}
	tensorCommit  = started{"commit", "operations", [][2]string{{"to", "mbar"}}}
)

// start is "1 lane starts a copy from out+64 to tile"; "" for instructions that start nothing.
func (t *teller) start(who string) string {
	in := t.rec.Inst
	if in.Match == nil {
		return ""
	}
	s, ok := starts[in.Match.Form.ID]
	if !ok {
		return ""
	}
	words := []string{who + verb(t.rec.Exec, s.verb)}
	if s.object != "" {
		words = append(words, s.object)
	}
	for _, place := range s.places {
		for i, o := range in.Match.Operands {
			if o.Name != place[1] || i >= len(in.Operands) || in.Operands[i].Kind == ptx.OpMissing {
				continue
			}
			if where := t.where(&in.Operands[i], o.Name); where != "" {
				words = append(words, place[0], where)
			}
		}
	}
	return strings.Join(words, " ")
}

// where names the places that an operand has in the lanes that execute the instruction.
func (t *teller) where(op *ptx.Operand, name string) string {
	switch {
	case name == "tensorMap" && op.Reg != nil:
		return "the tensor map at " + op.Reg.Name
	case op.Var != nil:
		return varText(op)
	}
	base := new([32]uint64)
	if op.Reg != nil {
		if base = t.before(op.Reg, int(op.Elem)); base == nil {
			return ""
		}
	}
	return span(t.rec.Exec, func(lane int) string {
		a := base[lane] + uint64(op.Off())
		switch name {
		case "taddr", "d-tmem":
			return tensorName(a)
		}
		return t.name(t.history.grid.Generic(t.spaceAt(name), a))
	})
}

// spaceAt is the state space of the operand of a copy: the opcode names that of the destination first.
func (t *teller) spaceAt(name string) ptx.Space {
	var spaces []ptx.Space
	for _, mod := range t.rec.Inst.Match.Mods {
		switch {
		case mod == ".global":
			spaces = append(spaces, ptx.GlobalSpace)
		case strings.HasPrefix(mod, ".shared"):
			spaces = append(spaces, ptx.SharedSpace)
		}
	}
	switch {
	case strings.HasPrefix(name, "src") && len(spaces) > 1:
		return spaces[1]
	case len(spaces) > 0:
		return spaces[0]
	}
	return ptx.Generic
}

// tensorName is an address in tensor memory.
func tensorName(a emu.Addr) string {
	return fmt.Sprintf("lane %d, column %d of tensor memory", a>>16&0xffff, a&0xffff)
}
