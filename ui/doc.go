// Package ui is the page: Vecty components around one store.
//
// Everything flows one way. A component sends an Action; the Store applies it, is the only caller of the debug session,
// and publishes a new Model; the components render what the model says. A Model never changes after it was published,
// and a debug.View never points into the machine, so a component can skip rendering by comparing a few versions.
//
// Plain functions compute what a panel shows (laneGrid, stackRows, memoryPage, …); they are tested natively. The code
// that draws it is in files named _js.go: the components, because Vecty starts only in browsers, and the platform
// (storage, timers, the text editor, canvases) behind small interfaces.
//
// A virtual DOM is too slow for tables in which a step can change every cell: one call from Go into the browser costs
// about a microsecond, and a Vecty element takes a dozen. Registers and memory are written as one piece of HTML each,
// and the lane grid draws its own rows (lanePainter).
package ui
