package browser

import (
	"fmt"
	"testing"

	"warpscope/share"
)

// writtenSoon is how many changes a page makes to itself in a while.
const writtenSoon = `new Promise(written => {
	let changes = 0;
	const watch = new MutationObserver(list => changes += list.length);
	watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
	setTimeout(() => { watch.disconnect(); written(changes); }, 300);
})`

// A page where nothing happens writes nothing: one whose parts answer each other's sizes without end would keep a core
// busy.
func TestPagesAtRestWriteNothing(t *testing.T) {
	_, text := example(t, "05-")
	state := "#" + share.Encode(share.State{Text: text, Step: 9})
	for _, page := range []string{"", "embed.html?panels=lanes", "embed.html?panels=lanes+stack+memory",
		"embed.html?fixed&panels=lanes", "embed.html?fixed&panels=lanes+stack+registers"} {
		v := open(t, setting{page: page + state, width: 1050, height: 480})
		v.holds(`document.documentElement.dataset.engine === "running"`)
		v.holds(`document.querySelector("#timeline")?.value === "9"`)
		for _, width := range []int64{1050, 390} {
			v.size(width, 480)
			v.eventually(page+" to rest", func() (bool, string) {
				written := js[int](v, writtenSoon)
				return written == 0, fmt.Sprintf("%d changes", written)
			})
		}
	}
}
