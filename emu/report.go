package emu

import (
	"slices"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/ptx/isa"
)

// Loads of bulk and tensor copies look for a bit pattern in what they read, and report to their mbarrier that they have
// found it: a producer fills memory with the pattern before it writes, and the consumer loads again (9.7.10.28.1.3).

// report is the report mechanism of a copy, or "" when it does not look at its data.
func report(m *isa.Bound) string {
	if r := m.Value("report_mechanism"); r != ".mbarrier::report::disabled" {
		return r
	}
	return ""
}

// inspections are what copies look for, by report mechanism (Table 33): a negative zero in 16 bytes, or bytes of ones.
// b is a piece of a copy and at its place in the arena, whose multiples of 16 are those of addresses.
var inspections = map[string]func(at uint32, b []byte) bool{
	".mbarrier::report::validity::per_16bytes::80000000": sampled(0x80000000, 32),
	".mbarrier::report::validity::per_16bytes::8000":     sampled(0x8000, 16),
	".mbarrier::report::validity::per_16bytes::80":       sampled(0x80, 8),
	".mbarrier::report::validity::per_16bytes::8":        sampled(0x8, 4),
	".mbarrier::report::validity::per_element::ff": func(_ uint32, b []byte) bool {
		return slices.Contains(b, 0xff)
	},
}

// sampled looks at one element of so many bits in each aligned 16 bytes, "a sampled element": here the first one.
func sampled(pattern uint64, bits int) func(at uint32, b []byte) bool {
	size := (bits + 7) / 8
	return func(at uint32, b []byte) bool {
		for i := 0; i+size <= len(b); i += 16 - int(at+uint32(i))&15 {
			if mem.ReadUint(b[i:], size)&(1<<bits-1) == pattern {
				return true
			}
		}
		return false
	}
}

// takes says whether an mbarrier can take what a copy signals, which may be reports.
func takes(reports bool, ref *machine.MbarrierRef) bool { return ref != nil && (ref.V1 || !reports) }

// lacks says what is wrong with an mbarrier that cannot.
func lacks(ref *machine.MbarrierRef) string {
	if ref == nil {
		return machine.NoMbarrier
	}
	return "the copy reports what it finds, which only an mbarrier of layout v1 takes (9.7.10.28.1.3)"
}
