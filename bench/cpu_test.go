//go:build !js

package bench_test

import (
	"syscall"
	"time"
)

// cpuTime is the time that the process has spent on processors, in all its threads.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
