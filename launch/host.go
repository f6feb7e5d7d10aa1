//go:build !js

package launch

import _ "warpscope/emu/host" // launches can use compiled code; under js/wasm programs import it
