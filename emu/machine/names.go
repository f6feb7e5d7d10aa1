package machine

import (
	"warpscope/gpu"
)

// These names of package gpu are on so many lines that they are valid here, too.
type (
	Addr  = gpu.Addr
	Dim3  = gpu.Dim3
	Fault = gpu.Fault
	Mask  = gpu.Mask
)
