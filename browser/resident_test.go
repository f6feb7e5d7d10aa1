package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
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
// its service worker keeps it, so that a visit takes a quarter of a first visit's CPU. Nothing that a visit stores is
// there for the next.
type resident struct {
	ctx     context.Context
	cancel  func()
	profile cdp.BrowserContextID
	server  *httptest.Server
	taken   bool
}

// home is the window that waits for ordinary visits; nil before the first, and after one that failed.
var home *resident

// ordinary says whether a visit can use a window that others have used.
func (s setting) ordinary() bool {
	return !s.fresh && s.handler == nil && s.file == "" && s.proxy == "" && s.other == ""
}

// move opens a window for ordinary visits.
func move(t testing.TB) *resident {
	t.Helper()
	r := &resident{server: serve(http.FileServer(http.Dir("../public")))}
	browser := cdp.WithExecutor(chromium, chromedp.FromContext(chromium).Browser)
	var err error
	r.profile, err = target.CreateBrowserContext().WithDisposeOnDetach(true).Do(browser)
	require.NoError(t, err)
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(r.profile).WithNewWindow(true).Do(browser)
	require.NoError(t, err)
	r.ctx, r.cancel = chromedp.NewContext(chromium, chromedp.WithTargetID(id))
	require.NoError(t, chromedp.Run(r.ctx))
	return r
}

// at begins a visit in the window, with a profile as good as new, and ends it with the test.
func (r *resident) at(t testing.TB, s setting) *visit {
	t.Helper()
	r.taken = true
	ctx, cancel := context.WithCancel(r.ctx)
	v := &visit{t: t, ctx: ctx, url: r.server.URL + siteRoot, server: r.server, profile: r.profile, expected: s.expected}
	v.run(chromedp.Navigate(v.url+"favicon.svg"),
		chromedp.Evaluate("localStorage.clear(); sessionStorage.clear()", nil),
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
	r.taken = false
	ctx, cancel := context.WithTimeout(r.ctx, patience)
	defer cancel()
	if !t.Failed() && chromedp.Run(ctx, chromedp.Navigate(r.server.URL+siteRoot+"favicon.svg"),
		page.ResetNavigationHistory()) == nil {
		return
	}
	home = nil
	r.cancel()
	r.server.Close()
	_ = target.DisposeBrowserContext(r.profile).Do(cdp.WithExecutor(chromium, chromedp.FromContext(chromium).Browser))
}
