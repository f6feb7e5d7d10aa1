package emu

import (
	"warpscope/emu/machine"
	"warpscope/ptx"
)

// Load lowers a module without errors and allocates its .global and .const variables. It reports instructions that are
// valid PTX but not emulated as ptx.Diagnostics with the code "not-emulated", before anything runs, and says why there
// is no compiled engine where opts asks for it. With Options.Kernel it lowers what a launch of that kernel can execute.
func Load(m *ptx.Module, opts Options) (*Device, error) {
	d, err := machine.NewDevice(m, opts)
	if err != nil {
		return nil, err
	}
	d.Prog, err = lower(d, m, opts.Kernel)
	if err != nil {
		return nil, err
	}
	if err := chooseEngine(d, opts.Engine); err != nil {
		return nil, err
	}
	return d, nil
}
