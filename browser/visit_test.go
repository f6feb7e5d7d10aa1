// Package browser tests the built site in headless Chromium, as visitors meet it: by roles and accessible names.
//
// Every test is a visit of its own: a plain static file server under a sub-path, a profile without past or one that was
// emptied, and at the end no message on the console and no request to any other host. WARPSCOPE_CHROMIUM names the
// browser, else chromium is looked for in PATH; WARPSCOPE_BROWSER=required makes a missing browser or site a failure,
// not a skip; WARPSCOPE_SHOTS names a folder for screenshots.
package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience is how long an expected change may take, and limit one request to the browser, such as a run of axe-core.
// Machines can be slow and busy, and only a test that fails waits as long. A visit has no limit of its own.
const (
	patience = time.Minute
	limit    = 3 * time.Minute
)

// chromium is the browser that all visits share; nil with a reason when there is none.
var (
	chromium context.Context
	missing  error
)

func TestMain(m *testing.M) {
	var stop func()
	chromium, stop, missing = start()
	code := m.Run()
	stop()
	if missing != nil {
		fmt.Fprintln(os.Stderr, "skipped:", missing)
		if os.Getenv("WARPSCOPE_BROWSER") == "required" {
			code = 1
		}
	}
	os.Exit(code)
}

// start starts Chromium when there is one and a site for it to visit.
func start() (context.Context, func(), error) {
	for _, file := range []string{"warpscope.wasm", "editor.js", "wasm_exec.js", "examples/index.json", "precache.js",
		"warpscope.html", "warpscope.mjs"} {
		if _, err := os.Stat(path.Join("../public", file)); err != nil {
			return nil, func() {}, errors.New("the site is not built: run ./build.sh first")
		}
	}
	binary := os.Getenv("WARPSCOPE_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if binary == "" {
			binary, _ = exec.LookPath(name)
		}
	}
	if binary == "" {
		return nil, func() {}, errors.New("no Chromium: install one, or let WARPSCOPE_CHROMIUM name it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(binary), chromedp.WSURLReadTimeout(patience), // three start at once, from a slow disk too
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		// These ask the browser's maker, or connect to its search engine before anyone searches. The last three load two
		// pages of the browser's own, which nothing shows, with each window.
		chromedp.Flag("disable-features", "Translate,AutofillServerCommunication,OptimizationHints,PreconnectToSearch,"+
			"AimEnabled,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"),
		chromedp.Flag("force-prefers-reduced-motion", true),
		chromedp.Flag("disable-back-forward-cache", true)) // it would give each page of a window a process of its own
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocator, chromedp.WithErrorf(func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !strings.Contains(text, "EventTopLayerElementsUpdated") { // dialogs
			fmt.Fprintln(os.Stderr, text)
		}
	}))
	stop := func() { stopBrowser(); stopAllocator() }
	if err := chromedp.Run(ctx); err != nil {
		stop()
		return nil, func() {}, fmt.Errorf("%s does not start: %w", binary, err)
	}
	return ctx, stop, nil
}

// visit is one page in a profile of its own.
type visit struct {
	t       testing.TB
	ctx     context.Context
	url     string           // of the site, with its sub-path
	server  *httptest.Server // nil for a page from a disk
	profile cdp.BrowserContextID
	other   string
	script  page.ScriptIdentifier // that runs before the page's own

	found map[[2]string]node // by find: by role and name
	acted bool               // the page has not drawn what came of the last click or key

	mu       sync.Mutex
	console  []string // messages, exceptions, warnings of the browser
	requests []string // URLs
	expected func(message string) bool
}

// setting changes how a visit begins.
type setting struct {
	fresh         bool              // for tests of first visits: nothing is stored yet
	handler       http.Handler      // instead of public/
	docs          map[string]string // pages and files beside the site, as docs has them
	width, height int64
	dark          bool
	script        string                    // runs before the page's own scripts
	expected      func(message string) bool // console messages that belong to the test
	page          string                    // below the site; "" is index.html
	file          string                    // a page on this disk, instead of a site
	proxy         string                    // sees all requests of the profile
	other         string                    // URL of a second site that belongs to the test
}

// open serves the site under a sub-path and goes there.
func open(t testing.TB, s setting) *visit {
	t.Helper()
	if missing != nil {
		t.Skip(missing)
	}
	if s.ordinary() {
		return room(t, s.docs != nil).at(t, s)
	}
	if s.handler == nil {
		s.handler = http.FileServer(http.Dir("../public"))
	}
	v := &visit{t: t, url: "file://" + s.file}
	if s.file == "" {
		v.server = serve(s.handler)
		t.Cleanup(v.server.Close)
		v.url = v.server.URL + siteRoot
	}
	v.profile = freshProfile(t, s.proxy)
	return v.tab(s)
}

// siteRoot is where servers of tests have the site.
const siteRoot = "/some/where/"

// serve has the site below siteRoot. Browsers ask for the icon of what has no page around it at the server's root.
func serve(site http.Handler) *httptest.Server {
	mux := http.NewServeMux()
	mux.Handle("/", http.StripPrefix(strings.TrimSuffix(siteRoot, "/"), site))
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return httptest.NewServer(mux)
}

// tab opens one more window in the profile of a visit.
func (v *visit) tab(s setting) *visit {
	t := v.t
	t.Helper()
	browser := cdp.WithExecutor(chromium, chromedp.FromContext(chromium).Browser)
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(v.profile).WithNewWindow(true).Do(browser)
	require.NoError(t, err)
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithTargetID(id))
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Run(ctx)) // attaches, for as long as the context lives
	v = &visit{t: t, ctx: ctx, url: v.url, server: v.server, profile: v.profile, other: s.other, expected: s.expected}
	return v.begin(s)
}

// begin goes to the page of a visit that has its window.
func (v *visit) begin(s setting) *visit {
	v.t.Helper()
	chromedp.ListenTarget(v.ctx, v.listen)
	v.t.Cleanup(v.unasked)
	v.t.Cleanup(v.silent)
	if s.width == 0 {
		s.width, s.height = 1440, 900
	}
	scheme := map[bool]string{true: "dark", false: "light"}[s.dark]
	v.run(log.Enable(), network.Enable(), runtime.Enable(),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		emulation.SetDeviceMetricsOverride(s.width, s.height, 1, s.width < 500),
		chromedp.ActionFunc(func(ctx context.Context) error {
			id, err := page.AddScriptToEvaluateOnNewDocument(s.script).Do(ctx)
			v.script = id
			return err
		}),
		chromedp.Navigate(v.url+s.page))
	return v
}

// freshProfile makes a profile without past. With a proxy it sends that even requests to this machine.
func freshProfile(t testing.TB, proxy string) cdp.BrowserContextID {
	t.Helper()
	browser := cdp.WithExecutor(chromium, chromedp.FromContext(chromium).Browser)
	create := target.CreateBrowserContext().WithDisposeOnDetach(true)
	if proxy != "" {
		create = create.WithProxyServer(proxy).WithProxyBypassList("<-loopback>")
	}
	profile, err := create.Do(browser)
	require.NoError(t, err)
	t.Cleanup(func() { _ = target.DisposeBrowserContext(profile).Do(browser) })
	return profile
}

func (v *visit) listen(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		var words []string
		for _, arg := range e.Args {
			words = append(words, strings.Trim(string(arg.Value)+" "+arg.Description, " "))
		}
		v.console = append(v.console, fmt.Sprintf("%s: %s", e.Type, strings.Join(words, " ")))
	case *runtime.EventExceptionThrown:
		v.console = append(v.console, "exception: "+e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		v.console = append(v.console, fmt.Sprintf("%s: %s (%s)", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		v.requests = append(v.requests, e.Request.URL)
	}
}

// silent is the end of every visit: nothing was said on the console, no other host was asked.
func (v *visit) silent() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, message := range v.console {
		if v.expected == nil || !v.expected(message) {
			v.t.Errorf("on the console: %s", message)
		}
	}
	for _, url := range v.requests {
		if v.other != "" && strings.HasPrefix(url, v.other) || v.server != nil && url == v.server.URL+"/favicon.ico" {
			continue
		}
		if !strings.HasPrefix(url, v.url) && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:") {
			v.t.Errorf("request outside the site: %s", url)
		}
	}
}

// unasked lets the page go. One whose text is kept nowhere has the browser ask first, and no answer comes for a minute.
func (v *visit) unasked() {
	ctx, cancel := context.WithTimeout(v.ctx, 5*time.Second)
	defer cancel()
	_ = chromedp.Run(ctx, chromedp.Evaluate("onbeforeunload = null", nil))
}

func (v *visit) run(actions ...chromedp.Action) {
	v.t.Helper()
	require.NoError(v.t, v.try(actions...))
}

// try does what run does, and leaves it to the caller what an error means.
func (v *visit) try(actions ...chromedp.Action) error {
	ctx, cancel := context.WithTimeout(v.ctx, limit)
	defer cancel()
	return chromedp.Run(ctx, actions...)
}

// js evaluates an expression, awaiting promises.
func js[T any](v *visit, expression string) T {
	v.t.Helper()
	v.drawn()
	var result T
	v.run(chromedp.Evaluate(expression, &result, awaiting))
	return result
}

func awaiting(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// eventually waits until look says true, and fails with what it saw last.
func (v *visit) eventually(what string, look func() (done bool, saw string)) {
	v.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		start := time.Now()
		done, saw := look()
		if done {
			return
		}
		if time.Now().After(deadline) {
			require.Failf(v.t, "waited in vain", "for %s; saw last: %s\nconsole: %q", what, saw, v.console)
		}
		// Where looking is work for the page, the page needs time for its own.
		time.Sleep(min(max(30*time.Millisecond, time.Since(start)), 200*time.Millisecond))
	}
}

// holds waits until an expression is true. Between two pages there is no document to ask.
func (v *visit) holds(expression string) {
	v.t.Helper()
	v.eventually(expression, func() (bool, string) {
		var yes bool
		err := v.try(chromedp.Evaluate("Boolean("+expression+")", &yes))
		return err == nil && yes, fmt.Sprint(yes, " ", err)
	})
}
