package ui

import (
	"strings"
	"syscall/js"

	"warpscope/ptx"
)

// assist adds the language's words, hover and completion to the editor's options.
func assist(options map[string]any, o EditorOptions) {
	words := ptx.Vocabulary()
	language := map[string]any{}
	for kind, list := range map[string][]string{"mnemonics": words.Mnemonics, "modifiers": words.Modifiers,
		"types": words.Types, "directives": words.Directives, "registers": words.Registers} {
		language[kind] = strings.Join(list, " ") // one string is handed over much faster than many
	}
	options["language"] = language
	options["hover"] = js.FuncOf(func(_ js.Value, args []js.Value) any {
		h, ok := o.Card(args[0].Int())
		if !ok {
			return nil
		}
		return cardValue(&h, o.Send)
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

// cardValue is a card as editor.js draws it. Its functions live as long as the card that was asked for last.
func cardValue(h *hoverCard, send Send) map[string]any {
	for _, f := range cardFuncs {
		f.Release()
	}
	cardFuncs = nil
	syntax, lanes, facts, links := []any{}, []any{}, []any{}, []any{}
	if h.Syntax != "" {
		syntax = texts(strings.Split(h.Syntax, "\n"))
	}
	for _, r := range h.Lanes {
		lanes = append(lanes, map[string]any{"from": r.From, "to": r.To, "text": r.Text})
	}
	for _, f := range h.Facts {
		facts = append(facts, map[string]any{"name": f.Name, "text": f.Text})
	}
	for _, t := range h.Action {
		press := js.FuncOf(func(js.Value, []js.Value) any {
			send(t.do)
			return nil
		})
		cardFuncs = append(cardFuncs, press)
		facts = append(facts, map[string]any{"name": t.Name, "text": t.Text, "press": press})
	}
	for _, l := range h.Links {
		links = append(links, map[string]any{"text": l.Text, "href": l.Href})
	}
	return map[string]any{"from": h.Span.Start, "to": h.Span.End, "title": h.Title, "text": h.Text, "syntax": syntax,
		"section": h.Section, "value": h.Value, "lanes": lanes, "facts": facts, "links": links}
}

var cardFuncs []js.Func

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
