package isa

// SReg is a special register (chapter 10).
type SReg struct {
	Name    string // "%tid"
	Type    Type
	Vec     int // 4 for %tid and its like, else 1
	Section string
	Version int
	SM      int
	Tier    int
	Summary string
}
