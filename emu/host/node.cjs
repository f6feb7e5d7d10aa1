// For tests: loaded before Go's wasm_exec_node.js, which then finds the loader with jit.js. See go_js_wasm_exec.
"use strict";

const path = require("path");

globalThis.fs = require("fs");
globalThis.path = path;
require(path.join(path.dirname(process.argv[1]), "wasm_exec.js"));
require("./jit.js");
