// Package bench holds the kernels that the emulator is measured on, here and on the site's page about its speed. See
// README.md.
package bench

import "embed"

// Kernels are the files of the kernels, each with a launch header.
//
//go:embed *.ptx
var Kernels embed.FS
