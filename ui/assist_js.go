package ui

import (
	"strings"
	"syscall/js"

	"warpscope/ptx"
)

// assist adds the language's words, hover and completion to the editor's options.
func assist(options map[string]any, o EditorOptions) {
	words := ptx.Vocabulary()
	options["language"] = map[string]any{
		"mnemonics": texts(words.Mnemonics), "modifiers": texts(words.Modifiers), "types": texts(words.Types),
		"directives": texts(words.Directives), "registers": texts(words.Registers),
	}
	options["hover"] = js.FuncOf(func(_ js.Value, args []js.Value) any {
		h, ok := o.Model().hover(args[0].Int())
		if !ok {
			return nil
		}
		syntax := []any{}
		if h.Syntax != "" {
			syntax = texts(strings.Split(h.Syntax, "\n"))
		}
		return map[string]any{"from": h.Span.Start, "to": h.Span.End, "title": h.Title, "text": h.Text,
			"syntax": syntax, "section": h.Section}
	})
	options["complete"] = js.FuncOf(func(_ js.Value, args []js.Value) any {
		m := o.Model()
		if m.Typed == nil {
			return nil
		}
		list := m.Typed.Complete(args[0].Int())
		if len(list) == 0 {
			return nil
		}
		entries := make([]any, len(list))
		for i, c := range list {
			entries[i] = map[string]any{"label": c.Label, "detail": c.Detail, "kind": completionKind(c.Kind)}
		}
		return map[string]any{"from": list[0].Span.Start, "options": entries}
	})
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
