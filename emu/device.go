package emu

import (
	"warpscope/emu/machine"
	"warpscope/ptx"
)

// Load lowers a module without errors and places its .global and .const variables. An instruction that is valid PTX
// but not emulated is reported as ptx.Diagnostics with code "not-emulated", before anything runs.
func Load(m *ptx.Module, opts Options) (*Device, error) {
	d, err := machine.NewDevice(m, opts)
	if err != nil {
		return nil, err
	}
	d.Prog, err = lower(d, m)
	if err != nil {
		return nil, err
	}
	return d, nil
}
