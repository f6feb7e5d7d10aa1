package ui

// Rows of a long table are made in steps of so many: a short scroll needs no others.
const rowsAtOnce = 16

// rowWindow says which rows of a table of n rows have to be there: those that can be in sight and some more, from the
// first to before the last. The table begins up to a height of above below the top of what scrolls, and all are in
// pixels.
func rowWindow(top, view, above, height, n int) (first, last int) {
	first = max((top-above)/height/rowsAtOnce*rowsAtOnce-rowsAtOnce, 0)
	last = ((top+view)/height/rowsAtOnce + 2) * rowsAtOnce
	return min(first, n), min(last, n)
}
