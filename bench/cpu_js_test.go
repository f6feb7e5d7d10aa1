package bench_test

import "time"

var began = time.Now()

// cpuTime is the time on the clock: WebAssembly has no other.
func cpuTime() time.Duration { return time.Since(began) }
