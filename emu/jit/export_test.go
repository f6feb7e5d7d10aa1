package jit

// Specials are specials, for tests that import package emu.
var Specials = specials
