package ui

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// memoryPlace is a part of a region that was asked for.
type memoryPlace struct {
	Region   string
	From, To int // bytes
}

// memoryBase is the memory at a step with which the present is compared.
type memoryBase struct {
	Tick    int64
	Regions []debug.Region
}

// memoryTypes are the types as which memory can be read, besides its own.
var memoryTypes = []string{"u8", "s8", "b8", "u16", "s16", "b16", "f16", "bf16", "u32", "s32", "b32", "f32",
	"f16x2", "u8x4", "u64", "s64", "b64", "f64"}

// shownRegion is the chosen region as it is read: with the chosen type, and with what has changed since the chosen
// step. nil if there is none.
func (m *Model) shownRegion() *debug.Region {
	r := m.region()
	if r == nil {
		return nil
	}
	if typ := m.MemoryTypes[r.Name]; typ != "" && typ != r.Type {
		c := *r
		c.Type, c.Dims, c.Image = typ, nil, false
		r = &c
	}
	if m.MemoryBase != nil {
		c := *r
		c.Changed = m.MemoryBase.changed(r, m.pageLayout(r).pageBytes(), m.Page)
		r = &c
	}
	return r
}

// changed are the bytes of a page that differ from those at the step.
func (b *memoryBase) changed(r *debug.Region, size, page int) (list []debug.Range) {
	i := slices.IndexFunc(b.Regions, func(o debug.Region) bool { return o.Name == r.Name && o.Addr == r.Addr })
	if i < 0 {
		return nil
	}
	was := b.Regions[i].Bytes
	for at := page * size; at < min((page+1)*size, len(r.Bytes), len(was)); at++ {
		switch n := len(list); {
		case r.Bytes[at] == was[at]:
		case n > 0 && list[n-1].End == at:
			list[n-1].End++
		default:
			list = append(list, debug.Range{Start: at, End: at + 1})
		}
	}
	return list
}

// goToMemory finds the place that is asked for: an address, name[index], name+bytes, a name, an index into the chosen
// region, or a register of the followed lane that holds an address. problem says why there is none.
func goToMemory(m *Model, text string) (place memoryPlace, problem string) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "%") {
		return followRegister(m, text)
	}
	if strings.HasPrefix(text, "0x") {
		addr, err := strconv.ParseUint(strings.ReplaceAll(text[2:], "_", ""), 16, 64)
		if err != nil {
			return place, fmt.Sprintf("%s is not an address", text)
		}
		return placeOf(m, addr)
	}
	name, rest := m.Region, text
	if i := strings.IndexAny(text, "[+"); i >= 0 {
		name, rest = strings.TrimSpace(text[:i]), text[i:]
		if name == "" {
			name = m.Region
		}
	} else if _, err := strconv.Atoi(text); err != nil {
		name, rest = text, "[0]"
	}
	i := slices.IndexFunc(m.View.Memory, func(r debug.Region) bool { return r.Name == name || r.Holds == name })
	if i < 0 {
		return place, fmt.Sprintf("there is no buffer or variable named %q", name)
	}
	r := m.View.Memory[i]
	if typ := m.MemoryTypes[r.Name]; typ != "" {
		r.Type, r.Dims = typ, nil
	}
	unit := 1
	if !strings.HasPrefix(rest, "+") {
		unit = parseElem(r.Type).Size()
	}
	index, ok := indexOf(rest, r.Dims)
	size := regionSize(&r)
	if !strings.ContainsAny(rest, "0123456789") {
		return place, fmt.Sprintf("write an index or a number of bytes: %s[0], %s+4", name, name)
	}
	if !ok || index < 0 || index*unit >= size {
		noun := map[bool]string{true: "byte", false: "element"}[unit == 1]
		return place, fmt.Sprintf("%s has %s", name, ptx.Plural(int64(size/unit), noun))
	}
	return memoryPlace{r.Name, index * unit, index*unit + max(unit, 1)}, ""
}

// indexOf reads "5", "+5", "[5]", "[2][5]" or "[2,5]", the last index fastest.
func indexOf(text string, dims []int) (index int, ok bool) {
	text = strings.NewReplacer("][", ",", "[", "", "]", "", "+", "").Replace(text)
	words := strings.Split(text, ",")
	if len(words) > 1 && len(words) != len(dims) {
		return 0, false
	}
	for i, word := range words {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 0 {
			return 0, false
		}
		if len(words) > 1 {
			if size := dims[len(dims)-1-i]; n >= size {
				return 0, false
			} else if index > math.MaxInt32/max(size, 1) {
				return 0, false
			} else {
				index = index*size + n
			}
			continue
		}
		index = n
	}
	return index, true
}

// placeOf is the place of a generic address.
func placeOf(m *Model, addr uint64) (place memoryPlace, problem string) {
	best := -1
	for i := range m.View.Memory {
		r := &m.View.Memory[i]
		inside := r.Name != debug.TensorMemory && addr >= r.Addr && addr < r.Addr+uint64(regionSize(r))
		if inside && (best < 0 || regionSize(r) < regionSize(&m.View.Memory[best])) {
			best = i
		}
	}
	if best < 0 {
		return place, fmt.Sprintf("nothing that is shown here is at %#x", addr)
	}
	r := &m.View.Memory[best]
	at := int(addr - r.Addr)
	return memoryPlace{r.Name, at, at + 1}, ""
}

// followRegister is the place that a register of the followed lane points to. If it is an address of the instruction
// that has run or runs next, its space is that instruction's: one of shared or local memory need not be generic.
func followRegister(m *Model, name string) (place memoryPlace, problem string) {
	w := m.View.State
	if w == nil {
		return place, "nothing is loaded"
	}
	i := slices.IndexFunc(w.Regs, func(r emu.RegView) bool { return regName(r) == name })
	if i < 0 {
		return place, fmt.Sprintf("no instruction here has a register %s", name)
	}
	r := &w.Regs[i]
	if !r.Written.Has(m.Lane) {
		return place, fmt.Sprintf("%s has no value in lane %d", name, m.Lane)
	}
	for _, in := range []*debug.Instruction{m.View.Ran, m.View.Next} {
		if addr, ok := in.Address(name, m.Lane); ok {
			return placeOf(m, addr)
		}
	}
	place, problem = placeOf(m, r.Lo[m.Lane])
	for i := range m.View.Memory {
		own := &m.View.Memory[i]
		if own.Space != ptx.GlobalSpace && (own.Name == "shared" || own.Name == "local") && problem != "" &&
			r.Lo[m.Lane] < uint64(len(own.Bytes)) {
			problem += fmt.Sprintf("; as an offset it is %s+%d", own.Name, r.Lo[m.Lane])
		}
	}
	return place, problem
}

// matcher says which bits of a type are a value that people have entered. ok is false if it is none.
func matcher(t isa.Type, text string) (match func(bits uint64) bool, ok bool) {
	mask := uint64(math.MaxUint64) >> (64 - min(max(t.Bits(), 1), 64))
	if strings.HasPrefix(text, "0x") {
		want, err := strconv.ParseUint(text[2:], 16, 64)
		return func(bits uint64) bool { return bits == want&mask }, err == nil && want <= mask
	}
	if t.Class() != isa.Float {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return func(bits uint64) bool { return bits == n }, n <= mask
		}
		n, err := strconv.ParseInt(text, 10, 64)
		return func(bits uint64) bool { return bits == uint64(n)&mask }, err == nil
	}
	want, err := strconv.ParseFloat(text, 64)
	switch t {
	case isa.F32:
		return func(bits uint64) bool { return math.Float32frombits(uint32(bits)) == float32(want) }, err == nil
	case isa.F64:
		return func(bits uint64) bool { return math.Float64frombits(bits) == want }, err == nil
	}
	return func(bits uint64) bool {
		have, err := strconv.ParseFloat(launch.FormatValue(t, bits, 0), 64)
		return err == nil && have == want
	}, err == nil
}

// findMemory finds the next element with a value after a byte offset of a region, and starts again at its beginning.
// words say which of how many it is, or why there is none.
func findMemory(r *debug.Region, text string, after int) (place memoryPlace, words string, ok bool) {
	text = strings.TrimSpace(text)
	e := parseElem(r.Type)
	size := e.Type.Bytes()
	match, valid := matcher(e.Type, text)
	if !valid || size > 8 || size == 0 {
		return place, fmt.Sprintf("%q is not a value of type %s", text, e.Type.String()[1:]), false
	}
	first, next, n, at := -1, -1, 0, 0
	for off := 0; off+size <= len(r.Bytes); off += size {
		if !match(loadBits(r.Bytes[off:], size)) {
			continue
		}
		n++
		if first < 0 {
			first = off
		}
		if off > after && next < 0 {
			next, at = off, n
		}
	}
	if first < 0 {
		return place, text + " is not in " + r.Name, false
	}
	if next < 0 {
		next, at = first, 1
	}
	words = fmt.Sprintf("%s, %s of %s", elementName(r, next/e.Size()), count(int64(at)), count(int64(n)))
	return memoryPlace{r.Name, next, next + size}, words, true
}

// addressText is a place such as out+16 as the number that an element of a region holds which points there; all else is
// as it was entered.
func (m *Model) addressText(r *debug.Region, text string) string {
	if !pointer(parseElem(r.Type).Type) || !strings.ContainsAny(text, "+[") {
		return text
	}
	p, problem := goToMemory(m, text)
	i := slices.IndexFunc(m.View.Memory, func(r debug.Region) bool { return r.Name == p.Region })
	if problem != "" || i < 0 {
		return text
	}
	return fmt.Sprintf("%#x", m.View.Memory[i].Addr+uint64(p.From))
}

// showPlace turns to a place.
func (m *Model) showPlace(p memoryPlace) {
	m.Region, m.Chosen, m.MemoryFound = p.Region, true, &p
	if m.MemoryTab == MemoryImage {
		m.MemoryTab = MemoryTable
	}
	m.Page = 0
	if r := m.shownRegion(); r != nil {
		m.Page = p.From / m.pageLayout(r).pageBytes()
	}
}

// found says whether a cell is the place that was asked for.
func (m *Model) found(r *debug.Region, from, to int) bool {
	p := m.MemoryFound
	return p != nil && p.Region == r.Name && from < p.To && p.From < to
}

// memoryAction applies a wish about the memory panel.
func (m *Model) memoryAction(action Action) {
	switch a := action.(type) {
	case SetMemoryType:
		types := map[string]string{}
		for name, typ := range m.MemoryTypes {
			types[name] = typ
		}
		types[m.Region] = a.Type
		m.MemoryTypes, m.Page = types, 0
	case GoToMemory:
		p, problem := goToMemory(m, a.Text)
		if m.MemoryWords = problem; problem == "" {
			m.showPlace(p)
		}
	case FindMemory:
		r := m.shownRegion()
		if r == nil || a.Text == "" {
			m.MemoryWords, m.MemoryFound = "", nil
			return
		}
		after := -1
		if p := m.MemoryFound; p != nil && p.Region == r.Name {
			after = p.From
		}
		p, words, ok := findMemory(r, m.addressText(r, a.Text), after)
		if m.MemoryWords = words; ok {
			m.showPlace(p)
		}
	case CompareMemory:
		if m.MemoryBase = nil; a.Now {
			m.MemoryBase = &memoryBase{m.View.Tick, m.View.Memory}
		}
	}
}

// pointerCell is the address that an element holds, if it points to something that is shown.
func pointerCell(m *Model, e launch.Elem, b []byte) (addr uint64, name string) {
	if e.Lanes > 1 || e.Type.Bytes() != 8 || e.Type.Class() == isa.Float || bytes.Equal(b[:8], make([]byte, 8)) {
		return 0, ""
	}
	addr = loadBits(b, 8)
	return addr, m.View.Name(addr)
}

// markCells marks the cells that were asked for, and names what pointers point to.
func markCells(m *Model, r *debug.Region, tab string, rows []memoryRow) {
	e := parseElem(r.Type)
	unit := pageLayout(r, tab).unit
	for i := range rows {
		for k := range rows[i].Cells {
			c := &rows[i].Cells[k]
			c.Found = m.found(r, c.Offset, c.Offset+unit)
			if tab != MemoryTable || c.Offset+8 > len(r.Bytes) {
				continue
			}
			if addr, name := pointerCell(m, e, r.Bytes[c.Offset:]); name != "" {
				c.Text, c.Pointer = name, addr
			}
		}
	}
}
