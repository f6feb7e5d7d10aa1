package emu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A shared address that is used as a generic one is in no window; the fault names the variable at that address. table
// takes bytes 0 to 63, buffer the 128 after it.
func TestSharedAddressesThatAreNotGeneric(t *testing.T) {
	const head = ".shared .align 16 .b8 table[64]; .shared .align 16 .b32 buffer[32]; .reg .b64 %a; .reg .b32 %v; " +
		"st.shared.b8 [table], 1;"
	for body, want := range map[string]string{
		"mov.u64 %a, buffer; ld.u32 %v, [%a];":        "as a shared address it is buffer: make it generic with cvta.shared",
		"mov.u64 %a, buffer; st.u32 [%a+4], %v;":      "as a shared address it is buffer+4: make it generic",
		"mov.u64 %a, buffer; atom.add.u32 %v,[%a],1;": "as a shared address it is buffer: make it generic",
		"mov.u64 %a, table; ld.u32 %v, [%a+60];":      "as a shared address it is table+60: make it generic",
		"mov.u64 %a, 192; ld.u32 %v, [%a];":           "", // after both
	} {
		err := launch(t, head+body+"ret;", 32).Run(context.Background())
		var fault *Fault
		require.ErrorAs(t, err, &fault, body)
		require.Equal(t, IllegalAddress, fault.Kind)
		if want != "" {
			require.Contains(t, err.Error(), want, body)
		} else {
			require.NotContains(t, err.Error(), "shared address", body)
		}
	}
	require.NoError(t, launch(t, head+"mov.u64 %a, buffer; cvta.shared.u64 %a, %a; ld.u32 %v, [%a]; ret;",
		32).Run(context.Background()))
}

// A generic address of shared memory in an access to .shared: the fault names the variable, and what converts it.
func TestGenericAddressesThatAreNotShared(t *testing.T) {
	const head = ".shared .align 16 .b8 table[64]; .reg .b64 %a; .reg .b32 %v; st.shared.b8 [table], 1;" +
		"cvta.shared.u64 %a, table;"
	for body, want := range map[string]string{
		"ld.shared.u32 %v, [%a];":                     "the generic address of table: make it a shared one with cvta.to",
		"st.shared.u32 [%a+4], %v;":                   "the generic address of table+4: make it a shared one",
		"add.u64 %a, %a, 64; ld.shared.u32 %v, [%a];": "the CTA has 64 bytes of shared memory",
	} {
		require.ErrorContains(t, launch(t, head+body+"ret;", 32).Run(context.Background()), want, body)
	}
	require.NoError(t, launch(t, head+"cvta.to.shared.u64 %a, %a; ld.shared.u32 %v, [%a]; ret;",
		32).Run(context.Background()))
}
