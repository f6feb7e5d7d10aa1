package debug

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
)

// What starts a copy or a product says where it goes. Addresses in tensor memory are a lane and a column, and the first
// address of a copy is the destination.
func TestSentencesOfWhatStarts(t *testing.T) {
	for _, c := range []struct{ example, opcode, want string }{
		{"24-mma-int8.ptx", "cp.async.cg", "all 32 lanes start a copy from a … a+496 to ta … ta+496."},
		{"29-wgmma.ptx", "wgmma.mma_async", "all 32 lanes start a product."},
		{"32-tma-pipeline.ptx", "cp.async.bulk.tensor", "1 lane starts a copy to tile with the tensor map at %from."},
		{"34-tcgen05.ptx", "tcgen05.mma", "1 lane starts a product into lane 0, column 0 of tensor memory."},
		{"34-tcgen05.ptx", "tcgen05.commit", "1 lane commits operations to done;"},
		{"34-tcgen05.ptx", "tcgen05.ld", "all 32 lanes load from lane 0, column 0 of tensor memory."},
	} {
		require.Contains(t, at(t, c.example, c.opcode).View().Status, c.want)
	}
	s := open(t, txtar.Text(t, "sentence/tensorMoves"))
	for _, want := range []string{
		"all 32 lanes load from s … s+112, %r = 0x0 in all 32 lanes.", // the addresses of 8 lanes
		"all 32 lanes store to lane 0, column 3 of tensor memory.",
		"1 of 32 lanes starts a copy to lane 0, column 4 of tensor memory.",
		"1 of 32 lanes starts a shift from lane 0, column 8 of tensor memory.",
		"1 of 32 lanes starts a copy from s+512 to out+16.",
	} {
		for !strings.Contains(s.View().Status, want) {
			require.True(t, s.canRun(), "%s\n%s", want, s.View().Status)
			s.Step()
		}
	}
}

// The status and the strip name a place alike, by its variable where there are several: lanes 0 to 15 load from the
// first row of ta, the others from the second, 64 bytes further.
func TestSharedPlacesHaveOneName(t *testing.T) {
	v := at(t, "18-matrix-product.ptx", "ld.shared.f32").View()
	require.Contains(t, v.Status, "all 32 lanes load from ta (16 lanes), ta+64 (16 lanes)")
	require.Equal(t, "8 bytes for 32 lanes: ta (16 lanes), ta+64 (16 lanes)", v.Ran.Sentence)
}

// The type of a matrix's elements is not what a lane accesses: a lane of ldmatrix names a row of 16 bytes, and one of
// tcgen05.ld no address of memory.
func TestMovesOfMatricesCountNoBytes(t *testing.T) {
	for example, opcode := range map[string]string{"24-mma-int8.ptx": "ldmatrix", "34-tcgen05.ptx": "tcgen05.ld"} {
		i := at(t, example, opcode).View().Ran
		require.Equal(t, i.Inst.Match.Form.Summary, i.Sentence)
	}
}
