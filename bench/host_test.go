package bench_test

import _ "warpscope/emu/host" // compiled code is measured, too
