package ptx

import "strconv"

// Thousands writes a number with separators: "1,024".
func Thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural counts things: "1 byte", "2,048 bytes".
func Plural[N int | int64](n N, noun string) string { return counted(int64(n), noun) }

func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Thousands(n) + " " + noun
}
