package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// resident is a window on the site that ordinary visits use, one after another. Its process has compiled the engine and
// its service worker keeps it, so that a visit takes a third of a first visit's CPU. Nothing that a visit stores is
// there for the next.
type resident struct {
	ctx     context.Context
	cancel  func()
	profile cdp.BrowserContextID
	server  *httptest.Server
	docs    *atomic.Pointer[served] // the visit's documentation, with the site below it; nil where the site is alone
	taken   bool
}

// residents are the windows that are there: a test that opens several pages at a time uses several.
var residents []*resident

// ordinary says whether a visit can use a window that others have used.
func (s setting) ordinary() bool {
	return !s.fresh && s.handler == nil && s.file == "" && s.proxy == "" && s.other == ""
}

// room is a window that no visit uses, on the site alone or on documentation.
func room(t testing.TB, docs bool) *resident {
	t.Helper()
	for _, r := range residents {
		if !r.taken && (r.docs != nil) == docs {
			return r
		}
	}
	r := move(t, docs)
	residents = append(residents, r)
	return r
}

// move opens a window for ordinary visits.
func move(t testing.TB, ofDocs bool) *resident {
	t.Helper()
	r := &resident{}
	site := http.FileServer(http.Dir("../public"))
	if ofDocs {
		r.docs = &atomic.Pointer[served]{}
		r.docs.Store(docs(nil))
		site = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { r.docs.Load().ServeHTTP(w, q) })
	}
	r.server = serve(site)
	browser := cdp.WithExecutor(chromium, chromedp.FromContext(chromium).Browser)
	var err error
	r.profile, err = target.CreateBrowserContext().WithDisposeOnDetach(true).Do(browser)
	require.NoError(t, err)
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(r.profile).WithNewWindow(true).Do(browser)
	require.NoError(t, err)
	r.ctx, r.cancel = chromedp.NewContext(chromium, chromedp.WithTargetID(id))
	require.NoError(t, chromedp.Run(r.ctx, r.away()))
	return r
}

// away goes to a file of the site that runs nothing.
func (r *resident) away() chromedp.Action {
	icon := "favicon.svg"
	if r.docs != nil {
		icon = "warpscope/" + icon
	}
	return chromedp.Navigate(r.server.URL + siteRoot + icon)
}

// at begins a visit in the window, with a profile as good as new, and ends it with the test.
func (r *resident) at(t testing.TB, s setting) *visit {
	t.Helper()
	r.taken = true
	if r.docs != nil {
		r.docs.Store(docs(s.docs))
	}
	ctx, cancel := context.WithCancel(r.ctx)
	v := &visit{t: t, ctx: ctx, url: r.server.URL + siteRoot, server: r.server, profile: r.profile, expected: s.expected}
	v.run(chromedp.Evaluate("localStorage.clear(); sessionStorage.clear()", nil),
		storage.ClearDataForOrigin(r.server.URL, "cookies,file_systems,indexeddb,websql"),
		input.DispatchMouseEvent(input.MouseMoved, 0, 0),
		page.BringToFront())
	t.Cleanup(func() {
		if !t.Failed() {
			v.run(page.RemoveScriptToEvaluateOnNewDocument(v.script))
		}
		cancel()
		r.leave(t)
	})
	return v.begin(s)
}

// leave makes the window ready for the next visit, or closes it after a failure.
func (r *resident) leave(t testing.TB) {
	ctx, cancel := context.WithTimeout(r.ctx, patience)
	defer cancel()
	if !t.Failed() && chromedp.Run(ctx, r.away(), page.ResetNavigationHistory()) == nil {
		r.taken = false
		return
	}
	residents = slices.DeleteFunc(residents, func(other *resident) bool { return other == r })
	r.cancel()
	r.server.Close()
	_ = target.DisposeBrowserContext(r.profile).Do(cdp.WithExecutor(chromium, chromedp.FromContext(chromium).Browser))
}
