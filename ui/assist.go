package ui

import "warpscope/ptx"

// hover describes what is at a byte offset of the editor's text. It knows the text that was parsed last: while the
// editor holds another one, it says nothing.
func (m *Model) hover(offset int) (ptx.Hover, bool) {
	if m.Typed == nil {
		return ptx.Hover{}, false
	}
	return m.Typed.Hover(offset)
}

// completionKinds gives the editor's words for kinds that it does not know.
var completionKinds = map[string]string{"special register": "register", "opcode": "mnemonic"}

func completionKind(kind string) string {
	if known, ok := completionKinds[kind]; ok {
		return known
	}
	return kind
}
