package main

import "syscall/js"

// arguments are those of the Node process: Go's own have little room.
func arguments() []string {
	argv := js.Global().Get("process").Get("argv")
	list := make([]string, 0, argv.Length())
	for i := 2; i < argv.Length(); i++ {
		list = append(list, argv.Index(i).String())
	}
	return list
}
