package mem

import "errors"

// openHost makes the host of an arena. This package knows no host: package emu/host leaves its own here.
var openHost = func(*Arena) (Host, error) {
	return nil, errors.New("this program has no host for compiled code: it must import warpscope/emu/host")
}

// RegisterHost sets what OpenHost does, before devices are made. It returns what OpenHost has done so far.
func RegisterHost(open func(*Arena) (Host, error)) (was func(*Arena) (Host, error)) {
	was, openHost = openHost, open
	return was
}

// OpenHost returns a host that runs code on an arena, or an error that says why there is none. The host costs nothing
// before it compiles, and is released with the arena.
func OpenHost(a *Arena) (Host, error) { return openHost(a) }
