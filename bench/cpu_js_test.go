package bench_test

import (
	"syscall/js"
	"time"
)

// cpuTime is the time that Node has spent on processors, in all its threads.
func cpuTime() time.Duration {
	u := js.Global().Get("process").Call("cpuUsage")
	return time.Duration(u.Get("user").Int()+u.Get("system").Int()) * time.Microsecond
}
