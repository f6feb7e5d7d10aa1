package ptx

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The names are those that g++, clang++ and nvcc make of the declarations next to them. c++filt reads them in the same
// way, except for the parameters, which are left out here.
func TestDemangle(t *testing.T) {
	for mangled, want := range map[string]string{
		"_Z9vectorAddPKfS0_Pfi":                                   "vectorAdd",
		"_Z7reduce0IiEvPT_S1_j":                                   "reduce0<int>",
		"_Z7reduce3IdLj512ELb1EEv":                                "reduce3<double, 512, true>",
		"_Z1fILin5EEvv":                                           "f<-5>",
		"_ZN2ns5outer5innerEv":                                    "ns::outer::inner",
		"_ZN12_GLOBAL__N_16kernelEPf":                             "kernel",
		"_Z6kernelI6float4S0_EvPT_PT0_":                           "kernel<float4, float4>",
		"_Z6kernelIN2ns3VecIfEES2_EvT_":                           "kernel<ns::Vec<float>, ns::Vec<float>>",
		"_ZZ9matrixMulPfS_S_iiE2As":                               "As",
		"_ZZ9matrixMulILi16EEvPfS0_S0_iiE2As":                     "As",
		"_Z4copyIPKcEvT_":                                         "copy<const char*>",
		"_ZN4core3fmt5write17h0123456789abcdefE":                  "core::fmt::write",
		"_ZN6cudapy8__main__3addB2v1B4cw51E5ArrayIfLi1E1CE":       "cudapy::__main__::add",
		"_Z6kernelI6__halfLb0EEvPKT_":                             "kernel<__half, false>",
		"_Z1gIJifdEEvDpT_":                                        "g<int, float, double>",
		"_Z3runIZ4mainEUliE_EvT_":                                 "run<{lambda}>",
		"_ZN7cutlass6KernelINS_4gemm4TileILi128EEEEEvNT_6ParamsE": "cutlass::Kernel<cutlass::gemm::Tile<128>>",
		"_ZN3FooC1Ev":                                             "Foo::Foo",
		"saxpy":                                                   "", // C
		"_Z":                                                      "",
		"_Z99abc":                                                 "",
		"_ZN1aS9_E":                                               "", // no such substitution
		"_ZNcvT_":                                                 "", // conversion operators are not read
	} {
		require.Equal(t, want, Demangle(mangled), mangled)
	}
}

func TestDisplayName(t *testing.T) {
	require.Equal(t, "saxpy", DisplayName("saxpy"))
	require.Equal(t, "vectorAdd", DisplayName("_Z9vectorAddPKfS0_Pfi"))
	require.Equal(t, "ns::kernel<…>",
		DisplayName("_ZN2ns6kernelIN23a_name_of_23_characters3VecIN26another_of_26_characters__4ElemEEEEEvT_"))
}

// The work on hostile names ends, and ends soon.
func TestDemangleLimits(t *testing.T) {
	require.Empty(t, Demangle("_Z1f"+strings.Repeat("I1a", 100000)))
	require.Empty(t, Demangle("_Z"+strings.Repeat("N", 100000)))
	doubling := "_Z1fI1a"
	for i := range 40 { // a function that takes and returns the type before: twice as long
		last := "S" + strings.ToUpper(strconv.FormatInt(int64(i), 36)) + "_"
		doubling += "F" + last + last + "E"
	}
	require.Empty(t, Demangle(doubling+"EvT_"))
	require.NotEmpty(t, Demangle("_Z1fI1aFS0_S0_EFS1_S1_EEvT_"))
}
