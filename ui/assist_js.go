package ui

// assist adds the language's words, hover and completion to the editor's options.
func assist(options map[string]any, o EditorOptions) {
}
