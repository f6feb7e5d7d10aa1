package ui

import "strings"

// edit is a line of a comparison: in both texts, or in one of them.
type edit struct {
	Sign     byte // ' ', '-' for the first text only, '+' for the second only
	From, To int  // number of the line in either text; 0 where it is not
	Text     string
}

// maxEdits is how many lines may differ until a comparison gives up looking for the shortest one.
const maxEdits = 2000

// diffLines is the shortest way from one text to another, line by line (E. W. Myers, An O(ND) Difference Algorithm and
// Its Variations, 1986).
func diffLines(a, b string) []edit {
	from, to := splitLines(a), splitLines(b)
	head := 0
	for head < len(from) && head < len(to) && from[head] == to[head] {
		head++
	}
	tail := 0
	for tail < len(from)-head && tail < len(to)-head && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	var list []edit
	both := func(i, j int) { list = append(list, edit{' ', i + 1, j + 1, from[i]}) }
	for i := range head {
		both(i, i)
	}
	for _, e := range shortest(from[head:len(from)-tail], to[head:len(to)-tail]) {
		if e.From > 0 {
			e.From += head
		}
		if e.To > 0 {
			e.To += head
		}
		list = append(list, e)
	}
	for k := tail; k > 0; k-- {
		both(len(from)-k, len(to)-k)
	}
	return list
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// shortest goes as far as possible along each diagonal k = x - y with 0, 1, 2 … edits, and then back.
func shortest(a, b []string) []edit {
	n, m := len(a), len(b)
	var trace [][]int32 // furthest x on the diagonals -d … d
	furthest := func(d, k int) int { return int(trace[d][k+d]) }
	down := func(d, k int) bool { // the edit that led to the diagonal is an insertion
		return k == -d || k != d && furthest(d-1, k-1) < furthest(d-1, k+1)
	}
	for d := 0; ; d++ {
		if d > min(n+m, maxEdits) {
			return replaced(a, b)
		}
		trace = append(trace, make([]int32, 2*d+1))
		for k := -d; k <= d; k += 2 {
			x := 0
			switch {
			case d == 0:
			case down(d, k):
				x = furthest(d-1, k+1)
			default:
				x = furthest(d-1, k-1) + 1
			}
			for x < n && x-k < m && x-k >= 0 && a[x] == b[x-k] {
				x++
			}
			trace[d][k+d] = int32(x)
			if x >= n && x-k >= m {
				return walk(a, b, d, down, furthest)
			}
		}
	}
}

// walk finds the edits from the end to the beginning.
func walk(a, b []string, d int, down func(d, k int) bool, furthest func(d, k int) int) []edit {
	var list []edit
	x, y := len(a), len(b)
	for ; d >= 0; d-- {
		k := x - y
		startX, startY := 0, 0
		if d > 0 {
			before := k - 1
			if down(d, k) {
				before = k + 1
			}
			startX = furthest(d-1, before)
			startY = startX - before
		}
		for x > startX && y > startY { // the part of the diagonal
			x, y = x-1, y-1
			list = append(list, edit{' ', x + 1, y + 1, a[x]})
		}
		switch {
		case x > startX:
			x--
			list = append(list, edit{'-', x + 1, 0, a[x]})
		case y > startY:
			y--
			list = append(list, edit{'+', 0, y + 1, b[y]})
		}
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

func replaced(a, b []string) []edit {
	var list []edit
	for i, line := range a {
		list = append(list, edit{'-', i + 1, 0, line})
	}
	for i, line := range b {
		list = append(list, edit{'+', 0, i + 1, line})
	}
	return list
}

// hunks are the lines that differ, each with a few lines around it; a line with the sign 0 is in place of those
// between.
func hunks(list []edit, around int) []edit {
	near := make([]bool, len(list))
	for i, e := range list {
		if e.Sign == ' ' {
			continue
		}
		for j := max(0, i-around); j <= min(len(list)-1, i+around); j++ {
			near[j] = true
		}
	}
	var out []edit
	for i, e := range list {
		switch {
		case near[i]:
			out = append(out, e)
		case i == 0 || near[i-1]:
			out = append(out, edit{})
		}
	}
	return out
}
