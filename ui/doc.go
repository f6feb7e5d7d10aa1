// Package ui is the page: Vecty components around one store.
//
// Everything flows one way. A component sends an Action; the Store applies it, is the only caller of the debug
// session, and publishes a new Model; the components render what the model says. A Model is never changed after it
// was published and a debug.View never points into the machine, so a component may skip rendering by comparing a few
// versions.
//
// What a panel shows is worked out by plain functions (laneGrid, stackRows, memoryPage, …) that are tested natively.
// What needs a browser — storage, timers, the text editor, the lane grid's cells, the picture of a buffer — stands in
// files named _js.go behind small interfaces, so the package also builds and tests without one.
package ui
