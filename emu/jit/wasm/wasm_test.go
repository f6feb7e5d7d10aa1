package wasm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The examples of the LEB128 format: 624485 is e5 8e 26, and -123456 is c0 bb 78.
func TestNumbers(t *testing.T) {
	var c Code
	c.unsigned(624485)
	c.signed(-123456)
	c.signed(63)
	c.signed(64)
	c.signed(-64)
	c.signed(-65)
	require.Equal(t, []byte{0xe5, 0x8e, 0x26, 0xc0, 0xbb, 0x78, 0x3f, 0xc0, 0, 0x40, 0xbf, 0x7f}, c.Bytes)
}

// Instructions above 127 of the vector prefix take two bytes.
func TestPrefixes(t *testing.T) {
	var c Code
	c.Op(I32Add, V128And, I32x4Add, F32x4RelaxedMadd)
	require.Equal(t, []byte{0x6a, 0xfd, 0x4e, 0xfd, 0xae, 0x01, 0xfd, 0x85, 0x02}, c.Bytes)
}
