package emu

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
)

// hostBytes puts bytes into device memory.
func hostBytes(t testing.TB, d *Device, b []byte) Addr {
	t.Helper()
	a, err := d.Alloc(len(b))
	require.NoError(t, err)
	require.NoError(t, d.Write(a, b))
	return a
}

// packed are arguments as a caller of vprintf packs them: each at a multiple of its size; strings by their address.
func packed(t testing.TB, d *Device, values []any) (b []byte) {
	t.Helper()
	put := func(size int, bits uint64) {
		for len(b)%size != 0 {
			b = append(b, 0xee)
		}
		for i := range size {
			b = append(b, byte(bits>>(8*i)))
		}
	}
	for _, v := range values {
		switch v := v.(type) {
		case int:
			put(4, uint64(v))
		case rune:
			put(4, uint64(v))
		case int64:
			put(8, uint64(v))
		case float64:
			put(8, math.Float64bits(v))
		case string:
			put(8, hostBytes(t, d, append([]byte(v), 0)))
		case nil:
			put(8, 0)
		}
	}
	return append(b, 0)
}

func printed(t testing.TB, d *Device, format string, values ...any) (string, uint32) {
	t.Helper()
	out := hostBytes(t, d, make([]byte, 4))
	g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(hostBytes(t, d, append([]byte(format), 0))),
		Ptr(hostBytes(t, d, packed(t, d, values))), Ptr(out)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()), format)
	n := make([]byte, 4)
	require.NoError(t, d.Read(out, n))
	return string(g.Output()), machine.ByteOrder.Uint32(n)
}

// Each line was printed by a program in C with the same format and values, compiled by gcc 12 and linked with the GNU
// library 2.36.
func TestPrintfAsInC(t *testing.T) {
	d := load(t, txtar.Text(t, "printf/printing"))
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		format string
		values []any
		want   string
	}{
		{"%.*f", []any{-1, 1.5}, "1.500000"},
		{"%*d|%-*d|", []any{-6, 42, 4, 7}, "42    |7   |"},
		{"%.0f|%#.0f|%.f", []any{2.5, 2.5, 3.5}, "2|2.|4"},
		{"%.0d|%.0x|%#o|%#.3o|%#x", []any{0, 0, 0, 8, 0}, "||0|010|0"},
		{"%05d|%-05d|%05.3d|%+05d|% d", []any{42, 42, 42, 42, 42}, "00042|42   |  042|+0042| 42"},
		{"%hhd|%hd|%hu|%hhx", []any{300, 70000, 70000, 511}, "44|4464|4464|ff"},
		{"%p|%20p|%-20p|", []any{nil, int64(255), int64(255)}, "(nil)|                0xff|0xff                |"},
		{"%s|%.3s|%.6s|%8s|%-8s|", []any{nil, nil, nil, "ab", "ab"}, "(null)||(null)|      ab|ab      |"},
		{"%.s|%.0s|%.*s|%.2s", []any{"abc", "abc", -1, "abc", "abc"}, "||abc|ab"},
		{"%c|%5c|%-5c|%c", []any{'a', 'b', 'c', 0xc3}, "a|    b|c    |\xc3"},
		{"%a|%A|%.0a|%.1a|%.3a|%a", []any{1.5, 1.5, 1.5, 1.96875, 1.0, 0.0},
			"0x1.8p+0|0X1.8P+0|0x2p+0|0x2.0p+0|0x1.000p+0|0x0p+0"},
		{"%a|%a|%#.0a|%20a|%020a", []any{5e-324, -1e300, 1.0, 3.5, 3.5},
			"0x0.0000000000001p-1022|-0x1.7e43c8800759cp+996|0x1.p+0|            0x1.cp+1|0x0000000000001.cp+1"},
		{"%.0a|%.0a|%.0a|%.1a|%.20a", []any{0.5, 2.5, 3.0, 5e-324, 1.1},
			"0x1p-1|0x1p+1|0x2p+1|0x0.0p-1022|0x1.199999999999a0000000p+0"},
		{"%f|%F|%E|%G|%08f|%-8f|%+f|% f", []any{inf, inf, -inf, nan, inf, nan, nan, inf},
			"inf|INF|-INF|NAN|     inf|nan     |+nan| inf"},
		{"%f|%08g", []any{math.Copysign(nan, -1), math.Copysign(nan, -1)}, "-nan|    -nan"},
		{"%g|%g|%g|%g|%#g|%#.3g|%.0g|%.10g|%g", []any{100000.0, 1000000.0, 0.0001, 0.00001, 1.0, 10.0, 25.0, 1.0 / 3, 0.0},
			"100000|1e+06|0.0001|1e-05|1.00000|10.0|2e+01|0.3333333333|0"},
		{"%.20g|%.30f|%.3e|%e|%G|%.0e|%#.0e", []any{0.1, 0.1, 123456.789, 0.0, 1e-10, 15.0, 15.0},
			"0.10000000000000000555|0.100000000000000005551115123126|1.235e+05|0.000000e+00|1E-10|2e+01|2.e+01"},
		{"%ld|%lld|%zu|%jd|%td|%llu", []any{int64(-1), int64(-1), int64(-1), int64(-5), int64(-6), int64(-1)},
			"-1|-1|18446744073709551615|-5|-6|18446744073709551615"},
		{"%i|%u|%o|%X|%#X|%#010x|%-#10x|", []any{-5, -5, -5, 255, 255, 255, 255},
			"-5|4294967291|37777777773|FF|0XFF|0x000000ff|0xff      |"},
		{"%+u|% u|%+x|% +d|%-+5d|", []any{1, 1, 1, 1, 1}, "1|1|1|+1|+1   |"},
		{"%.10d|%12.10d|%-12.10d|%012.10d", []any{-42, -42, -42, -42}, "-0000000042| -0000000042|-0000000042 | -0000000042"},
		{"%010f|%+.2e|%-12.3f|% 012.3f", []any{-3.14159, 1e100, 2.5, 2.5}, "-03.141590|+1.00e+100|2.500       | 0000002.500"},
		{"%#.3g|%#g|%g|%g", []any{0.0001, 1e10, 1e15, 123456789.0}, "0.000100|1.00000e+10|1e+15|1.23457e+08"},
		{"%lld|%5.lld|%Lf|%5%|%lc", []any{int64(math.MinInt64), int64(3), 1.5, 'A'},
			"-9223372036854775808|    3|1.500000|%|A"},
	} {
		got, n := printed(t, d, c.format, c.values...)
		require.Equal(t, c.want, got, c.format)
		require.EqualValues(t, len(c.values), n, "CUDA's printf returns the number of arguments: %s", c.format)
	}
}

// Text that is not a conversion takes no argument.
func TestPrintfOfTextThatIsNoConversion(t *testing.T) {
	d := load(t, txtar.Text(t, "printf/printing"))
	for _, format := range []string{"%", "100%", "%q %! %", "%..", "%5.5.5", "%llll", "%hhhh", "%n%n", "%1$", "%-", "%5",
		"%.", "%l", "% \xff"} {
		got, n := printed(t, d, format+"|%d", 7)
		require.Equal(t, format+"|7", got)
		require.EqualValues(t, 1, n, format)
	}
}

// The fields are wider than all that is kept: maxOutput bytes, of the widest field that an int can ask for.
func TestPrintfOfEnormousFields(t *testing.T) {
	d := load(t, txtar.Text(t, "printf/printing"))
	const widest = math.MaxInt32
	blanks := strings.Repeat(" ", maxOutput)
	for _, c := range []struct {
		format string
		values []any
		want   string
	}{
		{"%999999999d", []any{7}, blanks},
		{"%99999999999999999999d", []any{7}, blanks},
		{"%-999999999d", []any{7}, "7" + blanks[1:]},
		{"%*d%d", []any{widest, 7, 1}, blanks},
		{"%*d", []any{math.MinInt32, 7}, "7" + blanks[1:]},
		{"%.999999999d", []any{7}, strings.Repeat("0", maxOutput)},
		{"%.999999999f", []any{1.5}, "1.5" + strings.Repeat("0", maxOutput-3)},
		{"%.999999999e", []any{1.5}, "1.5" + strings.Repeat("0", maxOutput-3)},
		{"%.999999999g", []any{1.5}, "1.5"},
		{"%#.999999999g", []any{1.5}, "1.5" + strings.Repeat("0", maxOutput-3)},
		{"%.999999999a", []any{1.5}, "0x1.8" + strings.Repeat("0", maxOutput-5)},
		{"%.999999999s|%-9s|", []any{"ab", "cd"}, "ab|cd       |"},
	} {
		got, _ := printed(t, d, c.format, c.values...)
		require.True(t, c.want == got, "%s: %.40q… of %d bytes, not %.40q… of %d", c.format, got, len(got), c.want,
			len(c.want))
	}
}

// Pointers to nothing are faults that say which one it is.
func TestPrintfOfBadPointers(t *testing.T) {
	d := load(t, txtar.Text(t, "printf/printing"))
	open := hostBytes(t, d, []byte("abc")) // three bytes and no zero
	text := hostBytes(t, d, []byte("%d %s\x00"))
	values := func(a Addr) uint64 { return hostBytes(t, d, packed(t, d, []any{1, int64(a)})) }
	for _, c := range []struct {
		format, values Addr
		want           string
	}{
		{1 << 40, 0, "the format of vprintf is not in memory that this lane can read"},
		{open, 0, "the format of vprintf runs over the end of its memory: no zero byte ends it"},
		{text, 0, "illegal address 0x0 (4 bytes, generic); vprintf looks for argument 1 of its format here"},
		{text, math.MaxUint64 - 7, "illegal address 0xfffffffffffffff8 (4 bytes, generic); " +
			"vprintf looks for argument 1 of its format here"},
		{text, open &^ 3, "vprintf looks for argument 1"},
		{text, values(0xdeadbeef), "illegal address 0xdeadbeef (1 byte, generic); " +
			"the string that argument 2 of vprintf points to is not in"},
		{text, values(open), "the string that argument 2 of vprintf points to runs over the end of its memory"},
	} {
		g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(c.format), Ptr(c.values), Ptr(text)}})
		require.NoError(t, err)
		require.ErrorContains(t, g.Run(context.Background()), c.want)
		require.Empty(t, g.Output())
	}
	got, _ := printed(t, d, "%.3s|%.0s|", int64(open), int64(0xdeadbeef)) // C reads no further than the precision says
	require.Equal(t, "abc||", got)
}

// "If the format string is NULL, -1 is returned" (CUDA C++ Programming Guide).
func TestPrintfWithoutFormat(t *testing.T) {
	d := load(t, txtar.Text(t, "printf/printing"))
	out := hostBytes(t, d, make([]byte, 4))
	g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(0), Ptr(0), Ptr(out)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	n := make([]byte, 4)
	require.NoError(t, d.Read(out, n))
	require.Equal(t, []byte{255, 255, 255, 255}, n)
}

// With 32-bit addresses pointers, long and size_t have 4 bytes; CUDA's declaration of vprintf changes with them.
func TestPrintfWith32BitAddresses(t *testing.T) {
	d := load(t, txtar.Text(t, "printf/narrow"))
	g, err := d.Launch(Config{Entry: "k"})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	require.Equal(t, "hi -1 -2 4294967293 0x4", string(g.Output()))
}
