package isa

// Closest finds the candidate nearest to a misspelt word, which differs by at most limit letters that are inserted,
// deleted, replaced or swapped with their neighbour, but not by all of them. Case does not count. Of several candidates
// it takes the first; if there is none, it returns "".
func Closest(word string, limit int, candidates func(yield func(string))) string {
	best := ""
	candidates(func(c string) {
		if len(c) > len(word)+limit || len(word) > len(c)+limit {
			return
		}
		if d := distance(word, c, limit); d < len(word) && (d < limit || d == limit && best == "") {
			best, limit = c, d
		}
	})
	return best
}

// distance is the number of edits, or limit+1 when it is more than limit.
func distance(a, b string, limit int) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			x, y := lower(a[i-1]), lower(b[j-1])
			d := min(prev[j], row[j-1]) + 1
			if x == y {
				d = prev[j-1]
			} else {
				d = min(d, prev[j-1]+1)
			}
			if i > 1 && j > 1 && x == lower(b[j-2]) && lower(a[i-2]) == y {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
