package launch_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
)

// The fix of a fault converts the address that was of the other kind (9.7.10.23); then the program runs.
func TestFixConvertsAddresses(t *testing.T) {
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n" +
		".shared .b32 s[64]; .reg .b64 %a, %g, %gaddr; .reg .b32 %v; .reg .pred %p;\nst.shared.u32 [s], 7;\n"
	for _, c := range []struct{ wrong, right string }{
		{"mov.u64 %a, s;\nld.u32 %v, [%a+4];",
			"mov.u64 %a, s;\n{ .reg .b64 %g; cvta.shared.u64 %g, %a; ld.u32 %v, [%g+4]; }"},
		{"cvta.shared.u64 %a, s;\nsetp.eq.u32 %p, 1, 1;\n@%p st.shared.u32 [%a], 1;",
			"cvta.shared.u64 %a, s;\nsetp.eq.u32 %p, 1, 1;\n" +
				"{ .reg .b64 %g; cvta.to.shared.u64 %g, %a; @%p st.shared.u32 [%g], 1; }"},
		{"mov.u64 %gaddr, s;\nld.u32 %v, [%gaddr];",
			"mov.u64 %gaddr, s;\n{ .reg .b64 %g; cvta.shared.u64 %g, %gaddr; ld.u32 %v, [%g]; }"},
		{"mov.u64 %g, s;\nld.u32 %v, [%g+4];",
			"mov.u64 %g, s;\n{ .reg .b64 %g_; cvta.shared.u64 %g_, %g; ld.u32 %v, [%g_+4]; }"},
	} {
		run := func(text string) *launch.Prepared {
			m := parse(t, text)
			s, err := launch.FromSource(m)
			require.NoError(t, err)
			p, err := launch.Prepare(m, s, emu.Options{})
			require.NoError(t, err)
			p.Err = p.Grid.Run(context.Background())
			return p
		}
		text := head + c.wrong + "\nret;\n}\n"
		p := run(text)
		require.Error(t, p.Err)
		fix := p.Fix()
		require.NotNil(t, fix, p.Err)
		mended := text[:fix.Span.Start] + fix.Text + text[fix.Span.End:]
		require.Equal(t, head+c.right+"\nret;\n}\n", mended)
		require.NoError(t, run(mended).Err)
	}
}
