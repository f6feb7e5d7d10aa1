package main

import _ "warpscope/emu/host" // cli.mjs has what it needs under js/wasm
