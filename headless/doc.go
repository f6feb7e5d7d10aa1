// Package headless runs PTX without a page, for the command line and for the JavaScript module. Its results
// are plain values that become JSON; docs/headless.md describes them.
//
// Nothing here touches the system. A Tool is one invocation of the command; it reads and writes files through its host,
// which is an operating system below cmd/warpscope and JavaScript below wasm.
package headless

// Version is that of the command and of the npm package.
const Version = "0.1.0"
