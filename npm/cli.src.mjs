#!/usr/bin/env node
// The command warpscope in Node: cmd/warpscope, compiled to WebAssembly. build.sh makes cli.mjs of this file and of
// Go's loader.
import fs from "node:fs";
import path from "node:path";
import loadGo from "wasm_exec";

globalThis.fs = fs;
globalThis.path = path;
const Go = loadGo(globalThis);
const go = new Go();
go.argv = ["warpscope"]; // it takes its arguments from the process
const { instance } = await WebAssembly.instantiate(fs.readFileSync(new URL("cli.wasm", import.meta.url)), go.importObject);
go.exit = process.exit;
await go.run(instance);
