package ptx

import "fmt"

// tried counts recorded programs whose only diagnostic, or only error, has one code: those that ptxas accepted and
// those that it refused.
type tried struct{ accepted, refused int }

// Assembler says what NVIDIA's assembler did with the recorded programs that have a diagnostic of this code; "" if
// there are none.
func Assembler(code string) string {
	t := assembled[code]
	does, n := "accepts", t.accepted
	switch all := t.accepted + t.refused; {
	case all == 0:
		return ""
	case t.accepted > 0 && t.refused > 0:
		return fmt.Sprintf("ptxas 12.5 refused %d of %s like this", t.refused, Plural(all, "recorded program"))
	case t.refused > 0:
		does, n = "refuses", t.refused
	}
	return fmt.Sprintf("ptxas 12.5 %s this, in %s", does, Plural(n, "recorded program"))
}
