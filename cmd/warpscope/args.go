//go:build !js

package main

import "os"

func arguments() []string { return os.Args[1:] }
