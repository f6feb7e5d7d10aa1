package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// beyond is a kernel that leaves the size of its shared memory to the launch, and writes after the 64 bytes that it
// gets.
const beyond = `//@ title Beyond
//@ shared 64
//@ arg p f32[32] = iota
.version 6.4
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 tile[];
.visible .entry k(.param .u64 p)
{
    .reg .b32 %i, %t;
    mov.u32 %i, %tid.x;
    mov.u32 %t, tile;
    mad.lo.u32 %t, %i, 4, %t;
    st.shared.u32 [%t], %i;
    ret;
}
`

func (n node) value() string { n.v.t.Helper(); return call[string](n, "e => e.value") }

// An entry that does not fit stays in its field, which says why; the text does not change.
func TestTypesOfArguments(t *testing.T) {
	for _, size := range []struct{ width, height int64 }{{1440, 900}, {390, 844}} {
		for _, dark := range themes(size.width < 500) {
			v := open(t, setting{width: size.width, height: size.height, dark: dark}).ready()
			shot := func(state string) { v.settle(); v.shot(fmt.Sprintf("%d-%v-launch-%s", size.width, dark, state)) }
			v.paste(beyond)
			v.holds(`document.title.startsWith("Beyond")`)
			v.panel("Launch")
			shot("1-form")
			v.find("textbox", "Type of p").fill("f61")
			v.region("Launch", `unknown type "f61"`)
			field := v.find("textbox", "Type of p")
			require.Equal(t, "f61", field.value())
			require.Equal(t, []string{"true", `The type stays: unknown type "f61": did you mean "f16"?`}, call[[]string](field,
				"e => [e.ariaInvalid, document.getElementById(e.getAttribute('aria-describedby')).textContent]"))
			js[any](v, `document.querySelector(".wrong:not(:empty)").scrollIntoView({ block: "center" })`)
			shot("2-wrong")
			field.fill("f16")
			v.find("textbox", "Block").fill("2000")
			v.region("Launch", "block 2000 is too large")
			require.Equal(t, "true", call[string](v.find("textbox", "Block"), "e => e.ariaInvalid"))
			require.NotContains(t, v.source(), "//@ block")
			v.find("textbox", "Block").fill("64")
			v.find("textbox", "Elements of p").fill("8,8")
			v.holds(`!document.querySelector("[aria-invalid=true]")`)
			require.LessOrEqual(t, js[float64](v, "document.documentElement.scrollWidth"), float64(size.width))
			require.Contains(t, v.source(), "//@ arg p f16[8,8] = iota\n")
		}
	}
}

// A fault after shared memory whose size the launch gives offers to raise it.
func TestSharedMemoryIsRaised(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste(beyond)
	v.holds(`document.title.startsWith("Beyond")`)
	v.button("Run")
	v.status("Stopped at line 14", "Launch → Shared")
	v.panel("Problems")
	v.button("Fix: give the CTA all shared memory that there is: //@ shared 98304")
	require.Contains(t, v.source(), "//@ shared 98304\n")
	v.button("Run")
	v.status("Finished: 32 threads")

	// without a header the launch can work from the first, and says that it is guessed
	v.paste(beyond[strings.Index(beyond, ".version"):])
	v.status("No launch header")
	v.button("Run")
	v.status("Finished: 32 threads", "The launch is guessed, and nothing is checked.")
	v.panel("Problems")
	v.region("Problems", "98,304 bytes, all that a CTA can have with sm_70")
}
