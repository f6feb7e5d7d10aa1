package emu

// BytesBeside is what the snapshot costs when another one of the same grid is kept too: the pages they do not share.
func (s *Snapshot) BytesBeside(other *Snapshot) int64 {
	a, b := s.state.(*saved).pages, other.state.(*saved).pages
	cost := int64(len(a)) * 24
	for i := range a {
		if i >= len(b) || &a[i][0] != &b[i][0] {
			cost += pageSize
		}
	}
	return cost
}
